"""Standing orders: what a person said holds at every start, whatever became of the work in which it was said."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.app.plan.lifecycle import plan_new
from clew.app.project.opening import ProjectHandle
from clew.app.record.item import pin, resolve
from clew.app.record.note import NewNote, note
from clew.app.tasks import lifecycle as tasks
from clew.core.records.hook_events import SILENCE
from clew.core.text.receipt import without_documents
from clew.core.text.tokens import estimate
from tests.app.hooks.hooked import EARLIER, NOW, OTHER, Hooked
from tests.app.projects import open_task, state_item


@pytest.fixture
def world(tmp_path: Path) -> Hooked:
    return Hooked(tmp_path)


def committed(world: Hooked, asked: str, *replies: str) -> None:
    """A session whose hooks ran: it was asked for something, did and committed it, and said so."""
    world.start(session=EARLIER)
    made = world.finished()
    made.lines[0] = made.lines[0].replace("Fix the tide in src/a.py", asked)
    for words in replies:
        made.reply(words)
    made.save(world.home)
    world.repo.write("src/a.py", "a = 2\n")
    world.repo.commit("Fix the tide")


def test_a_prohibition_outlives_the_commit_the_branch_and_the_compaction(world: Hooked) -> None:
    """A rule that ends with the work it was said in is none: the next session edits the file."""
    committed(world, "Fix the tide in src/a.py. Don't touch till/label.py until Mia is back.")
    first = world.start().context
    said = "- constraint: “Don't touch till/label.py until Mia is back.”"
    assert "nothing of it is loaded" in first and said in first
    assert said in world.start("compact").context != world.start("compact").context, "or the client drops it"
    world.repo.git("checkout", "-q", "-b", "feature")
    assert said in world.start(session="5e-3").context
    assert SILENCE == world.start("resume", session=EARLIER), "it has that in its context"


def test_the_first_session_is_told_what_was_noted_before_it(world: Hooked) -> None:
    """Nothing was ever done here."""
    with world.desk() as at:
        rule = str(state_item(at, "constraint", "Never push").data["item"])
        state_item(at, "file", "src/gen.py", status="off limits", why="generated")
        state_item(at, "decision", "Amounts are cents", locked=True)
        state_item(at, "decision", "Tabs")
    pin(ProjectHandle(world.ports, world.top), rule)
    text = world.start().context
    for row in ("- constraint: “Never push”", "src/gen.py", "“Amounts are cents”"):
        assert row in text
    assert "Tabs" not in text and estimate(text) < 150
    assert "push" not in without_documents(text), "it is known again for data of clew's"
    [receipt] = world.receipts()
    assert f"<clew-data {receipt.mark}>" in text


def test_nothing_is_told_twice(world: Hooked) -> None:
    """The payload has it."""
    with world.desk() as at:
        task = open_task(at, "Fix the tide")
        state_item(at, "constraint", "Never change the public API", task=task)
        state_item(at, "deferral", "Round later", task=task)
    world.story().save(world.home)
    text = world.start().context
    assert (1, 1) == (text.count("Never change the public API"), text.count("Round later"))
    assert "standing orders" not in text


def test_of_many_the_persons_and_the_newest_are_told_the_rest_by_id(world: Hooked) -> None:
    """A project gathers rules for years; a start has room for a few."""
    with world.desk() as at:
        state_item(at, "constraint", "The first rule of all")
    note(ProjectHandle(world.as_agent, world.top), NewNote("constraint", "An agent's rule"))
    with world.desk() as at:
        rules = []
        for number in range(700):
            world.clock.tick(1000)
            text = f"Rule {number} of many, each of them as long as rules mostly are"
            rules.append(at.event("item.stated", {"item": at.new_id("C"), "kind": "constraint", "text": text}, task=""))
        at.append(rules)
    text = world.start().context
    rows = [row for row in text.split("\n") if row.startswith("- ")]
    assert rows[0].startswith("- constraint: “Rule 699 ") and rows[1].startswith("- constraint: “Rule 698 ")
    assert "700 " not in rows[0] and "C-" in rows[-1] and "`clew show ID`" in rows[-1]
    assert int(rows[-1].split()[1].replace(",", "")) + len(rows) - 1 in range(700, 703)
    assert estimate(text) < 300


def test_what_an_agent_noted_holds_where_it_was_noted_and_a_closed_task_ends_its_rules(world: Hooked) -> None:
    """Another task's notes are about other work; the person who closes a task is done with what was said in it."""
    with world.desk() as at:
        task = open_task(at, "Fix the tide")
        rule = state_item(at, "constraint", "Keep the tide low", task=task)
    note(ProjectHandle(world.as_agent, world.top), NewNote("constraint", "The loader is slow"))
    assert "- The loader is slow" in world.start().context
    world.clock.tick()
    with world.desk() as at:
        open_task(at, "Paint the moon")
    text = world.start(session=OTHER).context
    assert "- constraint: “Keep the tide low” (said in “Fix the tide”)" in text and "loader" not in text
    resolve(ProjectHandle(world.ports, world.top), str(rule.data["item"]))
    assert "low" not in world.start(session="5e-3").context
    with world.desk() as at:
        state_item(at, "constraint", "Keep the ebb", task=task)
    tasks.task_end(ProjectHandle(world.ports, world.top), task, change="close")
    assert "ebb" not in world.start(session="5e-4").context


def test_while_planning_is_open_every_start_says_how_the_plan_is_handed_in(world: Hooked) -> None:
    """Else the agent learns it by being denied."""
    plan_new(ProjectHandle(world.ports, world.top), "Round refunds")
    for source, session in (("startup", NOW), ("compact", NOW), ("resume", NOW), ("startup", OTHER)):
        text = world.start(source, session=session).context  # type: ignore[arg-type]
        assert "agents may only read until a person approves it" in text
        assert "`clew plan edit -` or the tool `plan`" in text and "Ask first" in text
