"""The parts of a session's status line, computed when something was imported, for the hook that prints it
(`core/context/status_line.py`).
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from typing import Final

from clew.app.project import ProjectSession
from clew.app.project.lookup import live_state
from clew.app.project.runtime_dirs import PAYLOAD_TOKENS_MAX, write_small
from clew.app.record.checkpoint import last_checkpoint
from clew.core.context.status_line import pack
from clew.core.state.crowd import Sort, room_in
from clew.core.state.items import Item
from clew.core.text.cleaning import clean, one_line

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
    if any(
        item.kind in _TELLING and item.place.at < 0 for item, _ in state.more
    ):  # of those read off, the newest are there
        state = live_state(at, task, room=_room)
    return under_way(state.items)


def _room(sort: Sort) -> int | None:
    return None if sort.kind in _TELLING else 0


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
