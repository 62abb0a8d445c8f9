"""A task's stack: whose word it is, and what stands before a payload."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clew.app.project.opening import ProjectHandle
from clew.app.stack.build import StackText, before_payload, use_stack
from clew.app.tasks.lifecycle import task_end, task_new, task_show
from clew.core.errors import InputError, NotAllowed, NotFound
from clew.core.text.tokens import ESTIMATED
from tests.app.stack.test_build import Stacks

_PAYLOAD = "<clew-data 000000>\n# Goal\n\n" + "- a thing to know\n" * 20 + "</clew-data 000000>\n"


@pytest.fixture
def world(tmp_path: Path) -> Stacks:
    made = Stacks(tmp_path)
    made.add("files", "README.md", "src")
    task_new(made.by_person, "Tame the tide")
    return made


def _before(world: Stacks, **more: Any) -> StackText:
    given = {"budget": 0, "exit": "stdout", "at": lambda _: None, **more}
    return before_payload(world.by_person, world.given, "tides", _PAYLOAD, **given)


def test_a_task_has_the_stack_that_was_named_last(world: Stacks) -> None:
    """And none again, if somebody says so."""
    done = use_stack(world.by_person, "tides", "")
    assert done.task is not None and "tides" == done.task.stack == _stack(world)
    assert not use_stack(world.by_person, "tides", "tame the tide").changed
    use_stack(world.by_person, "", "")
    assert "" == _stack(world)


def _stack(world: Stacks) -> str:
    return task_show(world.by_person, None).task.stack


def test_what_a_person_chose_no_agent_changes(world: Stacks) -> None:
    """The other way round it does."""
    assert use_stack(world.by_agent, "tides", "").changed
    use_stack(world.by_person, "", "")
    with pytest.raises(NotAllowed):
        use_stack(world.by_agent, "tides", "")


def test_only_what_is_there_is_named(world: Stacks) -> None:
    """A stack that is not, a task that is over, no task at all."""
    with pytest.raises(NotFound):
        use_stack(world.by_person, "moons", "")
    assert use_stack(ProjectHandle(world.ports, world.top, dry_run=True), "tides", "").dry_run
    assert "" == _stack(world)
    task_end(world.by_person, None, change="close")
    with pytest.raises(InputError):
        use_stack(world.by_person, "tides", "Tame the tide")
    with pytest.raises(NotFound):
        use_stack(world.by_person, "tides", "")


@pytest.mark.parametrize("budget", [200, 300, 500, 5000])
def test_both_together_hold_the_joint_budget(world: Stacks, budget: int) -> None:
    """What stays of the stack is what the payload leaves."""
    (world.top / "src/long.py").write_text("x = 'some more of it'\n" * 300)
    found = _before(world, budget=budget)
    assert ESTIMATED.count(found.text + _PAYLOAD) <= found.tokens + ESTIMATED.count(_PAYLOAD) <= budget
    assert bool(found.text) == (budget > 200)


def test_a_stack_that_cannot_be_built_holds_no_payload_up(world: Stacks) -> None:
    """It is told why it is not there."""
    (world.top / ".clew/stacks/tides.toml").unlink()
    found = _before(world)
    assert ("", 0) == (found.text, found.tokens)
    assert "E-stack-missing" in found.notes[0]
    assert "E-stack-budget" in _before(world, budget=5).notes[0]
