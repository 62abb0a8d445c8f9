"""Phases as stretches of time: when each attempt at one began and ended, and in which work tree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from clew.app.project.location import locate
from clew.app.project.opening import ProjectHandle
from clew.app.project.session import ProjectSession
from clew.core.state.events import Event
from clew.workspace.times import nanoseconds

_STARTS: Final = "phase.started"
_ENDS: Final = ("phase.done", "phase.stopped", "phase.reopened")
_FOREVER: Final = 1 << 62


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt at a phase: from second `since` on and before `until`, by the sessions of `task` in `worktree` (its
    top folder as the ledger names it). `name` is the phase's number and title, `about` its task, and how often it was
    tried.
    """

    phase: str
    task: str
    worktree: str
    since: int
    until: int
    name: str = ""
    about: str = ""


class Phases:
    """All attempts of a project, and which one a response counts for."""

    def __init__(self, attempts: Iterable[Attempt], tasks: Mapping[str, str]) -> None:
        """`tasks` leads from sessions to the tasks that the ledger has them for."""
        self._attempts = sorted(attempts, key=lambda one: -one.since)
        self._tasks = tasks

    def of(self, session: str, folder: str, at: int) -> Attempt | None:
        """The attempt that was under way when a session was answered, in its work tree or for its task; of several one
        to which both applies, then one in its work tree, then the one that began last. None for none.
        """
        task = self._tasks.get(session)
        best: tuple[int, Attempt | None] = (0, None)
        for one in self._attempts:
            if one.since <= at < one.until:
                fits = 2 * _within(folder, one.worktree) + (one.task == task)
                best = (fits, one) if fits > best[0] else best
        return best[1]


def phases_of(project: ProjectHandle) -> Phases:
    """The attempts of the project that `folder` is in; none where it keeps no ledger."""
    if not locate(project.folder).has_ledger:
        return Phases((), {})
    with project.open(write=False) as at:
        return phases_in(at)


def phases_in(at: ProjectSession) -> Phases:
    """The attempts of a project."""
    attempts = _named(at, _attempts(one.event for one in at.ledger.events(kinds=(_STARTS, *_ENDS))))
    return Phases(attempts, {one.origin.session: one.task for one in at.ledger.extracts()})


def _attempts(events: Iterable[Event]) -> list[Attempt]:
    """In any order of the events: an attempt ends with the first word on that, and none outlasts the next one."""
    starts: dict[tuple[str, int], Event] = {}
    ends: dict[tuple[str, int], int] = {}
    for event in events:
        phase, number = event.data.get("phase"), event.data.get("attempt")
        if not isinstance(phase, str) or not isinstance(number, int):
            continue
        key = phase, number
        if event.kind == _STARTS:
            if key not in starts or event.said_at < starts[key].said_at:
                starts[key] = event
        else:
            ends[key] = min(ends.get(key, _FOREVER), second_of(event.said_at))
    found = []
    for (phase, number), event in starts.items():
        follows = starts.get((phase, number + 1))
        until = min(ends.get((phase, number), _FOREVER), second_of(follows.said_at) if follows else _FOREVER)
        found.append(Attempt(phase, event.task, event.worktree, second_of(event.said_at), until))
    return found


def _named(at: ProjectSession, attempts: list[Attempt]) -> list[Attempt]:
    tasks = {one.task for one in attempts}
    short = at.ledger.shortest(list(tasks))
    plans = {task: at.plan(task) for task in tasks}
    named = []
    for one in attempts:
        phase = plans[one.task].with_id(one.phase)
        times = sum(other.phase == one.phase for other in attempts)
        about = short[one.task] + (f", {times} attempts" if times > 1 else "")
        name = f"{phase.number} {phase.title}" if phase else one.phase  # a plan that has it no more
        named.append(Attempt(one.phase, one.task, one.worktree, one.since, one.until, name, about))
    return named


def second_of(time: str) -> int:
    """Seconds since 1970 of a time as the ledger has it; 0 for none."""
    return (nanoseconds(time) or 0) // 1_000_000_000


def _within(folder: str, worktree: str) -> bool:
    return folder == worktree or folder.startswith(worktree.rstrip("/\\") + "/")
