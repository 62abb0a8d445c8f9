"""Which task a session counts for, whatever its place says: the one that whoever started it named; and none, nor is it
given anything of earlier work, from when it is set aside (`clew fresh`, `/clew-fresh`).
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from clew.app.intake.sessions import ASIDE
from clew.app.intake.threads import let_go
from clew.app.project import ProjectSession, locate
from clew.app.project import runtime_dirs as places
from clew.app.project.opening import ProjectHandle
from clew.app.project.runtime_dirs import is_set_aside, read_small, session_names, write_small
from clew.core.errors import LedgerError, NotFound
from clew.core.runtime_dir import SESSIONS
from clew.core.state.ids import short_session

_TASK: Final = "task"


def note_named(folder: str, task: str) -> None:
    """Note in a session's live folder that whoever started it named `task` (its id; "" none)."""
    with suppress(OSError):
        if task:
            write_small(f"{folder}/{_TASK}", task)


def count_for_named(at: ProjectSession, live: str) -> None:
    """Let sessions whose starter named a task count for it, as soon as they are in the ledger and count for none, or
    only for the thread of their place.
    """
    if not at.ledger.writable:
        return
    taken = at.ledger.taken()
    for session in session_names(live):
        folder = f"{live}/{SESSIONS}/{session}"
        task = "" if is_set_aside(folder) else _noted(f"{folder}/{_TASK}")
        if not task or session not in taken or at.task_of(task) is None:
            continue
        there = at.task_of(taken[session].task)
        if task != taken[session].task and (there is None or there.thread):
            let_go(at, session, task)


def _noted(place: str) -> str:
    try:
        return read_small(place).strip()
    except OSError:
        return ""


def set_aside(project: ProjectHandle, data: str) -> str:
    """Mark the session that asks, wherever in the project of `folder` it was started; its id. `data` is the user's data
    folder. Raises `NotFound` where no session asks, or the one that asks is not known to the hooks.
    """
    session = project.ports.asking_session
    if not session:
        raise NotFound(
            "no session of a client runs this command",
            code="E-no-asking-session",
            hint="Run it inside of one (`/clew-fresh`); `CLEW_INJECT_ON=off` holds for a whole client.",
        )
    for live in places.live_folders(data, locate(project.folder)):
        if places.set_aside(live, session):
            record_aside(project, session)
            return session
    raise NotFound(
        f"no hook has seen the session {short_session(session)} in this project",
        code="E-no-asking-session",
        hint="Nothing was given to it then. `clew doctor` says whether the hooks run.",
    )


def record_aside(project: ProjectHandle, session: str) -> None:
    """Note it for the intake, where there is a ledger that can be written."""
    if not locate(project.folder).has_ledger:
        return
    with suppress(LedgerError), project.open(write=True, spool=False) as at:
        at.append([at.event(ASIDE, {"session": session}, task="")])
        taken = at.ledger.taken().get(session)
        if taken is not None and taken.task:
            let_go(at, session, "")
