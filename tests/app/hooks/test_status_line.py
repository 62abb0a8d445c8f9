"""The parts of the status line, as full programs leave them."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.app.hooks.session_task import keep_line
from clew.core.context.status_line import shown
from clew.core.state.items import Kind
from tests.app.hooks.hooked import Hooked
from tests.app.projects import open_task, state_item


@pytest.fixture
def world(tmp_path: Path) -> Hooked:
    """The project, opted in."""
    return Hooked(tmp_path)


def line(world: Hooked) -> str:
    """What the hook would show of what is kept now."""
    with world.desk() as at:
        keep_line(at, str(world.session()))
    parts = (world.session() / "line").read_text()
    return shown(parts, now_s=world.clock() // 1000, context_percent=None, broken=False)


def plan(world: Hooked, task: str, kind: Kind, text: str, status: str) -> None:
    """Somebody states a step or a phase of the task."""
    world.clock.tick()
    with world.desk() as at:
        state_item(at, kind, text, task=task, status=status)


def test_it_tells_the_task_and_its_phase(world: Hooked) -> None:
    """Which step is under way is what a person looks up most."""
    world.session().mkdir(parents=True)
    assert "" == line(world)
    with world.desk() as at:
        task = open_task(at, "Fix the tide")
    assert "Fix the tide" == line(world)
    plan(world, task, "step", "Write the parser", "in_progress")
    plan(world, task, "step", "Read the parser", "pending")
    assert "Fix the tide · Write the parser" == line(world)
    plan(world, task, "phase", "Parser", "in_progress")
    assert "Fix the tide · Parser" == line(world)


def test_parts_are_clean_and_of_one_line_each(world: Hooked) -> None:
    """A title from anywhere must not move the cursor of a terminal or pass for another part."""
    world.session().mkdir(parents=True)
    with world.desk() as at:
        open_task(at, "Re\x1b[2Jfunds\tin cents")
    assert "\x1b" not in line(world)
    assert 4 == len((world.session() / "line").read_text().split("\n"))
