"""Which task a session counts for, where its place says nothing: the one that whoever started it named, or the one
whose file it edited first. No topic is guessed.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from clew.app.desk import Desk
from clew.app.hooking.places import is_set_aside, read_small, session_names, write_small
from clew.app.words import words_along
from clew.core.items import Item
from clew.core.live import SESSIONS

_TASK: Final = "task"


def note_named(folder: str, task: str) -> None:
    """Note in a session's live folder that whoever started it named `task` (its id; "" none)."""
    with suppress(OSError):
        if task:
            write_small(f"{folder}/{_TASK}", task)


def count_for_named(at: Desk, live: str) -> None:
    """Let sessions whose starter named a task count for it, as soon as they are in the ledger and count for none."""
    if not at.ledger.writable:
        return
    taken = at.ledger.taken()
    for session in session_names(live):
        folder = f"{live}/{SESSIONS}/{session}"
        task = "" if is_set_aside(folder) else _noted(f"{folder}/{_TASK}")
        if task and session in taken and not taken[session].task and at.task_of(task) is not None:
            [extract] = at.ledger.extracts(session=session)
            at.writer.append(words_along(at, extract, task))
            at.ledger.assign(session, task)


def bind_by_edit(at: Desk, session: str) -> str:
    """Bind this work tree and branch, if they are bound to no task, to the one open task whose file `session` edited
    first, and let the session count for it. The task's id, "" for none. An agent's word: any person's binding wins.
    """
    if at.task() or not at.ledger.writable:
        return ""
    extract = next(iter(at.ledger.extracts(session=session)), None)
    still_open = [one.id for one in at.tasks() if one.status == "open"]
    if extract is None or extract.task or not still_open:
        return ""
    if (extract.worktree, extract.origin.branch) != at.place:
        return ""
    edited = [item for item in extract.items if item.kind == "file" and item.status in ("edited", "committed")]
    if not edited:
        return ""
    files = {
        name: _files(entry.item for entry in at.known(name).values() if entry.standing == "live") for name in still_open
    }
    for item in sorted(edited, key=lambda item: item.place.at):
        owners = [name for name, paths in files.items() if item.text in paths]
        if len(owners) == 1:
            _bind(at, session, owners[0])
            return owners[0]
    return ""


def _noted(place: str) -> str:
    try:
        return read_small(place).strip()
    except OSError:
        return ""


def _files(items: Iterable[Item]) -> set[str]:
    """The files of a task: those that its items speak of."""
    return {path for item in items for path in (*item.files, *([item.text] if item.kind == "file" else []))}


def _bind(at: Desk, session: str, task: str) -> None:
    worktree, branch = at.place
    [extract] = at.ledger.extracts(session=session)
    place = at.writer.event("place.bound", {"worktree": worktree, "branch": branch, "task": task}, task="")
    at.writer.append([place, *words_along(at, extract, task)])
    at.ledger.assign(session, task)
