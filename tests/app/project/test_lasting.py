"""A task of many sessions: what lasts of the older ones is kept, and what is told of the task is the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.app.keeping.purge import purge
from clew.app.project.lasting import extracts_of, needs_all
from clew.app.project.lookup import live_state
from clew.app.project.session import ProjectSession
from clew.core.state.crowd import room_in
from clew.core.state.items import Item, State
from clew.core.state.projection import in_turn, state_of
from tests.app.projects import World, extract_of, open_task, read_item

SESSIONS = 100


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A task whose sessions each decided something, edited one of a few files, and ran a check that failed."""
    made = World(tmp_path)
    with made.desk() as at:
        task = open_task(at, "Tides")
        for number in range(SESSIONS):
            take_in(made, at, task, number)
    return made


def take_in(world: World, at: ProjectSession, task: str, number: int, extent: int = 100) -> None:
    extract = extract_of(world, *left(number), session=name(number), task=task, extent=extent)
    assert at.take_in(extract, unless_redacted_after=at.redact.upto)


def name(number: int) -> str:
    return f"s-{number:04}"


def left(number: int) -> Iterator[Item]:
    time = f"2026-11-{1 + number // 60:02}T10:{number % 60:02}:00.000Z"
    yield read_item("decision", f"Decided {number}", time, session=name(number), by="agent")
    yield read_item("file", f"src/{number % 7}.py", time, session=name(number), status="edited", at=1)
    yield read_item("validation", "`make check`", time, session=name(number), status="failed", at=2)


@pytest.fixture
def at(world: World) -> Iterator[ProjectSession]:
    with world.desk() as desk:
        live_state(desk, desk.task())
        yield desk


def whole(at: ProjectSession) -> State:
    """The state by all that the sessions left."""
    task = at.task()
    extracts = in_turn(at.ledger.extracts(task=task))
    return state_of(at.stated(task), extracts, nowhere=extracts[-1].origin)


def decided(at: ProjectSession, number: int) -> str:
    [item] = [one for one in whole(at).items if one.text == f"Decided {number}"]
    return item.id


def test_the_state_is_that_of_all_sessions_and_few_items_are_read_for_it(at: ProjectSession) -> None:
    """Most of what sessions left was overtaken by later ones."""
    assert whole(at) == live_state(at, at.task())
    read, everything = extracts_of(at, at.task()), at.ledger.extracts(task=at.task())
    assert sum(len(one.items) for one in read) < 0.6 * sum(len(one.items) for one in everything)


def test_it_stays_so_as_sessions_come_and_go_on(world: World, at: ProjectSession) -> None:
    """New ones, many at once, one that grows, and an old one that is gone on with."""
    for numbers, extent in ((range(100, 101), 100), (range(101, 140), 100), (range(139, 140), 200), (range(3, 4), 200)):
        for number in numbers:
            take_in(world, at, at.task(), number, extent)
        assert whole(at) == live_state(at, at.task())


def test_what_somebody_says_of_an_old_item_counts(at: ProjectSession) -> None:
    """Also of one that no state would tell any more."""
    task = at.task()
    old = next(one for one in at.ledger.extracts(session=name(5))[0].items if one.kind == "validation")
    assert old.id not in {item.id for item in live_state(at, task).items}
    at.append([at.event("item.pinned", {"item": old.id, "pinned": True}, task=task)])
    at.append([at.event("item.retracted", {"item": decided(at, 7), "reason": "no"}, task=task)])
    after = live_state(at, task)
    assert whole(at) == after
    assert [old.id] == [item.id for item in after.items if item.pinned]
    assert "Decided 7" not in {item.text for item in after.items}


def test_hand_offs_of_old_sessions_stand_in_place_of_what_rules_read_off_them(at: ProjectSession) -> None:
    """They are folded with their sessions, and anew when somebody says something of a claim."""
    task = at.task()
    for number in (9, 30, 31, 95):
        data = {
            "item": f"D-draft{number}",
            "kind": "decision",
            "text": f"Harbour{number} keeps tide{number}",
            "draft": f"W-{number}",
        }
        event = at.event("item.stated", data, task=task, said_at=f"2026-11-0{1 + number // 60}T10:59:00.000Z")
        at.append([event._replace(session=name(number), provenance="agent")])
        assert whole(at) == live_state(at, task)
    read = extracts_of(at, task)
    assert any(item.draft for one in read if one.is_part for item in one.items)
    assert not needs_all(at, at.stated(task, extracts=read), read)
    at.append([at.event("item.retracted", {"item": "D-draft30", "reason": "no"}, task=task)])
    assert whole(at) == live_state(at, task)


def test_with_room_for_some_the_others_are_counted(at: ProjectSession) -> None:
    """A start reads what a document can hold."""
    some, every = live_state(at, at.task(), room=room_in(30)), live_state(at, at.task())
    assert len(some.items) < len(every.items) == len(some.items) + sum(count for _, count in some.more)


@pytest.mark.parametrize("damage", [b"", b"{", b"\0" * 64])
def test_what_is_damaged_is_made_anew(at: ProjectSession, damage: bytes) -> None:
    """It can be deleted at any time."""
    [kept] = (at.location.ledger.parent / "cache").glob("*.lasting")
    kept.write_bytes(damage)
    assert whole(at) == live_state(at, at.task())


def test_what_was_redacted_is_in_it_no_more(world: World, at: ProjectSession) -> None:
    """Its words stand there as they stand in the ledger."""
    item, folder = decided(at, 7), at.location.ledger.parent / "cache"
    assert any(b"Decided 7" in one.read_bytes() for one in folder.iterdir())
    purge(world.by_person, item)
    with world.desk() as after:
        assert "Decided 7" not in {one.text for one in live_state(after, after.task()).items}
    assert not any(b"Decided 7" in one.read_bytes() for one in folder.iterdir())
