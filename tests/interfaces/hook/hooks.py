"""An installed hook path: the user's data folder as `clew init` leaves it, and its command run as clients run it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import clew
from clew.app.install.entries import Machine, hook_command
from clew.core.runtime_dir import live_folder, session_folder

PACKAGE = Path(clew.__file__).parent
SHIM = PACKAGE / "interfaces" / "hook" / "clewhook.py"
SESSION = "ed70fd5f-82b4-48c1-8186-648e9118fce1"
EVENTS = (
    "SessionStart UserPromptSubmit PreToolUse PostToolUse PostToolUseFailure SubagentStop PreCompact Stop SessionEnd "
    "statusline"
).split()


class Said(NamedTuple):
    """How a hook ended: exit code, stdout, stderr."""

    code: int
    out: str
    err: str


SILENCE = Said(0, "", "")


# What a client sets for its hooks to the folder that it was started in; Codex nothing.
PLACES = {
    "claude-code": "CLAUDE_PROJECT_DIR",
    "copilot": "COPILOT_PROJECT_DIR",
    "gemini": "GEMINI_PROJECT_DIR",
    "opencode": "CLEW_PLACE",
}


class Hooks(NamedTuple):
    """A data folder with the shim in it, and a project that was opted in. `client` is whose hooks they are."""

    data: Path
    project: Path
    client: str = "claude-code"

    @property
    def live(self) -> Path:
        return Path(live_folder(str(self.data), str(self.project)))

    @property
    def session(self) -> Path:
        return Path(session_folder(str(self.live), SESSION))

    def command(self, event: str, *options: str) -> list[str]:
        """What a client starts; `options` are for the interpreter."""
        machine = Machine(self.data, sys.executable, (), SHIM, (), "")
        start = hook_command(machine)
        return [start.program, *options, *start.arguments, self.client, event]

    def environment(self) -> dict[str, str]:
        place = {PLACES[self.client]: str(self.project)} if self.client in PLACES else {}
        return {**place, "HOME": str(self.data.parent), "PATH": os.environ["PATH"]}

    def run(
        self,
        event: str,
        given: bytes | Mapping[str, Any] = b"",
        *,
        environment: Mapping[str, str] | None = None,
        options: Sequence[str] = (),
        wrapped_in: Sequence[str] = (),
    ) -> Said:
        """Run the hook of `event` with `given` on stdin; `wrapped_in` is a command that runs it."""
        done = subprocess.run(
            [*wrapped_in, *self.command(event, *options)],
            input=given if isinstance(given, bytes) else json.dumps(given).encode(),
            capture_output=True,
            env=self.environment() if environment is None else environment,
            cwd=self.project if self.client not in PLACES else None,
            timeout=60,
        )
        return Said(done.returncode, done.stdout.decode(), done.stderr.decode())

    def imports(self, event: str, given: bytes | Mapping[str, Any]) -> list[str]:
        """The modules that the hook of `event` imports, beyond those of a bare interpreter, in order."""
        said = self.run(event, given, options=["-X", "importtime"])
        bare = subprocess.run(
            [sys.executable, "-X", "importtime", "-I", "-S", "-c", "pass"], capture_output=True, text=True
        )
        found = re.findall(r"\| +([\w.]+)$", said.err, re.MULTILINE)
        return [name for name in found if name not in re.findall(r"\| +([\w.]+)$", bare.stderr, re.MULTILINE)]

    def traces(self) -> set[str]:
        """Every file in the live folder, by its path below it."""
        return {str(path.relative_to(self.live)) for path in self.live.rglob("*") if path.is_file()}


def installed(folder: Path, *, package: Path = PACKAGE.parent) -> Hooks:
    """The hook path in `folder`, for the package that lies in `package`; nothing of this needs a ledger."""
    hooks = Hooks(folder / "data" / "clew", folder / "shop")
    hooks.data.mkdir(parents=True)
    hooks.project.mkdir()
    put_shim(hooks.data, package)
    hooks.live.mkdir(parents=True)
    (hooks.live / "root").write_text(str(hooks.project))
    return hooks


def put_shim(data: Path, package: Path = PACKAGE.parent) -> None:
    """The shim into a data folder, and beside it where it finds the package."""
    import apsw

    shutil.copy(SHIM, data)
    (data / "package").write_text(f"{package}\n{Path(apsw.__file__).parents[1]}\n")


def called(hooks: Hooks, tool: str, given: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """An event of a tool call as Claude Code 2.1.330 sends it, with `more` or other fields."""
    return {
        "session_id": SESSION,
        "transcript_path": str(hooks.project.parent / "transcript.jsonl"),
        "cwd": str(hooks.project),
        "permission_mode": "default",
        "tool_name": tool,
        "tool_input": given,
        "tool_response": {"type": "text"},
        "tool_use_id": "toolu_8b8a38de1cc5403c85a9",
        "duration_ms": 12,
        **more,
    }


def prompted(hooks: Hooks, **more: Any) -> dict[str, Any]:
    """An event of a prompt as Claude Code 2.1.330 sends it, with `more` or other fields."""
    path = str(hooks.project.parent / "transcript.jsonl")
    return {"session_id": SESSION, "transcript_path": path, "cwd": str(hooks.project), "prompt": "go on", **more}


def response(tokens: int, *, model: str = "claude-sonnet-4-5", **more: Any) -> str:
    """A line of a transcript: a response of the main chain made from `tokens` tokens of context."""
    usage = {"input_tokens": 4, "cache_creation_input_tokens": 6, "cache_read_input_tokens": tokens - 10}
    message = {"id": "m1", "model": model, "role": "assistant", "content": [], "usage": {**usage, "output_tokens": 9}}
    return json.dumps({"type": "assistant", "isSidechain": False, "message": message, **more}) + "\n"
