"""Which task a session counts for, whatever its place says: the one that whoever started it named."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from clew.app.intake.threads import let_go
from clew.app.project import ProjectSession
from clew.app.project.runtime_dirs import is_set_aside, read_small, session_names, write_small
from clew.core.runtime_dir import SESSIONS

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
