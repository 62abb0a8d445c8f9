"""What came of the tokens: lines that stayed, checks that passed, by session, task and phase."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.app.cost.efficiency import Added, Efficiency, NameOutput, efficiency, surviving, telling
from clew.app.phase.lifecycle import phase_start
from clew.app.plan.lifecycle import plan_approve, plan_new, plan_write
from clew.app.project.opening import open_project
from tests.app.projects import World
from tests.recordings.sessions import Recorder

ONE, TWO = "5e551011-0000-4000-8000-000000000001", "7a772022-0000-4000-8000-000000000002"
TOKENS = 20_485


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def saved(world: World, story: Recorder, modified: float = 1_000) -> None:
    """Responses of two sessions have names of their own."""
    story.lines = [line.replace('"msg_', f'"{story.session[:4]}_') for line in story.lines]
    story.save(world.home, modified=modified)


def only(found: Efficiency) -> NameOutput:
    (one,) = found.parts
    return one


def test_lines_that_are_still_there_count(world: World) -> None:
    """Given edits of which one was thrown away later, what the work tree has is the output."""
    story = Recorder(world.top).user("Go").write("src/b.py", "b = 1\nc = 2\n}\n").write("src/gone.py", "x = 1\n")
    story.edit("src/b.py", "c = 2", "c = 3\nd = 4", original="b = 1\nc = 2\n")
    saved(world, story.reply("It is written."))
    (world.top / "src" / "b.py").write_text("b = 1\nc = 3\nd = 5\n")
    one = only(efficiency(world.by_person))
    assert (ONE, 4 * TOKENS, 5, 2) == (one.name, one.tokens, one.lines_added, one.lines)
    assert (round(2000 / one.tokens, 4),) == one.trend == (one.lines_per_1k,)


def test_what_was_there_before_is_nobody_s_output(world: World) -> None:
    """A file that is written whole holds mostly what it held."""
    story = Recorder(world.top, start="2099-01-01T00:00:00").user("Go").write("src/a.py", "a = 1\nb = 2\n")
    saved(world, story)
    (world.top / "src" / "a.py").write_text("a = 1\nb = 2\n")
    assert 1 == only(efficiency(world.by_person)).lines


def test_a_check_counts_once_for_what_was_changed_before_it(world: World) -> None:
    """Three runs of one passing test validate one change; one that failed, or ran before any edit, validates none."""
    story = Recorder(world.top).user("Go").run("pytest -q", "3 passed in 0.1s")
    story.write("src/b.py", "b = 1\n").run("pytest -q", "1 failed in 0.1s", code=1)
    for _ in range(3):
        story.run("pytest -q", "3 passed in 0.1s")
    story.write("src/c.py", "c = 1\n").run("pytest -q | tail -3", "3 passed in 0.1s").run(
        "ruff check", "All checks passed!"
    )
    saved(world, story)
    assert 3 == only(efficiency(world.by_person)).passes


def test_one_line_is_one_session_s(world: World) -> None:
    """The first that added it; the newest session stands first, the trend goes on to it."""
    for session, start, modified in ((ONE, "2026-03-02T09:00:00", 1_000), (TWO, "2026-03-03T09:00:00", 2_000)):
        story = Recorder(world.top, session=session, start=start).user("Go").write("src/b.py", "b = 1\n")
        saved(world, story, modified)
    (world.top / "src" / "b.py").write_text("b = 1\n")
    found = efficiency(world.by_person)
    assert [(TWO, 0), (ONE, 1)] == [(one.name, one.lines) for one in found.parts]
    assert (2, 1) == (found.total.sessions, found.total.lines)
    assert found.total.trend == (found.parts[1].lines_per_1k, 0.0)
    assert [TWO] == [one.name for one in efficiency(world.by_person, limit=1).parts]


PLAN = """\
# Fix the tide

## Phase 1: Add up

- [ ] Add up
- validate: `true`
"""


def test_by_phase_and_by_task(world: World) -> None:
    """What was done before a phase began is of none; clew's own validation of a changed tree counts, too."""
    world.ports = world.ports._replace(now_ms=world.clock.tick)
    plan_new(world.by_person, "Fix the tide")
    plan_write(world.by_person, PLAN)
    plan_approve(world.by_person)
    phase_start(world.by_person, "1", with_baseline=False)
    early = Recorder(world.top, session=ONE, start="2020-01-01T00:00:00").user("Go").write("src/b.py", "b = 1\n")
    later = Recorder(world.top, session=TWO, start="2090-01-01T00:00:00").user("Go").write("src/c.py", "c = 1\nd = 2\n")
    saved(world, early)
    saved(world, later, 2_000)
    (world.top / "src" / "b.py").write_text("b = 1\n")
    (world.top / "src" / "c.py").write_text("c = 1\nd = 2\n")
    with open_project(world.ports._replace(asking_session=TWO), world.top, write=True) as at:
        for tree, verdict in (("t1", "passed"), ("t1", "passed"), ("t2", "failed"), ("t2", "passed")):
            at.append([at.event("validation.ran", {"tree": tree, "verdict": verdict}, task=at.task())])
    parts = efficiency(world.by_person, by="phase").parts
    assert [("1 Add up", 2, 2), ("(no phase)", 1, 0)] == [(one.name, one.lines, one.passes) for one in parts]
    assert [("(no task)", 3)] == [(one.name, one.lines) for one in efficiency(world.by_person, by="task").parts]


def test_without_sessions_there_is_nothing(world: World) -> None:
    """And no error."""
    found = efficiency(world.by_person)
    assert ((), 0, 0.0) == (found.parts, found.total.tokens, found.total.lines_per_1k)


TEXTS = st.lists(st.sampled_from(["a = 1", "b = 2", "c = 3", "}", ""]), max_size=8).map("\n".join)


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=6), TEXTS)
def test_no_more_survives_than_was_added_or_is_there(edits: list[tuple[str, str]], now: str) -> None:
    """Whatever was edited."""
    added, there = Added(), telling(now)
    for removed, text in edits:
        added.edit(removed, text)
    assert 0 <= surviving(added.lines, Counter(there)) <= min(added.count, there.total())
