"""A user who has installed clew, and a project of theirs with 200 guards: made by `clew init`, for `run.py`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.resume import transcript
from clew.clients.claude_code.spec import slug
from clew.core.runtime_dir import live_folder, session_folder

# One process for all of them: `clew reject --guard` would be started once for each.
_RECORD = """
import clew, json, sys
with clew.open() as project:
    for at, guard in enumerate(json.loads(sys.argv[1])):
        project.record("failed", f"Way {at} of doing it", why="it lost a cent", guard=[guard])
"""
_PLAN = """
import pathlib
from clew import wiring
from clew.app.project.opening import open_project
from clew.app.project.gates import refresh
ports = wiring.ports()
with open_project(ports, pathlib.Path.cwd(), write=True) as at:
    at.append([at.event("plan.opened", {"title": "Round refunds"}, task=at.task())])
    refresh(ports, at)
"""
_GATES = """
import pathlib
from clew import wiring
from clew.app.project.opening import open_project
from clew.app.project.gates import refresh
ports = wiring.ports()
with open_project(ports, pathlib.Path.cwd(), write=True) as at:
    refresh(ports, at)
"""
NOW = "ed70fd5f-82b4-48c1-8186-648e9118fce1"
EARLIER = "5e551011-0000-4000-8000-000000000001"


class Installed(NamedTuple):
    """Folders of a user and of a project below `home`; `commands` are those of Claude Code's settings, by event."""

    home: Path
    project: Path
    commands: Mapping[str, list[str]]

    def environment_of(self, client: str) -> dict[str, str]:
        """What a hook of the client finds around it."""
        own = {"claude-code": "CLAUDE_PROJECT_DIR", "gemini": "GEMINI_PROJECT_DIR", "opencode": "CLEW_PLACE"}
        place = {own[client]: str(self.project)} if client in own else {}
        return {**_environment(self.home), **place, "CLAUDE_CODE_ENTRYPOINT": "cli"}

    def command(self, client: str, event: str) -> list[str]:
        """The command of a hook. Those of all clients differ in their last two words."""
        if client == "claude-code":
            return self.commands[event]
        return [*self.commands["PreToolUse"][:-2], client, event]

    @property
    def live(self) -> Path:
        return Path(live_folder(str(self.home / ".local/share/clew"), str(self.project)))

    @property
    def session(self) -> Path:
        """The live folder of the session that runs now."""
        return Path(session_folder(str(self.live), NOW))

    @property
    def sessions(self) -> Path:
        """Where Claude Code keeps this project's sessions."""
        return self.home / ".claude" / "projects" / slug(str(self.project))

    def event(self, name: str, **more: Any) -> Path:
        """A file with an event as Claude Code 2.1.330 sends it, with `more` fields."""
        given = {
            "session_id": NOW,
            "transcript_path": str(self.sessions / f"{NOW}.jsonl"),
            "cwd": str(self.project),
            "permission_mode": "default",
            "hook_event_name": name,
            **more,
        }
        file = self.home / f"event-{len(list(self.home.glob('event-*')))}.json"
        file.write_text(json.dumps(given))
        return file


def install(folder: Path, clew: Path, *, guards: int) -> Installed:
    """Install with the program `clew` for a user whose home is `folder`, in a project with so many guards.

    One session of 4 MB of the project is not taken in yet.
    """
    project = folder / "shop"
    (folder / ".claude").mkdir()
    (folder / ".claude" / "settings.json").write_text("{}\n")
    (project / "src").mkdir(parents=True)
    (project / "src" / "cart.py").write_text("total = 0\n")
    _run(project, folder, "git", "init", "-q", "-b", "main")
    _run(project, folder, str(clew), "init", "--statusline")
    _run(project, folder, str(clew), "task", "new", "Refunds")
    shutil.copytree(project / ".git" / "clew", folder / "kept")
    _run(project, folder, sys.executable, "-c", _RECORD, json.dumps(_guards(guards)))
    settings = json.loads((folder / ".claude" / "settings.json").read_text())
    found = {
        event: [hook["command"], *hook["args"]]
        for event, groups in settings["hooks"].items()
        for hook in groups[0]["hooks"]
    }
    made = Installed(folder, project, {**found, "statusline": ["sh", "-c", settings["statusLine"]["command"]]})
    made.session.mkdir(parents=True)
    (made.session / "started").touch()
    made.sessions.mkdir(parents=True)
    earlier = made.sessions / f"{EARLIER}.jsonl"
    transcript.write(earlier, size_bytes=4 << 20, cwd=str(project), branch="main", start=datetime.now(UTC))
    return made


def open_plan(made: Installed, *, files: int) -> None:
    """Let a plan wait for approval in the project, whose work tree has so many more files."""
    for at in range(files):
        file = made.project / "lib" / f"part{at // 50}" / f"module_{at}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"NUMBER = {at}\n")
    _run(made.project, made.home, sys.executable, "-c", _PLAN)


def set_budget(made: Installed) -> None:
    """Let the session that runs, its day and its task have budgets; it has a record of 4 MB."""
    config = made.home / ".config" / "clew" / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text("[budget]\nsession_tokens = 900000000\nday_cents = 99999\ntask_tokens = 900000000\n")
    record = made.sessions / f"{NOW}.jsonl"
    transcript.write(record, size_bytes=4 << 20, cwd=str(made.project), branch="main", start=datetime.now(UTC))
    _run(made.project, made.home, sys.executable, "-c", _GATES)


def put_back(made: Installed) -> None:
    """Put the project's ledger back as it was before the guards, and before anything was taken in."""
    store = made.project / ".git" / "clew"
    shutil.rmtree(store)
    shutil.copytree(made.home / "kept", store)


def _run(project: Path, home: Path, *command: str) -> None:
    subprocess.run(command, cwd=project, env=_environment(home), check=True, capture_output=True)


def _environment(home: Path) -> dict[str, str]:
    return {"HOME": str(home), "PATH": os.environ["PATH"], "USER": "dev", "CLEW_TASK": "Refunds"}


def _guards(number: int) -> list[str]:
    """Guards of every sort."""
    patterns = ("command:make target-{}", "path:vendor/lib{}/*", "word:legacy_call_{}", "import old_module_{}")
    return [patterns[at % 4].format(at) for at in range(number)]
