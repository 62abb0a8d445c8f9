"""The plan in the issue: its phases as the checklist, ticks taken over, words where they may be changed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from clew.app.plan.lifecycle import plan_approve, plan_write
from clew.app.project.opening import ProjectHandle
from clew.app.project.trust import login_thing, project_at, trust
from clew.core.plan.plan import Plan
from tests.app.issue.desks import Desk, edit, issue_of
from tests.app.projects import PERSON
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


def test_other_words_change_a_plan_that_nobody_approved(ada: Desk, forge: Forge) -> None:
    """Of a step, which keeps its tick, and of a phase; a line that was deleted goes."""
    ada.push()
    edit(forge, "[x] Read the table", "[x] Read the tables of 2025")
    edit(forge, "2. Wiring", "2. Wiring it in")
    edit(forge, _line(forge), "")
    ada.push()
    plan = _plan(ada)
    assert [phase.title for phase in plan.phases] == ["Parser", "Wiring it in"]
    assert [(step.text, step.ticked) for step in plan.phases[0].steps] == [("Read the tables of 2025", True)]
    assert _status(forge)[:2] == ["- [ ] phase: 1. Parser", "- [x] Read the tables of 2025"]
    assert ada.push().wrote == ()


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


def test_an_approved_plan_is_a_persons_to_change(ada: Desk, forge: Forge) -> None:
    """A stranger's words become a question; those of a trusted login count, and wait for approval."""
    plan_approve(ProjectHandle(ada.world.ports, ada.world.top))
    ada.push()
    edit(forge, "[ ] Call it at night", "[ ] Call it at noon", login="eve")
    ada.push()
    assert _plan(ada).phases[1].steps[0].text == "Call it at night"
    assert "Call it at noon" in issue_of(forge).body  # in the question
    trusted = login_thing(forge.host, "bea")
    trust(
        ada.world.ports.trust_store, project_at(ada.world.top), [trusted], said=PERSON, time="2026-11-25T10:00:00.000Z"
    )
    edit(forge, "[ ] Call it at night", "[ ] Call it at dawn", login="bea")
    ada.push()
    assert (_plan(ada).phases[1].steps[0].text, _plan(ada).mode) == ("Call it at dawn", "changed")


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
