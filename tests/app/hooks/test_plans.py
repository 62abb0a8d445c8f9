"""The plan in a session: whole after twenty compactions, and taken in where a person accepts one in the client."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.app.hooks.plan_taken import plan_taken
from clew.app.hooks.start_context import PLAN_UNITS_MAX
from clew.app.plan.lifecycle import plan_approve, plan_new, plan_write
from clew.app.plan.look import plan_show, plan_tick
from clew.app.project.opening import ProjectHandle
from clew.core.records.hook_events import CONTEXT_UNITS_MAX, SILENCE, Answer, HookEvent, units
from tests.app.hooks.hooked import NOW, OTHER, Hooked
from tests.app.projects import open_task, state_item

PLAN = (
    "# Fix the tide\n\n## Phase 1: Look\n\n-  [ ] Who calls `moon()`?\t \n\n\n* [ ]  Odd   blanks, ümläute, 🐎\n"
    "- validate: `python -m pytest -q`\n- budget: 50k\n"
)


@pytest.fixture
def world(tmp_path: Path) -> Hooked:
    world = Hooked(tmp_path)
    with world.desk() as at:
        open_task(at, "Fix the tide")
    world.start()
    return world


def approved(world: Hooked, text: str = PLAN) -> str:
    plan_new(ProjectHandle(world.ports, world.top), "Fix the tide")
    world.clock.tick()
    plan_write(ProjectHandle(world.ports, world.top), text)
    world.clock.tick()
    plan_approve(ProjectHandle(world.ports, world.top))
    return plan_show(ProjectHandle(world.ports, world.top)).text


def test_a_plan_is_whole_after_twenty_compactions(world: Hooked) -> None:
    assert PLAN == approved(world)
    told = set()
    for _ in range(20):
        world.clock.tick(60_000)
        (world.session() / "summary").write_text("We did something.", encoding="utf-8")
        text = world.start("compact").context
        assert f"\n{PLAN}</clew-data" in text
        told.add(text)
    plan_tick(ProjectHandle(world.as_agent, world.top), "1.1")
    assert PLAN.replace("-  [ ]", "-  [x]") in world.start("compact").context
    assert PLAN.replace("-  [ ]", "-  [x]") == plan_show(ProjectHandle(world.ports, world.top)).text


def test_a_long_plan_leaves_room_and_says_where_it_is_whole(world: Hooked) -> None:
    long = PLAN + "".join(f"\n## Phase {number}: Part\n\n- [ ] Do {'much ' * 200}\n" for number in range(2, 12))
    approved(world, long)
    with world.desk() as at:
        state_item(at, "constraint", "Never change the public API", task=at.task())
    text = world.start("compact").context
    assert "clew plan export" in text and "Who calls `moon()`?" in text and "public API" in text
    assert PLAN_UNITS_MAX < units(long) and units(text) < CONTEXT_UNITS_MAX
    assert long == plan_show(ProjectHandle(world.ports, world.top)).text


def test_a_cleared_session_gets_it_with_the_payload_and_a_resumed_one_what_changed(world: Hooked) -> None:
    approved(world)
    world.story(session=NOW, start="2026-11-22T00:10:00").save(world.home)
    world.clock.tick(1_800_000)
    world.end("stop")
    assert PLAN in world.start("clear", session=OTHER).context
    assert PLAN not in world.start("resume").context
    world.clock.tick(3_600_000)
    plan_tick(ProjectHandle(world.ports, world.top), "1.1")
    plan_write(ProjectHandle(world.ports, world.top), PLAN + "- tier: build\n")
    assert "tier: build" in world.start("resume").context


def test_the_next_action_is_the_next_step_of_an_approved_plan(world: Hooked) -> None:
    """A person said what is to be done: nobody has to be asked."""
    approved(world)
    assert "- Begin phase 1, Look: `clew phase start 1`" in _next(world).replace("“", "").replace("”", "")
    with world.desk() as at:
        phase = at.plan().phases[0]
        started = {"phase": phase.id, "attempt": 1, "tree": "0" * 40}
        at.append([at.event("phase.started", started, task=at.task())])
        failed = {"phase": phase.id, "attempt": 1, "tree": "1" * 40, "verdict": "failed", "counted": True}
        ran = at.event("validation.ran", {**failed, "failure": "1 == 2"}, task=at.task())
        at.append([ran._replace(provenance="verified")])
    text = _next(world)
    assert "1.1 Who calls" in text and "`clew phase done 1` was refused: 1 == 2" in text


def _next(world: Hooked) -> str:
    text = world.start("clear", session=OTHER).context
    return text.partition("## Next action\n")[2].partition("\n\n")[0]


def dialog(world: Hooked, text: str = PLAN, *, accepted: bool = True, agent: str = "") -> Answer:
    world.story(session=NOW).save(world.home)
    world.clock.tick()
    event = HookEvent(
        "claude-code", "after_tool", NOW, folder=str(world.top), plan=text, accepted=accepted, agent=agent
    )
    return plan_taken(world.hook(NOW), event, world.live)


def test_an_accepted_dialog_is_a_persons_approval(world: Hooked) -> None:
    plan_new(ProjectHandle(world.ports, world.top), "Fix the tide")
    world.clock.tick()
    said = dialog(world)
    shown = plan_show(ProjectHandle(world.ports, world.top))
    assert ("approved", PLAN) == (shown.mode, shown.text)
    assert "gives it back" in said.context and units(said.context) < 400
    assert SILENCE == dialog(world), "it is told once"


def test_open_questions_keep_an_accepted_plan_from_being_approved(world: Hooked) -> None:
    plan_new(ProjectHandle(world.ports, world.top), "Fix the tide")
    world.clock.tick()
    said = dialog(world, PLAN + "\n## Open questions\n\n- Does the moon count?\n")
    assert "planning" == plan_show(ProjectHandle(world.ports, world.top)).mode
    assert "1 of its questions" in said.context


def test_what_an_agent_proposes_does_not_replace_what_a_person_approved(world: Hooked) -> None:
    approved(world)
    said = dialog(world, "<proposed_plan>\n# Another\n\n- [ ] Something\n</proposed_plan>", accepted=False)
    assert PLAN == plan_show(ProjectHandle(world.ports, world.top)).text
    assert "did not keep" in said.context


def test_a_proposal_is_kept_where_there_is_no_plan(world: Hooked) -> None:
    dialog(world, "So:\n<proposed_plan>\n# Another\n\n- [ ] Something\n</proposed_plan>", accepted=False)
    shown = plan_show(ProjectHandle(world.ports, world.top))
    assert ("kept", "# Another\n\n- [ ] Something\n") == (shown.mode, shown.text)
