"""The plan in the issue: its phases as the checklist, ticks taken over, other words asked about."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from clew.app.plan.lifecycle import plan_write
from clew.app.project.opening import ProjectHandle
from clew.core.plan.plan import Plan
from tests.app.issue.desks import Desk, edit, issue_of
from tests.remotes.memory import Forge

_PLAN = """# Plan: tides for Brest

## Phase 1: Parser
- [x] Read the table
- [ ] Write the parser
- validate: `make test`
- budget: 50k

## Phase 2: Wiring
- [ ] Call it at night
- validate: `make test`
- budget: 50k
"""


@pytest.fixture
def forge() -> Forge:
    return Forge()


@pytest.fixture
def ada(tmp_path: Path, forge: Forge) -> Desk:
    desk = Desk(tmp_path / "ada", forge, "ada")
    desk.task()
    plan_write(ProjectHandle(desk.world.ports, desk.world.top), _PLAN)
    return desk


def _plan(desk: Desk) -> Plan:
    with desk.world.desk(write=False) as at:
        return at.plan()


def _status(forge: Forge) -> list[str]:
    body = issue_of(forge).body.partition("## Current status\n")[2].partition("\n\n")[0]
    return [row.partition(" <!--")[0] for row in body.split("\n")]


def _line(forge: Forge) -> str:
    found = re.search(r"- \[ \] Write the parser.*\n", issue_of(forge).body.replace("\r\n", "\n"))
    assert found is not None
    return found[0]


def test_the_checklist_is_the_plan(ada: Desk, forge: Forge) -> None:
    """Each phase with its steps behind it, in the plan's order."""
    ada.push()
    assert _status(forge) == [
        "- [ ] phase: 1. Parser",
        "- [x] Read the table",
        "- [ ] Write the parser",
        "- [ ] phase: 2. Wiring",
        "- [ ] Call it at night",
    ]
    assert ada.push().wrote == ()


def test_a_tick_in_the_issue_is_a_tick_in_the_plan(ada: Desk, forge: Forge) -> None:
    """And what is unticked is not done."""
    ada.push()
    edit(forge, "[ ] Write the parser", "[x] Write the parser")
    edit(forge, "[x] Read the table", "[ ] Read the table")
    ada.pull()
    assert [step.ticked for step in _plan(ada).phases[0].steps] == [False, True]
    assert ada.push().wrote == ("body",)
    assert ada.push().wrote == ()


def test_a_phase_is_done_by_its_checks_and_by_no_tick(ada: Desk, forge: Forge) -> None:
    """A tick of a phase is asked about, and the box is as it was."""
    ada.push()
    edit(forge, "[ ] phase: 1. Parser", "[x] phase: 1. Parser")
    done = ada.push()
    assert [one.did for one in done.took] == ["asked"]
    assert _status(forge)[0] == "- [ ] phase: 1. Parser"
    assert "checks passed" in issue_of(forge).body


def test_steps_below_a_step_stay_there(ada: Desk, forge: Forge) -> None:
    """Somebody parts a step in the issue; what is ticked, added and pushed afterwards leaves them where they are."""
    ada.push()
    edit(forge, _line(forge), _line(forge) + "  - [ ] dates\n    - [ ] leap years\n  - [x] heights\n")
    ada.pull()
    ada.push()
    below = [
        "- [ ] Write the parser",
        "  - [ ] dates",
        "    - [ ] leap years",
        "  - [x] heights",
        "- [ ] phase: 2. Wiring",
    ]
    assert _status(forge)[2:7] == below
    assert ada.push().wrote == ()
    edit(forge, "  - [ ] dates", "  - [x] dates")
    with ada.world.desk(write=False) as at:
        task = at.task()
    ada.state("step", "Ask the harbour", task=task)
    ada.push()
    assert [row for row in _status(forge) if row.startswith(" ")] == [
        row.replace("[ ] dates", "[x] dates") for row in below[1:4]
    ]
    assert ada.push().wrote == ()


def test_other_words_of_a_line_of_the_plan_are_asked_about(ada: Desk, forge: Forge) -> None:
    """The plan has a text of its own, which may be approved: both wordings stand in a question."""
    ada.push()
    edit(forge, "[ ] Call it at night", "[ ] Call it at noon")
    edit(forge, _line(forge), "")
    assert [one.did for one in ada.push().took] == ["asked", "asked"]
    assert [step.text for phase in _plan(ada).phases for step in phase.steps][1:] == [
        "Write the parser",
        "Call it at night",
    ]
    assert "Call it at noon" in issue_of(forge).body
    assert ada.push().wrote == ()


def test_another_clone_goes_on_with_the_checklist(ada: Desk, forge: Forge, tmp_path: Path) -> None:
    """As steps and phases; a tick there comes back as a tick in the plan here."""
    from clew.app.issue.resume import resume_issue

    ada.push()
    dan = Desk(tmp_path / "dan", forge, "dan")
    found = resume_issue(ProjectHandle(dan.world.ports, dan.world.top), dan.connect, "1")
    assert "1. Parser" in found.text and "Write the parser" in found.text
    assert found.task is not None
    (step,) = [name for name, text in dan.texts(found.task.id).items() if text == "Write the parser"]
    dan.say("item.edited", step, task=found.task.id, status="done")
    dan.push()
    ada.pull()
    assert [one.ticked for one in _plan(ada).phases[0].steps] == [True, True]
