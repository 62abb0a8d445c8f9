"""Items and what their names follow from."""

from __future__ import annotations

from typing import get_args

from clew.core.items import LETTERS, Item, Kind, Place, new_item

PLACE = Place("5e551011", 300, "Keep the API")


def made(kind: Kind = "constraint", text: str = "Keep the API", place: Place = PLACE, status: str = "") -> Item:
    return new_item(kind, text, client="claude-code", place=place, provenance="human", status=status)


def test_every_kind_has_a_letter_of_its_own() -> None:
    """Two kinds under one letter, and an id no longer tells what it names."""
    assert set(get_args(Kind)) == set(LETTERS)
    assert len(LETTERS) == len(set(LETTERS.values()))


def test_reading_twice_gives_the_same_id() -> None:
    """A session is read again at every resume: a new id each time would lose pins and edits."""
    assert made() == made()
    assert made().id.startswith("C-")


def test_a_changed_status_is_the_same_item() -> None:
    """A to-do that gets done must not turn up as another one."""
    assert made(status="open").id == made(status="done").id


def test_another_place_kind_or_text_is_another_item() -> None:
    """The same words said twice are two requests."""
    others = [
        made(place=PLACE._replace(at=400)),
        made(place=PLACE._replace(session="0ther")),
        made(kind="decision"),
        made(text="Keep the ABI"),
    ]
    assert len({made().id.partition("-")[2], *(item.id.partition("-")[2] for item in others)}) == 5
