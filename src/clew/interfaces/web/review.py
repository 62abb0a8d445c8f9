"""Decisions on the entries of a hand-off, kept on disk until it is written: a browser that is closed loses nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from clew.app.handoff.make import Draftlike
from clew.app.handoff.review import Choice, ReviewState, Row
from clew.app.ports import Ports
from clew.core.errors import InputError
from clew.interfaces.web.access import digest
from clew.workspace.atomic import alone, delete, private_folder, replace

_FOLDER: Final = "reviews"
_KEYS: Final = {"accept": "a", "cut": "c", "pin": "p", "gate": "g"}


class Decided(NamedTuple):
    """What was decided of an item whose words were `was`: a key of `_KEYS`, or "edit" with the new `text`."""

    item: str
    deed: str
    was: str
    text: str = ""


def load(ports: Ports, root: Path, task: str) -> list[Decided]:
    """What was decided so far, in the order in which it was."""
    with suppress(OSError, ValueError, TypeError):
        return [Decided(*map(str, row)) for row in json.loads(_file(ports, root, task).read_text("utf-8"))]
    return []


def decide(ports: Ports, root: Path, task: str, one: Decided) -> None:
    """Keep a decision, in the place of an earlier one on the same item. Raises `InputError` for one that is none."""
    if one.deed != "edit" and one.deed not in _KEYS:
        raise InputError(f"{one.deed[:20]} is not a decision", code="E-page-deed", hint="Load the page again.")
    file = _file(ports, root, task)
    private_folder(file.parent)
    with alone(file):
        _write(file, [*(other for other in load(ports, root, task) if other.item != one.item), one])


def undo(ports: Ports, root: Path, task: str) -> None:
    """Forget the last decision."""
    file = _file(ports, root, task)
    if decided := load(ports, root, task):
        with alone(file):
            _write(file, decided[:-1])


def forget(ports: Ports, root: Path, task: str) -> None:
    """Forget all decisions: the hand-off was written."""
    delete(_file(ports, root, task))


def standing(rows: Sequence[Row], decided: Sequence[Decided]) -> Mapping[int, Decided | None]:
    """By its number what was decided of each row; None where nothing was, and where its words are others by now."""
    by_item = {one.item: one for one in decided}
    found = {row.number: by_item.get(row.item.id) for row in rows}
    return {row.number: one if (one := found[row.number]) and one.was == row.item.text else None for row in rows}


def choices(draft: Draftlike, decided: Sequence[Decided]) -> list[Choice]:
    """What the decisions do to the hand-off; all else is accepted."""
    stands, state = standing(draft.rows, decided), ReviewState(draft.rows)
    for place, row in enumerate(draft.rows):
        one = stands[row.number]
        if one is not None:
            state.at = place
            _ = state.edited(one.text) if one.deed == "edit" else state.press(_KEYS[one.deed])
    return state.result()


def _write(file: Path, decided: Sequence[Decided]) -> None:
    replace(file, json.dumps(decided).encode(), mode=0o600)


def _file(ports: Ports, root: Path, task: str) -> Path:
    return ports.trust_store.parent / _FOLDER / f"{digest(str(root), task)[:32]}.json"
