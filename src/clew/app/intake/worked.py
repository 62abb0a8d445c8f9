"""What a session's file tells of work: files that were edited, checks that passed behind an edit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from clew.app.intake.find import ProjectFolders, reader_at
from clew.app.ports import Ports
from clew.clients.port import Transcript
from clew.core.gate.shell import purposes
from clew.core.gate.shell.outcomes import outcome
from clew.core.records.transcript import Call, Context, Edit, Record, Result, Run
from clew.sessions.log import SessionLog
from clew.workspace.times import nanoseconds


class EditMade(NamedTuple):
    """An edit that was made, at a second, of the file at `path` below the top of its work tree. `folder` is where the
    session stood.
    """

    second: int
    folder: str
    path: str
    removed: str
    added: str


class ChecksPassed(NamedTuple):
    """So many checks passed that had not passed since the last edit."""

    second: int
    folder: str
    checks: int


def worked(ports: Ports, item: Transcript, project: ProjectFolders) -> Iterator[EditMade | ChecksPassed]:
    """What the session in a file did in `project`, in its order; nothing where it is no session's. Raises `OSError`."""
    reader = reader_at(item.path, ports.readers, client=item.client)
    if reader is None:
        return
    work = WorkFold(project)
    for record in SessionLog(item.path, reader):
        yield from work.of(record)


class WorkFold:
    """Goes through a session's records. Without a `project` every file that was edited counts, by its whole path."""

    def __init__(self, project: ProjectFolders | None) -> None:
        self._project = project
        self._folder = ""
        self._waiting: dict[str, list[Call]] = {}
        self._edits = 0
        self._checks = 0
        self._passed: dict[tuple[str, ...], int] = {}

    def of(self, record: Record) -> Iterator[EditMade | ChecksPassed]:
        """What a record tells."""
        if isinstance(record, Context):
            self._folder = record.cwd or self._folder
        elif isinstance(record, Call):
            same = [call for call in self._waiting.get(record.id, ()) if call.at == record.at]
            self._waiting[record.id] = [*same, record]
        elif isinstance(record, Result):
            for call in self._waiting.pop(record.call, ()):
                yield from self._returned(call, record)

    @property
    def passed(self) -> int:
        """How many checks passed so far that had not passed since the edit before them."""
        return self._checks

    def _returned(self, call: Call, result: Result) -> Iterator[EditMade | ChecksPassed]:
        action, second = call.action, (nanoseconds(result.time) or 0) // 1_000_000_000
        if isinstance(action, Edit) and result.outcome == "ok":
            path = path_in_project(action.path, self._folder, self._project)
            if path:
                self._edits += 1
                yield EditMade(second, self._folder, path, action.removed, action.added)
        elif isinstance(action, Run) and result.outcome in ("ok", "error"):
            fresh = [one for one in _passes(action.command, result) if self._passed.get(one, 0) < self._edits]
            self._passed.update(dict.fromkeys(fresh, self._edits))
            if fresh:
                self._checks += len(fresh)
                yield ChecksPassed(second, self._folder, len(fresh))


def _passes(command: str, result: Result) -> set[tuple[str, ...]]:
    """The checks of a shell line that passed, each by its words."""
    parts = purposes.split(command)
    ok = result.outcome == "ok"
    return {
        part.words
        for number, part in enumerate(parts)
        if part.purpose in purposes.CHECKS and outcome(parts, number, result.text, exit_ok=ok) == "passed"
    }


def path_in_project(path: str, folder: str, project: ProjectFolders | None) -> str:
    """A path below the top of the work tree that it is in; "" outside the project."""
    whole = Path(folder, path)
    if project is None:
        return whole.as_posix()
    tops = (top for top in (*project.names, *project.folders) if whole.is_relative_to(top))
    top = max(tops, key=lambda one: len(one.parts), default=None)
    return whole.relative_to(top).as_posix() if top is not None else ""
