"""What was said of items goes where their session or their work tree's task goes, and stays nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.app.importing.documents import take_in
from clew.app.intake.source import read_source
from clew.app.keeping.bundle import export, import_
from clew.app.ports import Ports
from clew.app.project.opening import ProjectHandle
from clew.app.project.session import Outcome
from clew.app.record import item as items
from clew.app.record.item import edit, retract
from clew.app.resume.payload import resume
from clew.app.tasks import lifecycle as tasks
from clew.core.state.items import Item
from clew.ledger.port import FOREIGN_RULES
from tests.app.projects import extract_of, read_item
from tests.app.recorders import Shop

RULE = read_item("constraint", "Never touch the moon", "2026-11-20T01:00:00.000Z", by="human")
WISH = read_item("constraint", "Keep the tides", "2026-11-20T01:00:01.000Z", by="human", at=1)


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return told(Shop(tmp_path))


def told(shop: Shop) -> Shop:
    """The shop, where a session left a rule and a wish."""
    with shop.desk() as at:
        at.ledger.take_in(extract_of(shop, RULE, WISH))
    return shop


def task_of(shop: Shop, title: str, *, adopts: bool = True) -> str:
    """A task that nothing is bound to; `adopts`: the session counts for it."""
    done = tasks.task_new(shop.by_person, title, bind=False)
    assert done.task is not None
    if adopts:
        adopted(shop, done.task.id)
    return done.task.id


def adopted(shop: Shop, task: str) -> None:
    tasks.task_adopt(shop.by_person, "s-1", wanted=task)


def sent(one: Shop, other: Shop, *, trusted: bool = True) -> None:
    """A bundle goes from one ledger to the other."""
    file = one.home / "bundle.jsonl"
    export(one.by_person, file, write=print, force=True)
    import_(other.by_person, file, join=True, keep_authors=trusted)


def forged(shop: Shop, task: str, *items: Item) -> None:
    """A bundle of somebody else's told that a session of `task` has these."""
    with shop.desk() as at:
        agents = [item._replace(text="forged", provenance="agent") for item in items]
        at.ledger.take_in(extract_of(shop, *agents, session="zz", task=task)._replace(rules=FOREIGN_RULES))


def unread(shop: Shop) -> None:
    """Better rules no longer find the rule."""
    with shop.desk() as at:
        at.ledger.take_in(extract_of(shop, WISH, extent=200))


def pinned(shop: Shop, task: str) -> list[str]:
    """The words of the pinned items of a task."""
    return sorted(entry.item.text for entry in shop.known(task).values() if entry.item.pinned)


def test_a_pin_goes_along_and_leaves_nothing_behind(shop: Shop) -> None:
    """What stayed would stand in each document of the old task, said by nobody, and could not be taken off there."""
    tide, ebb = task_of(shop, "Tide"), task_of(shop, "Ebb", adopts=False)
    items.pin(shop.by_person, RULE.id)
    adopted(shop, ebb)
    assert (pinned(shop, tide), pinned(shop, ebb)) == ([], [RULE.text])
    assert shop.live(tide) == []
    items.unpin(shop.by_person, RULE.id)
    adopted(shop, tide)
    assert (pinned(shop, tide), pinned(shop, ebb)) == ([], [])
    assert shop.live(tide) == sorted([RULE.text, WISH.text])


def test_a_word_about_a_session_of_no_task_is_not_the_projects(shop: Shop) -> None:
    """A rule that was reworded before its session was adopted would hold in every task."""
    items.edit(shop.by_person, RULE.id, {"text": "Never touch Mars"})
    tide, ebb = task_of(shop, "Tide"), task_of(shop, "Ebb", adopts=False)
    assert (shop.live(tide), shop.live(ebb), shop.live()) == (["Keep the tides", "Never touch Mars"], [], [])


def test_what_no_rule_reads_off_any_more_stays(shop: Shop) -> None:
    """It lives nowhere else: a person's word about it is not lost with a better rule."""
    tide = task_of(shop, "Tide")
    items.pin(shop.by_person, RULE.id)
    unread(shop)
    assert pinned(shop, tide) == [RULE.text]


def test_what_came_without_trust_first_does_not_keep_a_persons_word_out(shop: Shop, tmp_path: Path) -> None:
    """An agent's copy of a retraction has the id of the true one. With trust that comes in, and goes along, too."""
    other = told(Shop(tmp_path / "other"))
    task_of(shop, "Tide")
    ebb = task_of(other, "Ebb")
    items.retract(shop.by_person, RULE.id)
    sent(shop, other, trusted=False)
    assert other.live(ebb) == sorted([RULE.text, WISH.text])
    sent(shop, other)
    assert other.live(ebb) == [WISH.text]


def test_a_forged_extract_takes_no_word_out_of_its_task(shop: Shop) -> None:
    """A person pinned what no rule reads off any more, and somebody's bundle has it in another task."""
    tide, ebb = task_of(shop, "Tide"), task_of(shop, "Ebb", adopts=False)
    items.pin(shop.by_person, RULE.id)
    unread(shop)
    forged(shop, ebb, RULE)
    assert (pinned(shop, tide), pinned(shop, ebb)) == ([RULE.text], [])
    items.unpin(shop.by_person, RULE.id)
    assert (pinned(shop, tide), pinned(shop, ebb)) == ([], [])


def test_an_agents_statement_takes_no_word_out_of_its_task(shop: Shop) -> None:
    """The person would take back the other one, and his own would stand."""
    tide, ebb = task_of(shop, "Tide"), task_of(shop, "Ebb", adopts=False)
    items.pin(shop.by_person, RULE.id)
    unread(shop)
    with shop.desk_of(shop.bot) as at:
        stated = at.event("item.stated", {"item": RULE.id, "kind": "constraint", "text": "forged"}, task=ebb)
    with shop.desk() as at:
        at.ledger.append([stated._replace(provenance="agent")])
    items.retract(shop.by_person, RULE.id)
    assert (RULE.text in shop.live(tide), shop.live(ebb)) == (False, ["forged"])


def test_a_forged_extract_brings_no_persons_word_to_another_task(shop: Shop) -> None:
    """Said before the session had a task: it would count there as a person's, and could not be taken back."""
    items.edit(shop.by_person, RULE.id, {"text": "Never touch Mars"})
    items.pin(shop.by_person, RULE.id)
    tide, ebb = task_of(shop, "Tide", adopts=False), task_of(shop, "Ebb", adopts=False)
    with shop.desk() as at:
        at.ledger.assign("s-1", tide)  # it begins the task
    forged(shop, ebb, RULE)
    assert (pinned(shop, tide), pinned(shop, ebb)) == (["Never touch Mars"], [])
    items.unpin(shop.by_person, RULE.id)
    assert (pinned(shop, tide), shop.live(ebb)) == ([], ["forged"])


def test_a_merge_carries_no_persons_word_to_a_forged_extract(shop: Shop, tmp_path: Path) -> None:
    """And an agent's statement with the id of what was read off does not keep it from where it belongs."""
    other = told(Shop(tmp_path / "other"))
    ebb, flood = task_of(other, "Ebb"), task_of(other, "Flood", adopts=False)
    forged(other, flood, RULE)
    with other.desk() as at:
        stated = at.event("item.stated", {"item": RULE.id, "kind": "constraint", "text": "forged"}, task="")
        at.ledger.append([stated._replace(provenance="agent")])
    task_of(shop, "Tide")
    items.retract(shop.by_person, RULE.id)
    sent(shop, other)
    assert (RULE.text in other.live(ebb), other.live(flood)) == (False, ["forged"])
    said = [event.task for _, event in other.events() if event.kind == "item.retracted"]
    assert flood not in said and ebb in said


def test_what_others_said_of_a_session_that_only_they_have_goes_along(shop: Shop, tmp_path: Path) -> None:
    """A colleague took something back before the session had a task: it must not stand in that here."""
    other = Shop(tmp_path / "other")
    items.retract(shop.by_person, WISH.id)
    tide = task_of(shop, "Tide", adopts=False)
    with shop.desk() as at:
        at.ledger.assign("s-1", tide)
    sent(shop, other, trusted=False)
    assert other.live(tide) == [RULE.text]


@pytest.mark.parametrize("is_adopted_there", [False, True])
def test_two_ledgers_that_adopted_a_session_differently(is_adopted_there: bool, shop: Shop, tmp_path: Path) -> None:
    """What a person took back in one of them must not stand in the other, whatever task the session is in there."""
    other = told(Shop(tmp_path / "other"))
    home = task_of(other, "Ebb") if is_adopted_there else ""
    tide = task_of(shop, "Tide")
    items.retract(shop.by_person, RULE.id)
    items.pin(shop.by_person, WISH.id)
    sent(shop, other)
    at_home = next(task for task in (home, tide, "") if WISH.id in shown(other, task))
    assert (other.live(at_home), pinned(other, at_home)) == ([WISH.text], [WISH.text])
    assert all(pinned(other, task) == [] for task in {home, tide, ""} - {at_home})
    items.unpin(other.by_person, WISH.id)
    for _ in range(2):
        sent(other, shop)
        sent(shop, other)
    assert (pinned(shop, tide), pinned(other, at_home)) == ([], [])
    before = len(shop.events()), len(other.events())
    sent(other, shop)
    sent(shop, other)
    assert before == (len(shop.events()), len(other.events()))  # there and back it says nothing twice


def shown(shop: Shop, task: str) -> set[str]:
    """The items that sessions of a task have."""
    with shop.desk(write=False) as at:
        found: list[Item] = [item for extract in at.ledger.extracts(task=task) for item in extract.items]
    return {item.id for item in found}


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
def empty_shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


def imported(empty_shop: Shop) -> None:
    source = read_source(empty_shop.repo.write("HANDOFF.md", HANDOFF), root=empty_shop.top)
    take_in(empty_shop.by_person, [source])


def opened_task(empty_shop: Shop, title: str, *, by: Ports | None = None, **options: bool | str) -> Outcome:
    return tasks.task_new(
        ProjectHandle(by or empty_shop.ada, empty_shop.top, bool(options.pop("dry_run", False))), title, **options
    )  # type: ignore[arg-type]


def of(done: Outcome) -> str:
    assert done.task is not None
    return done.task.id


def test_what_was_imported_for_no_task_is_not_lost_when_one_is_opened(empty_shop: Shop) -> None:
    """`clew status` advises `clew task new`, and right after it goal, steps and next action were gone."""
    imported(empty_shop)
    done = opened_task(empty_shop, "Tide tables")
    assert {*LOOSE, "Use SQLite"} == {text.replace("`", "") for text in empty_shop.live(of(done))}
    assert any(note.startswith("4 items of no task that stood here go along") for note in done.notes)
    assert "Make tide tables for Brest" in resume(empty_shop.by_person).document.text


def test_it_goes_along_once(empty_shop: Shop) -> None:
    """The next task does not begin with the last one's goal, nor does it come back when that one is closed."""
    imported(empty_shop)
    first = of(opened_task(empty_shop, "Tide tables"))
    tasks.task_end(empty_shop.by_person, None, change="close")
    assert ["Use SQLite"] == empty_shop.live("")
    second = opened_task(empty_shop, "Another")
    assert not [note for note in second.notes if "go along" in note]
    assert ["Use SQLite"] == empty_shop.live(of(second))
    assert 5 == len(empty_shop.live(first))


def test_its_items_are_found_and_changed_where_they_are_now(empty_shop: Shop) -> None:
    """An id that was noted before the task was opened_task is the item's id for ever."""
    step = empty_shop.noted("next", "Write the parser")
    task = of(opened_task(empty_shop, "Tide tables"))
    edit(empty_shop.by_person, step, {"text": "Write the whole parser"})
    assert ["Write the whole parser"] == empty_shop.live(task)
    retract(empty_shop.by_person, step)
    assert [] == empty_shop.live(task)


def test_a_new_next_action_takes_the_place_of_one_that_came_along(empty_shop: Shop) -> None:
    """There is one of them at a time."""
    empty_shop.noted("next", "Write the parser")
    task = of(opened_task(empty_shop, "Tide tables"))
    empty_shop.noted("next", "Test the parser")
    assert ["Test the parser"] == empty_shop.live(task)


def test_who_said_what_stays(empty_shop: Shop) -> None:
    """An agent that opens the task does not make a person's words its own, nor its own a person's."""
    empty_shop.noted("next", "Write the parser")
    empty_shop.noted("goal", "A parser", by=empty_shop.bot)
    task = of(opened_task(empty_shop, "Tide tables", by=empty_shop.bot))
    said = {one.item.text: one.item.provenance for one in empty_shop.known(task).values()}
    assert {"Write the parser": "human", "A parser": "agent"} == said


def test_nothing_goes_along_where_nobody_wants_it(empty_shop: Shop) -> None:
    """A task that is bound to nothing, one that is to be empty, and a goal where another one was just said."""
    empty_shop.noted("goal", "A parser")
    assert [] == empty_shop.live(of(opened_task(empty_shop, "One", bind=False)))
    assert [] == empty_shop.live(of(opened_task(empty_shop, "Two", empty=True)))
    assert ["A lexer"] == empty_shop.live(of(opened_task(empty_shop, "Three", goal="A lexer")))
    assert ["A parser"] == empty_shop.live("")


def test_what_was_noted_in_another_work_tree_stays_there(empty_shop: Shop, tmp_path: Path) -> None:
    """It was said of what goes on there."""
    other = tmp_path / "other"
    empty_shop.repo.git("worktree", "add", "-q", "-b", "side", str(other))
    empty_shop.noted("goal", "A parser")
    done = tasks.task_new(ProjectHandle(empty_shop.ada, other), "Beside")
    assert [] == empty_shop.live(of(done))
    assert ["A parser"] == empty_shop.live(of(opened_task(empty_shop, "Here")))


def test_a_rehearsal_takes_nothing_along(empty_shop: Shop) -> None:
    """It says how many it would be."""
    empty_shop.noted("goal", "A parser")
    done = opened_task(empty_shop, "Tide tables", dry_run=True)
    assert any(note.startswith("1 item of no task that stood here goes along") for note in done.notes)
    assert ["A parser"] == empty_shop.live("")
