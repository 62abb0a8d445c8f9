"""Regrouping: tasks joined to one, and sessions split off to a task of their own."""

from __future__ import annotations

from collections.abc import Sequence

from clew.app.project.opening import ProjectHandle
from clew.app.project.reading import find_task
from clew.app.project.session import Outcome, ProjectSession
from clew.app.tasks.lifecycle import (
    TITLE_CHARS_MAX,
    check,
    check_title,
    checked_title,
    done,
    moved_along,
    new_identity,
    require_session,
    session_named,
    whose,
)
from clew.app.tasks.words import words_along
from clew.core.errors import InputError
from clew.core.state.events import Event
from clew.core.state.extract import Extract
from clew.core.state.tasks import TaskPlace, bound
from clew.core.state.threads import title_of


def task_join(project: ProjectHandle, wanted: str, others: Sequence[str]) -> Outcome:
    """Make `others` part of the task `wanted`: their sessions count for it, what was noted in them holds in it, it is
    bound where they are bound, and they are closed.

    Raises `InputError` for a task that is over or joined to itself, and `NotAllowed` for an agent where one is a
    person's (as in `task_end`).
    """
    with project.open(write=True) as at:
        task = find_task(at, wanted)
        check(at, task, "bind")
        sources = [find_task(at, one) for one in others]
        if any(one.id == task.id for one in sources):
            raise InputError(
                f"{at.short(task.id)} cannot be joined to itself",
                code="E-task-state",
                hint="Name the task that goes on first, then those that become part of it.",
            )
        for source in sources:
            if why := whose(at, source):
                deed = f"join {at.short(source.id)} to another task ({why})"
                at.require_person("task", deed, "Ask the person you work for to join them.", of=source.id)
        moves = [moved_along(at, source, task.id, task.title) for source in {one.id: one for one in sources}.values()]
        places = [_bind(at, place, task.id) for source in sources for place in source.places]
        events = [*(event for moved in moves for event in moved.events), *places]
        names = ", ".join(one.title for one in sources)
        outcome = done(at, events, task.id, f"{names}: part of {{}} now, {task.title}", "clew task show {}")
        for moved in moves:
            moved.assign(at)
        return outcome


def task_split(project: ProjectHandle, sessions: Sequence[str], *, title: str = "") -> Outcome:
    """Open a task for these sessions (ids or beginnings of ids), called `title` or what they are about. It takes the
    place of the one that they are taken from where the last session of a place is among them.

    Raises as `task_adopt` for a session and as `task_new` for a title.
    """
    with project.open(write=True) as at:
        found = {one.origin.session: one for one in (session_named(at, name) for name in sessions)}
        extracts = sorted(found.values(), key=lambda one: (one.origin.first_time, one.origin.session))
        for extract in extracts:
            require_session(at, extract)
        name = checked_title(at, title or title_of(extracts)[:TITLE_CHARS_MAX])
        check_title(at, name)
        task = new_identity(at, name)
        events = [at.event("task.opened", {"task": task, "title": name}, task="", key=f"task:{task}")]
        events += [event for extract in extracts for event in words_along(at, extract, task)]
        events += [_bind(at, place, task) for place in _taken_over(at, extracts)]
        outcome = done(
            at, events, task, f"Opened {{}} for {len(extracts)} of the sessions: {name}", "clew task show {}"
        )
        for extract in extracts:
            at.assign(extract.origin.session, task, ())
        return outcome


def _taken_over(at: ProjectSession, extracts: Sequence[Extract]) -> list[TaskPlace]:
    """The places where the last session of the task that is bound there is one of `extracts`."""
    project = at.ledger.fold("").entities
    names = {one.origin.session for one in extracts}
    found: dict[TaskPlace, None] = {}
    for extract in extracts:
        place = TaskPlace(extract.worktree, extract.origin.branch)
        source = bound(project, *place)
        own = at.ledger.extracts(task=source, items=False)
        there = [one for one in own if (one.worktree, one.origin.branch) == place]
        if source and source == extract.task and there[-1].origin.session in names:
            found[place] = None
    return list(found)


def _bind(at: ProjectSession, place: TaskPlace, task: str) -> Event:
    return at.event("place.bound", {"worktree": place.worktree, "branch": place.branch, "task": task}, task="")
