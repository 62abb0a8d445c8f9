"""What is live at a desk: the items of one task, now or as they were at a position of the ledger."""

from __future__ import annotations

from typing import Final

from clew.app.desk import Desk
from clew.core.items import Origin, State
from clew.core.view import state_of
from clew.secrets.scanner import PLACEHOLDER_OPEN

FILES_MAX: Final = 40


def live_state(desk: Desk, task: str, *, upto: int | None = None) -> State:
    """The live items of `task`, as they were at the position `upto` (None: now); with "" those of no task and of the
    newest session of none, since sessions of no task have nothing in common.
    """
    extracts = desk.ledger.extracts(task=task, upto=upto)
    return state_of(desk.stated(task, upto=upto), extracts if task else extracts[-1:], nowhere=nowhere(desk))


def nowhere(desk: Desk) -> Origin:
    """The origin of a state that no session left: this work tree."""
    return Origin("", "", str(desk.spot.root), desk.spot.branch, "", "", True, "")


def cited_files(state: State) -> list[str]:
    """Files that the items speak of, those of the most important items first, at most 40. Redacted names are none."""
    ordered = sorted(state.items, key=lambda item: item.rank)
    files = [path for item in ordered if item.kind == "file" for path in item.files]
    cited = [path for item in ordered for path in item.files]
    return [path for path in dict.fromkeys(files + cited) if PLACEHOLDER_OPEN not in path][:FILES_MAX]
