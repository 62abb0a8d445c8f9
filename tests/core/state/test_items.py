"""Items and what their names follow from."""

from __future__ import annotations

from typing import get_args

from clew.core.state.items import LETTERS, Item, Kind, Place, new_item

PLACE = Place("5e551011", 300, "Keep the API")


def made(
    kind: Kind = "constraint", text: str = "Keep the API", place: Place = PLACE, status: str = "", time: str = ""
) -> Item:
    return new_item(kind, text, client="claude-code", place=place, provenance="human", status=status, time=time)


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


def test_a_copied_line_is_the_same_item() -> None:
    """Resumed, forked and moved sessions copy lines into other files: a pin would hold in one of them only."""
    said = "2026-03-02T09:00:20.123Z"
    here, there = PLACE, Place("f0f0", 7, "Keep the API")
    assert made(place=here, time=said).id == made(place=there, time=said).id
    assert made(place=here, time=said).id != made(place=here, time="2026-03-02T09:00:20.124Z").id
    assert made(place=here).id != made(place=there).id


def test_a_ledgers_key_is_not_in_the_id() -> None:
    """Placeholders carry a hash under the ledger's key: two ledgers would know one item under two ids."""
    keyed = made(text="Rotate [redacted:github:a1b2c3] today")
    assert keyed.id == made(text="Rotate [redacted:github:ffffff] today").id
    assert keyed.id == made(text="Rotate [redacted:github] today").id
    assert keyed.id != made(text="Rotate [redacted:aws:a1b2c3] today").id
