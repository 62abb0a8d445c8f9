"""What works in which client, found out by a run: its hooks are installed and started as the client starts them, and
what its family passes of the suites is asked. The table in docs/clients/README.md is made from it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Final

from clew import wiring
from clew.app.hooks.receipts import receipts
from clew.app.install.entries import hook_command
from clew.app.install.setup import Choices, set_up
from clew.app.project.opening import ProjectHandle, open_project
from clew.clients.configured import ClientConfig, InstalledHook
from clew.clients.registry import CLIENTS
from clew.testing.readers import ReaderContract
from tests.app.worlds import project
from tests.recordings.sessions import Recorder

ROWS: Final = (
    "capture",
    "payload",
    "gate",
    "after a compaction",
    "receipts",
    "quiet when headless",
    "status line",
    "tools (MCP)",
    "go on in it",
)
_SESSION: Final = "00000000-0000-4000-8000-00000000ca9a"
_NEW: Final = "00000000-0000-4000-8000-00000000ca9b"
_STARTS: Final = ("SessionStart", "BeforeAgent", "UserPromptSubmit")
_GATES: Final = ("PreToolUse", "BeforeTool")
_TASK: Final = "Mind the tide"
_NO: Final = "no"
_SUMMARY: Final = "The tide is not ten yet."
# The line by which a record tells of a compaction, of clients that do not tell it to their hooks.
_COMPACTIONS: Final = {
    "copilot": {"type": "session.compaction_complete", "data": {"success": True, "summaryContent": _SUMMARY}},
    "gemini": {
        "$set": {
            "messages": [
                {"id": "c1", "type": "user", "content": [{"text": f"<state_snapshot>{_SUMMARY}</state_snapshot>"}]}
            ]
        }
    },
}


def capabilities(client: str, folder: Path) -> dict[str, str]:
    """What the client can do, by row; "no" for what it cannot. `folder` is an empty one to work in."""
    suite: type[ReaderContract] = import_module(f"tests.clients.{client.replace('-', '_')}.test_conformance").TestReader
    run = _Run(client, folder)
    events = [hook.event for hook in run.hooks]
    given = {name: run.said(name, CLEW_TASK=_TASK) for name in _STARTS if name in events}
    payload = next((name for name, said in given.items() if "leave the moon alone" in said), _NO)
    gate = next(
        (name for name in _GATES if name in events and "deny" in run.said(name, edits=".clew/config.toml")), _NO
    )
    # Told again, and not only that something may have been lost: what the summary left out.
    again = next(
        (name for name in given if "leave the moon alone" in run.said(name, compacted=True, CLEW_TASK=_TASK)), _NO
    )
    launcher = wiring.launchers()[client]
    return {
        "capture": "prompts, work, outcomes, compactions" if suite.compacted and suite.usage else _NO,
        "payload": payload,
        "gate": gate,
        "after a compaction": again,
        "receipts": _receipts(suite, run.receipted()),
        "quiet when headless": _NO if any("clew-data" in run.said(name, headless=True) for name in given) else "yes",
        "status line": "on request" if any(edited.extras for edited in run.parts.edited) else _NO,
        "tools (MCP)": "yes" if any(entry.key == "clew" for one in run.parts.edited for entry in one.entries) else _NO,
        "go on in it": f"`{' '.join((launcher.program, *launcher.arguments('…')))}`",
    }


def _receipts(suite: type[ReaderContract], noted: set[str]) -> str:
    """`noted`: the moments of which hooks wrote down what they gave, to look for it in the record."""
    if not suite.injected or not noted - {"compact"}:
        return _NO
    return "yes" if "compact" in noted else "yes, but not after a compaction"


def table(folder: Path) -> str:
    """The table of all clients. `folder` is an empty one to work in."""
    found = {client: capabilities(client, _made(folder / client)) for client in CLIENTS}
    rows = [f"| | {' | '.join(CLIENTS)} |", f"| --- |{' --- |' * len(CLIENTS)}"]
    rows += [f"| {row} | {' | '.join(found[client][row] for client in CLIENTS)} |" for row in ROWS]
    return "\n".join(rows) + "\n"


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


class _Run:
    """A user with that client alone, who ran `clew init` in a project with a task and one session of it."""

    def __init__(self, client: str, folder: Path) -> None:
        home = _made(folder / "home")
        self.top = project(folder / "tide", src__a_py="a = 1\n").top.resolve()
        self._environment = {"PATH": os.environ["PATH"], "HOME": str(home)}
        story = Recorder(self.top).user("Make the tide ten, and leave the moon alone").read("src/a.py", "a = 1\n")
        story.reply("The tide is not ten yet.").save(home)
        machine = wiring.machine(self._environment)
        (installer,) = (one for one in wiring.installers(self._environment) if one.name == client)
        self._client: ClientConfig
        (self._client,) = (one for one in wiring.configurations(self._environment) if one.name == client)
        choices = Choices(clients=(client,))
        ports = wiring.ports(self._environment)
        set_up(ProjectHandle(ports, self.top), machine, [installer], choices, find_program=lambda _: None)
        self._clew("task", "new", _TASK)
        self._clew("resume")  # the session counts for the task from now on
        self._config = folder / "client"
        self._record, self._text = self._client.recorded(session=_SESSION, place=self.top, config=self._config)
        self._record.parent.mkdir(parents=True)
        self._record.write_bytes(self._text)
        files = [(path, path.read_bytes()) for path in self._client.files(self.top) if path.is_file()]
        self.hooks: tuple[InstalledHook, ...] = self._client.read(files, self._environment).hooks
        self.parts = installer.user(hook_command(machine), status_line=True)

    def said(
        self, event: str, *, edits: str = "", headless: bool = False, compacted: bool = False, **variables: str
    ) -> str:
        """What the hook of `event` answers; `edits`: the file that the tool is about to write. `compacted`: the session
        that was heard before has just lost its context.
        """
        hook = next(one for one in self.hooks if one.event == event)
        # A session that has spoken goes on; only a new one is given everything.
        session = _SESSION if headless else _NEW
        trial = self._client.trial(event, session=session, place=self.top, config=self._config)
        told = json.loads(trial.given)
        environment = {**self._environment, **trial.environment, **variables}
        if headless:  # each client says so in a way of its own; Gemini CLI by having no terminal, as here
            told |= {"attended": False} if "attended" in told else {}
            environment["CLAUDE_CODE_SESSION_ATTENDED"] = "0"
            self._record.write_bytes(
                self._text.replace(b'"codex-tui"', b'"codex_exec"').replace(b'"user"}', b'"exec"}')
            )
        if compacted and "source" in told:
            told["source"] = "compact"
        elif compacted and self._client.name in _COMPACTIONS:  # no event tells
            change = json.dumps(_COMPACTIONS[self._client.name], separators=(",", ":"))
            record, _ = self._client.recorded(session=session, place=self.top, config=self._config)
            record.parent.mkdir(parents=True, exist_ok=True)  # a client may keep it by the session's id
            record.write_bytes((self._text if record == self._record else b"") + change.encode() + b"\n")
        given = json.dumps(told).replace("trial.txt", edits) if edits else json.dumps(told)
        done = subprocess.run(
            [hook.program, *hook.arguments],
            input=given.encode(),
            env=dict(environment),
            cwd=self.top,
            capture_output=True,
            timeout=60,
        )
        assert done.returncode == 0, (event, done.stderr)
        return done.stdout.decode()

    def receipted(self) -> set[str]:
        """The moments of which a text was noted, to be looked for in the record."""
        with open_project(wiring.ports(self._environment), self.top, write=False) as at:
            return {one.source for one in receipts(at)}

    def _clew(self, *arguments: str) -> None:
        program = [sys.executable, "-m", "clew", *arguments]
        subprocess.run(program, env=self._environment, cwd=self.top, check=True, capture_output=True)
