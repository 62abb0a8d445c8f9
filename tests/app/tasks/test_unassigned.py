"""Loose items: what stands somewhere for no task goes along with the task that is opened there."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.app.importing.documents import take_in
from clew.app.intake.source import read_source
from clew.app.ports import Ports
from clew.app.project import Outcome
from clew.app.project.opening import ProjectHandle
from clew.app.record.item import edit, retract
from clew.app.resume.payload import resume
from clew.app.tasks import lifecycle as tasks
from tests.app.recorders import Shop

HANDOFF = """# Handoff

## Goal

Make tide tables for Brest.

## Decisions

- Use SQLite because it is one file.

## Steps

- [x] read the grammar
- [ ] write the parser

## Next action

Fix `src/a.py`.
"""
LOOSE = ["Make tide tables for Brest.", "Fix src/a.py.", "read the grammar", "write the parser"]


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


def imported(shop: Shop) -> None:
    source = read_source(shop.repo.write("HANDOFF.md", HANDOFF), root=shop.top)
    take_in(ProjectHandle(shop.ada, shop.top), [source])


def opened(shop: Shop, title: str, *, by: Ports | None = None, **options: bool | str) -> Outcome:
    return tasks.task_new(
        ProjectHandle(by or shop.ada, shop.top, bool(options.pop("dry_run", False))), title, **options
    )  # type: ignore[arg-type]


def of(done: Outcome) -> str:
    assert done.task is not None
    return done.task.id


def test_what_was_imported_for_no_task_is_not_lost_when_one_is_opened(shop: Shop) -> None:
    """`clew status` advises `clew task new`, and right after it goal, steps and next action were gone."""
    imported(shop)
    done = opened(shop, "Tide tables")
    assert {*LOOSE, "Use SQLite"} == {text.replace("`", "") for text in shop.live(of(done))}
    assert any(note.startswith("4 items of no task that stood here go along") for note in done.notes)
    assert "Make tide tables for Brest" in resume(ProjectHandle(shop.ada, shop.top)).document.text


def test_it_goes_along_once(shop: Shop) -> None:
    """The next task does not begin with the last one's goal, nor does it come back when that one is closed."""
    imported(shop)
    first = of(opened(shop, "Tide tables"))
    tasks.task_end(ProjectHandle(shop.ada, shop.top), None, change="close")
    assert ["Use SQLite"] == shop.live("")
    second = opened(shop, "Another")
    assert not [note for note in second.notes if "go along" in note]
    assert ["Use SQLite"] == shop.live(of(second))
    assert 5 == len(shop.live(first))


def test_its_items_are_found_and_changed_where_they_are_now(shop: Shop) -> None:
    """An id that was noted before the task was opened is the item's id for ever."""
    step = shop.noted("next", "Write the parser")
    task = of(opened(shop, "Tide tables"))
    edit(ProjectHandle(shop.ada, shop.top), step, {"text": "Write the whole parser"})
    assert ["Write the whole parser"] == shop.live(task)
    retract(ProjectHandle(shop.ada, shop.top), step)
    assert [] == shop.live(task)


def test_a_new_next_action_takes_the_place_of_one_that_came_along(shop: Shop) -> None:
    """There is one of them at a time."""
    shop.noted("next", "Write the parser")
    task = of(opened(shop, "Tide tables"))
    shop.noted("next", "Test the parser")
    assert ["Test the parser"] == shop.live(task)


def test_who_said_what_stays(shop: Shop) -> None:
    """An agent that opens the task does not make a person's words its own, nor its own a person's."""
    shop.noted("next", "Write the parser")
    shop.noted("goal", "A parser", by=shop.bot)
    task = of(opened(shop, "Tide tables", by=shop.bot))
    said = {one.item.text: one.item.provenance for one in shop.known(task).values()}
    assert {"Write the parser": "human", "A parser": "agent"} == said


def test_nothing_goes_along_where_nobody_wants_it(shop: Shop) -> None:
    """A task that is bound to nothing, one that is to be empty, and a goal where another one was just said."""
    shop.noted("goal", "A parser")
    assert [] == shop.live(of(opened(shop, "One", bind=False)))
    assert [] == shop.live(of(opened(shop, "Two", empty=True)))
    assert ["A lexer"] == shop.live(of(opened(shop, "Three", goal="A lexer")))
    assert ["A parser"] == shop.live("")


def test_what_was_noted_in_another_work_tree_stays_there(shop: Shop, tmp_path: Path) -> None:
    """It was said of what goes on there."""
    other = tmp_path / "other"
    shop.repo.git("worktree", "add", "-q", "-b", "side", str(other))
    shop.noted("goal", "A parser")
    done = tasks.task_new(ProjectHandle(shop.ada, other), "Beside")
    assert [] == shop.live(of(done))
    assert ["A parser"] == shop.live(of(opened(shop, "Here")))


def test_a_rehearsal_takes_nothing_along(shop: Shop) -> None:
    """It says how many it would be."""
    shop.noted("goal", "A parser")
    done = opened(shop, "Tide tables", dry_run=True)
    assert any(note.startswith("1 item of no task that stood here goes along") for note in done.notes)
    assert ["A parser"] == shop.live("")
