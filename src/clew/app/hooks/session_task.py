"""What a session's live folder holds for later: which task the session counts for, whatever its place says (the one
that whoever started it named; none once it is set aside, `/clew-fresh`), and the parts of its status line.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from typing import Final

from clew.app.intake.sessions import ASIDE
from clew.app.intake.threads import let_go
from clew.app.project import runtime_dirs as places
from clew.app.project.location import locate
from clew.app.project.lookup import live_state
from clew.app.project.opening import ProjectHandle
from clew.app.project.runtime_dirs import PAYLOAD_TOKENS_MAX, is_set_aside, read_small, session_names, write_small
from clew.app.project.session import ProjectSession
from clew.app.record.checkpoint import last_checkpoint
from clew.core.context.status_line import pack
from clew.core.errors import LedgerError, NotFound
from clew.core.runtime_dir import SESSIONS
from clew.core.state.crowd import room_in
from clew.core.state.ids import short_session
from clew.core.state.items import Item
from clew.core.text.cleaning import clean, one_line

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


# The items that tell how far the work is.
_TELLING: Final = ("phase", "step", "next", "goal")


def keep_line(at: ProjectSession, folder: str, *, run: str = "") -> None:
    """Keep what the status line of the session with the live folder `folder` tells: the task that is bound here, its
    phase (or that it is being planned, or how a `run` of it stands), and when its last checkpoint was taken. A folder
    that cannot be written is left alone.
    """
    name = at.task()
    task = at.task_of(name)
    last = last_checkpoint(at.ledger, name)
    saved_s = int(datetime.fromisoformat(last.time).timestamp()) if last else 0
    is_planning = task is not None and at.has_plan(name) and at.plan(name).is_planning
    phase = run or ("planning" if is_planning else _phase(at, name) if task else "")
    parts = pack(task=_plain(task.title if task else ""), phase=_plain(phase), saved_s=saved_s)
    with suppress(OSError):
        write_small(f"{folder}/line", parts)


def _phase(at: ProjectSession, task: str) -> str:
    """What is being done of a task, by the part that a start shows; where that leaves out phases or steps, by all."""
    state = live_state(at, task, room=room_in(PAYLOAD_TOKENS_MAX))
    if any(item.kind in _TELLING and item.place.at < 0 for item, _ in state.more):  # of those read off the nearest are
        state = live_state(at, task, room=lambda sort: None if sort.kind in _TELLING else 0)
    return under_way(state.items)


def under_way(items: Iterable[Item]) -> str:
    """What is being done, of the live items of a task: the phase in progress that was last heard of; without one the
    step; "" for none.
    """
    planned = [item for item in items if item.kind in ("phase", "step") and item.status]
    if not planned:
        return ""
    from clew.documents.profiles import stage_of  # here: most starts know of no plan

    begun = (item for item in planned if stage_of(item) == "in progress")
    newest = max(begun, key=lambda item: (item.kind == "phase", item.time), default=None)
    return newest.text if newest is not None else ""


def _plain(text: str) -> str:
    return one_line(clean(text))
