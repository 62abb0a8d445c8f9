"""The log: what was recorded in words, filtered, and the state as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.app.look.log import EventLog, log, log_at
from clew.app.project.opening import open_project
from clew.app.record import item as items
from clew.app.record.checkpoint import take_checkpoint
from clew.app.tasks.lifecycle import task_end, task_new, task_rename, task_unbind
from clew.core.errors import InputError
from clew.core.state.events import KINDS, timestamp
from tests.app.recorders import Shop


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


def words(found: EventLog) -> list[str]:
    return [line.words for line in found.events]


def test_each_event_is_told_in_words_newest_last(shop: Shop) -> None:
    """Who reads the log wants to know what happened, not what a field was set to."""
    task_new(shop.by_person, "Tide")
    name = shop.noted("question", "How high?", why="the key\nis lost")
    items.answer(shop.by_agent, name, "ten")
    items.edit(shop.by_person, name, {"text": "How high is it?"})
    items.edit(shop.by_person, name, {"owner": "bob"})
    items.pin(shop.by_person, name)
    items.unpin(shop.by_person, name)
    items.resolve(shop.by_person, name, "known")
    items.restore(shop.by_person, name)
    new = items.supersede(shop.by_person, name, text="Is there one?", why="first things first").events[0]
    task_rename(shop.by_person, "Tide", "Ebb")
    task_unbind(shop.by_person)
    task_end(shop.by_person, "Ebb", change="drop", outcome="no tide")
    task_end(shop.by_person, "Ebb", change="reopen")
    found = log(shop.by_person)
    short = {line.subject: line.short_id for line in found.events}
    assert words(found) == [
        "opened the task: Tide",
        f"bound {shop.top} (main) to: Ebb",
        "noted question: How high? (the key is lost)",
        "answered: ten (How high?)",
        "reworded: How high is it?",
        "owner is now bob: How high is it?",
        "pinned: How high is it?",
        "unpinned: How high is it?",
        "resolved: How high is it? (known)",
        "restored: How high is it?",
        "noted question: Is there one? (first things first)",
        f"superseded by {short[str(new.data['item'])]}: How high is it? (first things first)",
        "renamed the task: Ebb",
        f"unbound {shop.top} (main)",
        "dropped the task: Ebb (no tide)",
        "opened the task again: Ebb",
    ]
    assert [line.provenance for line in found.events].count("agent") == 1


def test_no_kind_of_event_is_without_words(shop: Shop) -> None:
    """A kind that is added and forgotten here would be told by its name."""
    from clew.app.look.log import _words

    with shop.desk() as at:
        for kind, schema in KINDS.items():
            event = at.event(kind, dict.fromkeys(schema.required, "x"), task="")
            assert kind not in _words(event, "", {})


def test_an_event_of_a_newer_clew_is_shown_as_such(shop: Shop) -> None:
    """It is there, so the log says so; what it means is not guessed."""
    with shop.desk() as at:
        event = at.event("task.opened", {"task": "T-1", "title": "x"}, task="")
        at.ledger.append([event._replace(kind="moon.landed", v=7)])
    assert words(log(shop.by_person)) == ["moon.landed (an event of a newer clew, kept as it is)"]
    assert len(log(shop.by_person, kind="moon.landed").events) == 1


def test_of_one_task_or_of_all(shop: Shop) -> None:
    """The task that is bound here is meant, and its own opening belongs to it."""
    shop.noted("risk", "before")
    tide = task_new(shop.by_person, "Tide").task
    shop.noted("risk", "of the tide")
    task_new(shop.by_person, "Moon")
    shop.noted("risk", "of the moon")
    assert tide is not None
    here = log(shop.by_person)
    assert words(here)[-1] == "noted risk: of the moon"
    assert len(here.events) == 3
    assert len(log(shop.by_person, task="tide").events) == 3
    assert len(log(shop.by_person, every=True).events) == 7
    task_end(shop.by_person, "Moon", change="close")
    assert len(log(shop.by_person).events) == 8


def test_filters_and_the_limit(shop: Shop) -> None:
    """The newest ones, and it is said that there are more; a limit of 0 is none."""
    for number in range(7):
        shop.noted("risk", f"{number}")
    name = shop.noted("decision", "Use Decimal")
    items.retract(shop.by_person, name)
    found = log(shop.by_person, kind="risk", limit=3)
    assert (words(found), found.more) == ([f"noted risk: {number}" for number in (4, 5, 6)], True)
    assert not log(shop.by_person, kind="risk", limit=7).more
    assert len(log(shop.by_person, limit=0).events) == 9
    assert len(log(shop.by_person, kind="decision").events) == 2
    assert words(log(shop.by_person, kind="item.retracted")) == ["retracted: Use Decimal"]
    assert len(log(shop.by_person, kind="item").events) == 9


def test_many_events_are_found_across_the_windows_that_are_read(shop: Shop) -> None:
    """It reads backwards in pieces: none is lost or told twice where they meet."""
    with shop.desk() as at:
        at.append(
            [at.event("task.opened", {"task": f"T-{number}", "title": f"{number}"}, task="") for number in range(1500)]
        )
    found = log(shop.by_person, limit=1400)
    assert words(found) == [f"opened the task: {number}" for number in range(100, 1500)]
    assert found.more


@pytest.mark.parametrize(
    ("since", "texts"),
    [
        ("90m", ["new"]),
        ("3h", ["old", "new"]),
        ("2026-11-22", ["old", "new"]),
        ("2026-11-22T01:59Z", ["new"]),
        ("2026-11-22T02:59+01:00", ["new"]),
        ("2027-01-01", []),
    ],
)
def test_since(since: str, texts: list[str], shop: Shop) -> None:
    """As people say it: how long ago, a day, a moment."""
    assert "2026-11-22T00:00:00" <= timestamp(shop.clock.now_ms) < "2026-11-22T00:01"
    shop.noted("risk", "old")
    shop.clock.tick(2 * 3_600_000)
    shop.noted("risk", "new")
    assert words(log(shop.by_person, since=since)) == [f"noted risk: {text}" for text in texts]


@pytest.mark.parametrize("filters", [{"since": "yesterday"}, {"since": "5y"}, {"kind": "risks"}], ids=str)
def test_a_filter_that_means_nothing_is_an_error(filters: dict[str, str], shop: Shop) -> None:
    """An empty list would look like an answer."""
    with pytest.raises(InputError) as caught:
        log(shop.by_person, **filters)  # type: ignore[arg-type]
    assert caught.value.code == "E-log-filter"


def test_the_state_as_it_was_at_a_checkpoint(shop: Shop) -> None:
    """Whatever was said since, and only the items that counted then."""
    task_new(shop.by_person, "Tide")
    one, two = shop.noted("risk", "one"), shop.noted("risk", "two")
    items.retract(shop.by_person, two)
    with open_project(shop.ada, shop.top, write=True) as at:
        take_checkpoint(at, name="before lunch")
    items.retract(shop.by_person, one)
    items.restore(shop.by_person, two)
    shop.noted("risk", "three")
    found = log_at(shop.by_person, "before lunch")
    assert [item.text for item in found.items] == ["one"]
    assert found.name == "before lunch"
    assert shop.live(found.task) == ["three", "two"]


def test_words_of_others_do_no_harm_on_a_terminal(shop: Shop) -> None:
    """What came in by an import was cleaned by nobody."""
    with shop.desk() as at:
        event = at.event("task.opened", {"task": "T-1", "title": "x"}, task="")
        at.ledger.append([event._replace(data={"task": "T-1", "title": "a\x1b[31mb\nc\u202e"})])
    assert words(log(shop.by_person)) == ["opened the task: ab c"]


def test_an_edit_is_told_with_what_holds_since(shop: Shop) -> None:
    """That something was changed is no help to whoever looks for what."""
    put_off = shop.noted("deferral", "The moon", until="Monday")
    items.edit(shop.by_person, put_off, {"until": "Tues\x1b[31mday", "why": "x" * 100})
    firm = shop.noted("decision", "Ten it is")
    items.edit(shop.by_person, firm, {"locked": True})
    items.edit(shop.by_person, firm, {"locked": False, "text": "Eleven", "why": ""})
    told = [line.words for line in log(shop.by_person).events if line.kind == "item.edited"]
    assert told == [
        f"until is now Tuesday, why is now {'x' * 39}…: The moon",
        "locked: Ten it is",
        "reworded: Eleven, unlocked, why taken away",
    ]
