"""What people have in their clients' settings before clew comes: written by hand, with rules and hooks of their own.

Each client's model sees THEIR-RULES and THEIR-HOOK, and the end of a turn puts `stop` into the log.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

_CODEX = """# Mine, by hand.
model_reasoning_effort = "low"   # cheap
  hide_agent_reasoning=true

[tui]
notifications = false

[mcp_servers."of theirs"]
command = 'not-there'
enabled = false
"""
_GEMINI = """{
  // Mine, by hand.
\t"security": {"auth" : {"selectedType": "gemini-api-key"}},
    "general":{"enableAutoUpdate":false},  /* no news */
  "model" : {"compressionThreshold": 0.5},
  "hooks": {
    "BeforeAgent": [ {"hooks": [{"type": "command", "command": "cat %(hook)s" }]} ],
    "AfterAgent":[{"hooks":[ {"type":"command","command":"echo stop >> %(log)s; echo {}"} ] } ]
  }}
"""
_OPENCODE = """{
  "$schema": "https://opencode.ai/config.json",
  // Mine, by hand.
\t"autoupdate" : false,
  "mcp": {"of theirs": {"type": "local", "command": ["not-there"], "enabled": false,},},
}
"""
_PLUGIN = """import {appendFileSync} from "node:fs"
export const Theirs = async () => ({
  "chat.message": async (input, output) => {
    const {id: messageID, sessionID} = output.message
    output.parts.push({id: "prt_theirs", messageID, sessionID, type: "text", text: "THEIR-HOOK", synthetic: true})
  },
  event: async ({event}) => { if (event.type === "session.idle") appendFileSync("%(log)s", "stop\\n") },
})
"""


def _codex(home: Path, names: Mapping[str, str]) -> dict[str, str]:
    start = {"hooks": [{"type": "command", "command": "echo THEIR-HOOK"}]}
    stop = {"hooks": [{"type": "command", "command": f"echo stop >> {names['log']}"}]}
    hooks = json.dumps({"hooks": {"SessionStart": [start], "Stop": [stop]}}, indent=3)
    return {".codex/config.toml": _CODEX, ".codex/hooks.json": hooks, ".codex/AGENTS.md": "THEIR-RULES  \n"}


def _gemini(home: Path, names: Mapping[str, str]) -> dict[str, str]:
    said = {"hookSpecificOutput": {"hookEventName": "BeforeAgent", "additionalContext": "THEIR-HOOK"}}
    return {
        "their-hook.json": json.dumps(said),
        ".gemini/settings.json": _GEMINI % names,
        ".gemini/GEMINI.md": "THEIR-RULES\r\n",
    }


def _opencode(home: Path, names: Mapping[str, str]) -> dict[str, str]:
    return {
        ".config/opencode/opencode.jsonc": _OPENCODE,
        ".config/opencode/plugin/theirs.js": _PLUGIN % names,
        ".config/opencode/AGENTS.md": "THEIR-RULES\n",
    }


def _copilot(home: Path, names: Mapping[str, str]) -> dict[str, str]:
    said = {"type": "command", "bash": f"cat {names['hook']}"}
    stop = {"type": "command", "bash": f"echo stop >> {names['log']}", "timeoutSec": 5}
    hooks = json.dumps({"version": 1, "hooks": {"sessionStart": [said], "agentStop": [stop]}}, indent=3)
    return {
        "their-hook.json": json.dumps({"additionalContext": "THEIR-HOOK"}),
        ".copilot/hooks/theirs.json": hooks,
        ".copilot/mcp-config.json": '{\n\t"mcpServers" : {"theirs": {"command": "false", "args": []}}\n}\n',
        ".copilot/copilot-instructions.md": "THEIR-RULES\n",
    }


_SETTINGS: Final[Mapping[str, Callable[[Path, Mapping[str, str]], dict[str, str]]]] = {
    "codex": _codex,
    "copilot": _copilot,
    "gemini": _gemini,
    "opencode": _opencode,
}
OTHERS: Final = tuple(_SETTINGS)


def settle(client: str, home: Path) -> dict[Path, bytes]:
    """Put the files of somebody who has the client into their home: each with its bytes."""
    names = {"log": str(home / "theirs.log"), "hook": str(home / "their-hook.json")}
    files = {home / name: text.encode() for name, text in _SETTINGS[client](home, names).items()}
    for path, data in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return files
