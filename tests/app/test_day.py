"""A day on one task: what several sessions left, as the next one is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.app.project.opening import ProjectHandle
from clew.app.resume.payload import resume
from tests.app.projects import World, open_task, state_item
from tests.recordings.sessions import Recorder

FAILED = "FAILED tests/test_price.py::test_half - assert 1 == 2\n1 failed, 4 passed in 0.12s"
PASSED = "5 passed in 0.12s"


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def session(world: World, hour: int) -> Recorder:
    """The session that began at this hour."""
    number = f"5e5510{hour:02}-0000-4000-8000-000000000001"
    return Recorder(world.top, session=number, start=f"2026-11-22T{hour:02}:00:00")


def told(world: World, *stories: Recorder, budget: int = 1000) -> str:
    """The payload after these sessions."""
    for story in stories:
        story.save(world.home)
    return resume(ProjectHandle(world.ports, world.top), budget_tokens=budget).document.text


def section(text: str, heading: str) -> list[str]:
    """The lines below a heading."""
    return text.partition(f"## {heading}\n")[2].partition("\n\n")[0].split("\n")


def test_what_was_asked_all_day_is_not_the_goal(world: World) -> None:
    """Every first prompt would be a goal for ever, in the place of what was found out."""
    with world.desk() as at:
        open_task(at, "Prices are rounded half up")
    begun = session(world, 1).user("look at it").read("src/a.py", "a = 1")
    begun.reply("`price()` in src/a.py rounds down since it truncates the amount to whole cents.")
    asked = [session(world, hour).user("what is price()?").reply("It gives the price of a cart.") for hour in (2, 3, 4)]
    fresh = session(world, 5).user("<command-name>/clew-fresh</command-name>").reply("What shall I do?")
    last = (
        fresh.user("Now round half up").edit("src/b.py", "a = 1", "a = 2", original="a = 1\n").reply("It rounds now.")
    )
    text = told(world, begun, *asked, last)
    assert ["- “Prices are rounded half up” — it began with: look at it"] == section(text, "Goal")
    assert "what is price()?" not in text and "clew-fresh" not in text
    assert any(
        row.startswith("- latest request: “Now round half up” → edited") for row in section(text, "Where we are")
    )
    assert "what is price()?" not in told(world, budget=400)
    assert "truncates the amount" in text


def test_a_check_that_failed_is_told_until_it_ran_again(world: World) -> None:
    """A session that edits and tests nothing would make a failing test forgotten."""
    with world.desk() as at:
        open_task(at, "Prices")
    first = session(world, 1).user("Round half up").edit("src/a.py", "a = 1", "a = 2", original="a = 1\n")
    first.run("pytest -q tests/test_price.py", FAILED, code=1).reply("One test still fails.")
    second = session(world, 2).user("Write the docs").write("docs.md", "# Prices\n")
    second.run("pytest -q tests/test_docs.py", PASSED).reply("They are written.")
    line = "- (verify first) ✗ failed, before the last edit: `pytest -q tests/test_price.py` — "
    assert any(one.startswith(line) for one in section(told(world, first, second), "Where we are"))
    third = session(world, 3).user("Go on with the cents").run("pytest -q tests/test_price.py", PASSED)
    third.run("pytest -q tests/test_docs.py", PASSED).reply("All is green.")
    assert "✗" not in told(world, third)


def test_the_clients_words_around_a_summary_are_no_facts(world: World) -> None:
    """They would stand in every later payload, and once more after each compaction."""
    with world.desk() as at:
        open_task(at, "Prices")
    summary = (
        "1. Primary Request and Intent:\n   Round prices half up.\n\n4. Errors and fixes:\n"
        "   - `quantize()` raised a TypeError{} a float was passed: convert with `Decimal(str(x))`.\n\n"
        "8. Current Work:\n   I was editing `src/a.py` to add the currency.\n\n"
        "9. Optional Next Step:\n   Add the currency to `price()` and run the tests.\n"
    )
    story = session(world, 1).user("Round half up").edit("src/a.py", "a = 1", "a = 2", original="a = 1\n")
    story.compaction(summary.format(" because")).reply("The rounding is in.").user("And the currency")
    story.edit("src/a.py", "a = 2", "a = 3", original="a = 2\n")
    story.compaction(summary.format(", since")).reply("The currency is in.")
    text = told(world, story, session(world, 2).user("Is it done?").reply("Yes."))
    for words in (
        "tools-used",
        "Summary:",
        "transcript",
        "without asking",
        "verbatim",
        "Resume directly",
        "Current Work",
    ):
        assert words not in text
    assert text.count("Decimal(str(x))") <= 1  # mended before the last edit: it may fall, and is never told twice
    assert "I was editing" not in text


def test_clews_own_commands_are_no_findings(world: World) -> None:
    """How clew was called says nothing about the project."""
    story = session(world, 1).user("Round half up")
    story.run('clew confirm "I continue"', "Error: it names nothing that only this goal is about", code=1)
    story.run('clew confirm "I round half up in src/a.py"', "Confirmed.")
    story.run(".venv/bin/clew lint", "1 problem", code=1).run(".venv/bin/clew lint HANDOFF.md", "0 problems")
    text = told(world, story.reply("I go on with `src/a.py` now, since it is confirmed."))
    assert "clew confirm" not in text and "clew lint" not in text


def test_what_somebody_said_is_next_comes_before_where_the_record_stops(world: World) -> None:
    """What clew makes of a record that breaks off is a guess."""
    with world.desk() as at:
        task = open_task(at, "Prices")
        state_item(at, "next", "Write the docs", task=task)
        state_item(at, "next", "Write the test", task=task)
    story = session(world, 1).user("Round half up").edit("src/a.py", "a = 1", "a = 2", original="a = 1\n")
    guess = "- Go on where the record stops; last act: Edit of src/a.py (done)"
    assert ["- “Write the test”", guess] == section(told(world, story), "Next action")
    world.clock.tick(7_200_000)  # it broke off before that
    with world.desk() as at:
        state_item(at, "next", "Round the tax, too", task=task)
    assert ["- “Round the tax, too”"] == section(told(world), "Next action")
