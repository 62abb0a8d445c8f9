"""One task with very many items: what a person waits for a command, and a client for a session's start."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from benchmarks.ledger.material import Author
from clew.core.state.items import LETTERS, Kind
from clew.ledger.sqlite.opening import open_ledger

_CLEW = str(Path(sys.executable).with_name("clew"))
_KINDS: tuple[Kind, ...] = ("decision", "failed", "constraint", "finding", "question", "risk", "reminder", "deferral")


class Timed(NamedTuple):
    """Seconds on the clock and of the processor, the least of some runs; `bar_s` is what the clock may say."""

    what: str
    clock_s: float
    cpu_s: float
    bar_s: float


def timed(items: int, *, runs: int = 3) -> list[Timed]:
    """Session start, `decide`, and a `show` of an id that many begin with, in a task of so many items."""
    with tempfile.TemporaryDirectory() as folder:
        home, project = Path(folder, "home"), Path(folder, "project")
        (home / ".claude").mkdir(parents=True)
        project.mkdir()
        environment = {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}

        def run(command: Sequence[str], given: str = "") -> None:
            subprocess.run(
                command, cwd=project, env=environment, input=given, capture_output=True, text=True, check=False
            )

        run(["git", "init", "-q"])
        run([_CLEW, "init", "--client", "claude-code"])
        run([_CLEW, "task", "new", "a large task"])
        _fill(project / ".git" / "clew" / "ledger.db", items)
        hook = json.loads((home / ".claude" / "settings.json").read_text())["hooks"]["SessionStart"][0]["hooks"][0]
        start = [hook["command"], *hook["args"]]
        event = {"hook_event_name": "SessionStart", "source": "startup", "cwd": str(project), "transcript_path": ""}
        run([_CLEW, "decide", "the first one after an import folds all that came"])

        def least(what: str, command: Sequence[str], bar_s: float, *, is_start: bool = False) -> Timed:
            found = []
            for _ in range(runs):
                given = json.dumps({**event, "session_id": str(uuid.uuid4())}) if is_start else ""
                own = [*command, str(uuid.uuid4())] if what == "decide" else command
                before, began = os.times(), time.perf_counter()
                run(own, given)
                after = os.times()
                cpu = sum(after[2:4]) - sum(before[2:4])
                found.append((time.perf_counter() - began, cpu))
            return Timed(what, min(one for one, _ in found), min(one for _, one in found), bar_s)

        return [
            least("session start", start, 2.0, is_start=True),
            least("decide", [_CLEW, "decide"], 0.3),
            least("show of an id of many", [_CLEW, "show", "D-0"], 0.5),
            least("resume", [_CLEW, "resume"], 0.0),
        ]


def _fill(path: Path, items: int) -> None:
    author = Author()
    with closing(open_ledger(path, write=True)) as ledger:
        task = next(one.event.data["task"] for one in ledger.events(kinds=("task.opened",)))
        for start in range(0, items, 1000):
            batch = []
            for number in range(start, min(start + 1000, items)):
                kind = _KINDS[number % len(_KINDS)]
                data = {"item": author.name(LETTERS[kind]), "kind": kind, "text": author.text(), "why": author.text()}
                batch.append(author.event("item.stated", str(task), data)._replace(project=ledger.project))
            ledger.append(batch)
