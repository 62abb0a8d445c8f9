"""What Codex gets: hooks, skills that the user calls by name, and on request the MCP server.

Where the client looks and what it does with it: docs/clients/codex.md, "Hooks". It runs no hook before the user has
accepted it, and asks again for one whose command has changed: so nothing in a command is of a version.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from clew.clients.codex.spec import SPEC
from clew.clients.installing import (
    ABOUT,
    ARGUMENTS,
    ON_PATH,
    SHELL,
    HookCommand,
    Installer,
    OwnFile,
    Parts,
    is_plugin,
    server_command,
    settings_of,
    slash_commands,
)
from clew.clients.registry import specs

_ACCEPT: Final = (
    "Codex runs no hook that you have not accepted. At its next start it says that hooks need review: look at those of "
    "clew under `/hooks` and accept them (`Trust all and continue` takes those of the repository as well). Until then, "
    "and in `codex exec` without a word, it skips them; `clew doctor` tells which."
)
_WORDS: Final = "(the words that the user wrote behind the skill's name)"
# The server, where the program is there and finds clew; else one without tools. Only what every shell has is used. "$1"
# is the program, "$@" starts the server.
_ANSWERS: Final = """\
if [ -x "$1" ] && "$1" -E -P -c 'import clew' 2>/dev/null; then exec "$@"; fi
while IFS= read -r l; do
  i=${l#*\\"id\\":}; i=${i%%[,\\}]*}; v=${l#*\\"protocolVersion\\":\\"}; v=${v%%\\"*}
  r='{"tools":[]}'
  case $l in
    *'"initialize"'*) s='{"name":"clew","version":"0"}'
      r="{\\"protocolVersion\\":\\"$v\\",\\"capabilities\\":{\\"tools\\":{}},\\"serverInfo\\":$s}" ;;
    *'"ping"'*) r='{}' ;;
    *'"id":'*) ;;
    *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$i" "$r"
done"""


class CodexInstaller(Installer):
    """What differs from other clients."""

    spec = SPEC
    hooks_file = "hooks.json"
    strict = True
    prefix = "$clew-"

    def server_entry(self, command: HookCommand) -> dict[str, Any]:
        """`required`: the first request waits until the server is ready, or its tools would be missing in the session.
        But then the client does not start where the server does not answer, so that a shell answers where clew is gone.

        A server gets no variable but a few of the system's own, and those that are named: they say where clew and the
        clients keep things, and which task a run is for.
        """
        start = server_command(command)
        return {
            "command": SHELL,
            "args": ["-c", _ANSWERS, "clew", start.program, *start.arguments],
            "env_vars": sorted(("CLEW_TASK", *(name for spec in specs() for name in spec.variables))),
            "required": True,
        }

    def texts(self, folder: Path, prefix: str) -> Iterator[OwnFile]:
        """Our commands as skills that only the user calls: the model is told of none."""
        for one in slash_commands():
            name = f"{prefix.removeprefix('$')}{one.name}"
            front = f"---\nname: {name}\ndescription: {one.description}\n---\n\n"
            place = folder / "skills" / name
            yield OwnFile(place / "SKILL.md", front + one.text.replace(ARGUMENTS, _WORDS))
            yield OwnFile(place / "agents" / "openai.yaml", "policy:\n  allow_implicit_invocation: false\n")

    def published(self, folder: Path, *, version: str) -> Parts:
        about = {"name": "clew", "version": version, "description": ABOUT, "skills": "./skills/"}
        server = {"command": "clew", "args": ["mcp"], "env_vars": self.server_entry(ON_PATH)["env_vars"]}
        files = {".codex-plugin/plugin.json": {**about, "mcpServers": "./.mcp.json"}, ".mcp.json": {"clew": server}}
        made = [OwnFile(folder / name, json.dumps(value, indent=2) + "\n") for name, value in files.items()]
        return Parts(self.name, (), (*made, *self.texts(folder, self.prefix)), self.is_ours, self.typed(self.prefix))

    def has_plugin(self) -> bool:
        known = settings_of(self.home / "config.toml").get("plugins")
        named = known if isinstance(known, dict) else {}
        return any(
            isinstance(one, dict) and one.get("enabled") is True for name, one in named.items() if is_plugin(name)
        )

    def notes(self) -> tuple[str, ...]:
        return (_ACCEPT,)


INSTALLER: Final = CodexInstaller
