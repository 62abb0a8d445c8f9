"""`clew show` with a ledger: how an item stands, who said what of it when, and the words it was read off."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clew.app.intake.ingest import ingest
from clew.app.look.log import log
from clew.app.look.show import Showing, show
from clew.app.project.opening import ProjectHandle, open_project
from clew.app.record.item import pin, retract
from clew.app.results import to_json
from clew.app.resume.payload import resume
from clew.app.tasks.lifecycle import task_adopt, task_new
from clew.core.errors import NotFound
from clew.interfaces.show_text import show_text
from tests.app.projects import World, extract_of, open_task, read_item, state_item
from tests.app.recorders import Shop
from tests.recordings.sessions import Recorder


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def story(world: World) -> Recorder:
    made = Recorder(world.top, start="2026-11-22T01:00:00").user("Fix the tide, and never touch the moon")
    filler = "It is so because of the tide. " * 60
    return made.reply(f"Decision: keep `moon()` in src/a.py because the loader needs it. {filler}")


def shown(world: World, name: str | None = None) -> Showing:
    return show(ProjectHandle(world.ports, world.top), name)


def test_an_item_of_the_payload_is_found_by_the_id_printed_there(world: World) -> None:
    """An id in a payload that finds nothing is worse than none."""
    path = story(world).save(world.home)
    found = resume(ProjectHandle(world.ports, world.top))
    assert found.ids
    for item in found.state.items:
        one = shown(world, found.ids[item.id])
        assert one.item is not None and item.id == one.item.id
        assert f"place    {path}:{one.line}" in show_text(one)


def test_all_of_the_words_come_from_the_record_while_it_is_there(world: World) -> None:
    """The ledger keeps a part; the record has the rest, until the client deletes it."""
    path = story(world).save(world.home)
    found = resume(ProjectHandle(world.ports, world.top))
    item = next(item for item in found.state.items if item.kind == "decision")
    there = shown(world, item.id)
    assert there.item is not None and len(there.item.quote) > 1500
    path.unlink()
    gone = shown(world, item.id)
    assert gone.item is not None and "moon()" in gone.item.quote and len(gone.item.quote) <= 600
    assert gone.file == "" and "its file is gone" in show_text(gone) and "moon()" in show_text(gone)


def test_what_became_of_an_item_is_told_in_order_with_who_said_it(world: World) -> None:
    """Why is it no longer in the payload, and who took it out?"""
    with world.desk() as at:
        task = open_task(at, "Fix the tide")
        item = state_item(at, "decision", "Keep the tide low", task=task, why="the harbour").data["item"]
        assert isinstance(item, str)
        for kind, data in (
            ("item.edited", {"text": "Keep the tide at one"}),
            ("item.pinned", {}),
            ("item.retracted", {"reason": "the harbour is gone"}),
        ):
            world.clock.tick(60_000)
            at.append([at.event(kind, {"item": item, **data}, task=task)])
        short = at.ledger.shortest([item])[item]
    found = shown(world, f"[{short.upper()}]")
    said = show_text(found)
    assert "text     Keep the tide at one" in said and "standing retracted: the harbour is gone" in said
    assert "said by  ada (a person)" in said and "task     Fix the tide" in said
    told = said.partition("What was said about it:")[2]
    places = [told.index(word) for word in ("noted decision: Keep the tide low", "reworded", "pinned", "retracted")]
    assert places == sorted(places) and 4 == told.count("[person ada]")
    shape = json.loads(to_json(found))
    assert ("retracted", "the harbour is gone") == (shape["item"]["standing"], shape["item"]["because"])
    assert ["item.stated", "item.edited", "item.pinned", "item.retracted"] == [one["kind"] for one in shape["history"]]


def test_the_list_has_what_is_over_as_well(world: World) -> None:
    """`clew show` is where one looks for what a document left out."""
    story(world).save(world.home)
    with world.desk() as at:
        task = open_task(at, "Fix the tide")
        item = state_item(at, "blocker", "The harbour is closed", task=task).data["item"]
        at.append([at.event("item.resolved", {"item": item, "outcome": "open"}, task=task)])
    found = shown(world)
    standings = {item.text: item.standing for item in found.items}
    assert "resolved" == standings["The harbour is closed"]
    assert any("moon()" in text for text in standings)
    assert {"live", "resolved"} == set(standings.values())


def test_tasks_and_checkpoints_are_shown_by_their_ids(world: World) -> None:
    """Ids are printed alike, so all of them are looked up alike."""
    from clew.app.record.checkpoint import take_checkpoint

    with world.desk() as at:
        task = open_task(at, "Fix the tide")
        state_item(at, "decision", "Keep the tide low", task=task, files=["src/a.py"])
    with open_project(world.ports, world.top, write=True) as rec:
        checkpoint = take_checkpoint(rec, name="half way")
    told = shown(world, task[:8])
    assert (
        "task     Fix the tide" in show_text(told)
        and "status   open" in show_text(told)
        and str(world.top) in show_text(told)
    )
    assert told.task is not None and task == told.task.id
    told = shown(world, checkpoint.id[:9].lower())
    assert "name     half way" in show_text(told) and "files    src/a.py" in show_text(told)
    assert told.checkpoint is not None and "half way" == told.checkpoint.name


def test_a_redacted_item_shows_no_words(world: World) -> None:
    """A tombstone has an id and nothing else."""
    from clew.app.keeping.purge import purge

    story(world).user("Never tell the word xylophone7 to anybody, it opens the door").save(world.home)
    with world.desk() as at:
        ingest(world.ports, at)
        [extract] = at.ledger.extracts()
    item = next(item for item in extract.items if "xylophone7" in item.text)
    purge(ProjectHandle(world.ports, world.top), item.id)
    try:
        told = show_text(shown(world, item.id))
    except NotFound as error:
        told = error.message + error.hint
    assert "xylophone7" not in told and "xylophone7" not in resume(ProjectHandle(world.ports, world.top)).document.text


def test_what_was_said_before_a_session_counted_for_its_task_is_told_once(tmp_path: Path) -> None:
    """A session is adopted and takes along what was said of its items: the same word does not stand there twice."""
    shop = Shop(tmp_path)
    item = read_item("risk", "The moon is near", "2026-11-22T01:00:00.000Z")
    with shop.desk() as at:
        at.ledger.take_in(extract_of(shop, item))
    pin(ProjectHandle(shop.ada, shop.top), item.id)
    task = task_new(ProjectHandle(shop.ada, shop.top), "Tide").task
    assert task is not None
    with shop.desk() as at:
        at.ledger.assign("s-1", task.id)
    retract(ProjectHandle(shop.ada, shop.top), item.id, why="it is far")

    def history() -> list[str]:
        return [line.words for line in show(ProjectHandle(shop.ada, shop.top), item.id).history]

    told = ["pinned: The moon is near", "retracted: The moon is near (it is far)"]
    assert told == history()
    assert told[:1] == [
        line.words for line in log(ProjectHandle(shop.ada, shop.top), every=True, kind="item.pinned").events
    ]
    moon = task_new(ProjectHandle(shop.ada, shop.top), "Moon").task
    assert moon is not None
    task_adopt(ProjectHandle(shop.ada, shop.top), "s-1")
    assert sorted(told) == sorted(history())
