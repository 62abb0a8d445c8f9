"""A plan from the first question to a person's approval, and who may say what on the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.app.plan.exchange import plan_export, plan_import
from clew.app.plan.lifecycle import plan_approve, plan_drop, plan_new, plan_reopen, plan_write
from clew.app.plan.look import plan_lint, plan_prompt, plan_show, plan_tick
from clew.app.plan.writing import questions
from clew.app.ports import Ports
from clew.app.project.opening import ProjectHandle
from clew.app.record.item import answer
from clew.core.errors import ClewError
from clew.core.state.items import Authority
from tests.app.projects import World, state_item
from tests.recordings.sessions import Recorder

PLAN = """\
# Fix the tide

## Questions

- Does the moon count?

## Phase 1: Look

- [ ] Write down who calls `moon()` in `src/a.py`
- validate: `python -m pytest -q`
- budget: 50k
- files: src/a.py

## Phase 2: Build

- [ ] Fix it in `src/a.py`
- [ ] Test it in `tests/test_a.py`
- validate: `python -m pytest -q`
- budget: 100k
- depends: 1
"""


class Ticking(World):
    """A world in which time goes on from one deed to the next."""

    def ports_of(self, authority: Authority) -> Ports:
        ports = super().ports_of(authority)

        def now_ms() -> int:
            return self.clock.tick()

        return ports._replace(now_ms=now_ms)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return Ticking(tmp_path)


def refused(code: str, deed: object) -> str:
    assert callable(deed)
    with pytest.raises(ClewError) as raised:
        deed()
    assert code == raised.value.code, raised.value.message
    return raised.value.message


def mode(world: World) -> str:
    return plan_show(world.by_person).mode


def test_from_the_first_question_to_approval(world: World) -> None:
    """A person opens planning, an agent writes, a person answers and approves."""
    plan_new(world.by_person, "Fix the tide", template_name="phased")
    shown = plan_show(world.by_person)
    assert ("planning", [50_000, 200_000, 100_000, 50_000]) == (shown.mode, [one.budget_tokens for one in shown.phases])
    refused("E-plan-unfit", lambda: plan_approve(world.by_person))
    done = plan_write(world.by_agent, PLAN)
    assert done.next == "clew plan questions"
    asked = questions(world.by_person)
    assert (["Does the moon count?"], 1) == ([one.text for one in asked.questions], asked.open)
    assert asked.questions[0].blocking
    refused("E-plan-questions", lambda: plan_approve(world.by_person))
    answer(world.by_person, asked.questions[0].id, "It does")
    refused("E-not-a-person", lambda: plan_approve(world.by_agent))
    assert mode(world) == "planning"
    plan_approve(world.by_person)
    assert mode(world) == "approved"


def approved(world: World) -> None:
    plan_new(world.by_person, "Fix the tide")
    plan_write(world.by_person, PLAN.replace("Does the moon count?", "Does the moon count? → it does"))
    plan_approve(world.by_person)


def test_what_a_person_approved_an_agent_changes_only_when_planning_is_open_again(world: World) -> None:
    approved(world)
    other = PLAN + "\n## Phase 3: And delete the rest\n\n- [ ] `rm -r src`\n"
    refused("E-plan-approved", lambda: plan_write(world.by_agent, other))
    plan_reopen(world.by_agent, why="one phase is missing")
    plan_write(world.by_agent, other)
    assert mode(world) == "planning"
    refused("E-not-a-person", lambda: plan_drop(world.by_agent))
    plan_drop(world.by_person)
    assert mode(world) == "dropped"
    assert any("had been dropped" in note for note in plan_approve(world.by_person).notes)


def test_a_person_who_changes_an_approved_plan_approves_it_again(world: World) -> None:
    approved(world)
    done = plan_write(world.by_person, PLAN.replace("100k", "200k"))
    assert mode(world) == "changed" and any("approved again" in note for note in done.notes)


def test_phases_and_ticks_outlive_an_edit(world: World) -> None:
    """A phase that is reworded is the same phase; so are its steps that stay."""
    approved(world)
    plan_tick(world.by_agent, "2.1")
    before = plan_show(world.by_person)
    assert before.text == before.text.replace("- [ ] Fix it", "- [x] Fix it")
    edited = before.text.replace("## Phase 2: Build", "## Phase 2: Fix").replace("- [ ] Test", "- [ ] First test")
    plan_write(world.by_person, edited)
    after = plan_show(world.by_person)
    assert before.phases[0].id == after.phases[0].id
    assert [step.ticked for step in after.phases[1].steps] == [True, False]
    plan_write(world.by_person, after.text.replace("[x] Fix", "[ ] Fix"))
    assert not plan_show(world.by_person).phases[1].steps[0].ticked


def test_an_agents_answer_in_the_text_counts_when_a_person_approves_it(world: World) -> None:
    plan_new(world.by_person, "Fix the tide")
    told = PLAN.replace("Does the moon count?", "Does the moon count? → it does")
    plan_write(world.by_agent, told)
    assert questions(world.by_person).open == 1
    plan_approve(world.by_person)
    assert questions(world.by_person).open == 0


def test_at_most_five_questions_at_a_time(world: World) -> None:
    plan_new(world.by_person, "Fix the tide")
    many = "\n".join(f"- Question {number}?" for number in range(7))
    plan_write(world.by_agent, PLAN.replace("- Does the moon count?", many))
    asked = questions(world.by_person)
    assert (5, 7) == (len(asked.questions), asked.open)


def test_what_cannot_be(world: World) -> None:
    refused("E-no-plan", lambda: plan_show(world.by_person))
    refused("E-plan-template", lambda: plan_new(world.by_person, "T", template_name="x"))
    approved(world)
    refused("E-plan-there", lambda: plan_new(world.by_person, "Another"))
    refused("E-phase-no-step", lambda: plan_tick(world.by_person, "1.9"))
    refused("E-phase-no-phase", lambda: plan_tick(world.by_person, "9.1"))
    refused("E-plan-text", lambda: plan_write(world.by_person, " \n"))
    refused("E-plan-text", lambda: plan_write(world.by_person, "x" * 300_000))


def test_a_dry_run_keeps_nothing(world: World) -> None:
    assert plan_new(ProjectHandle(world.ports, world.top, dry_run=True), "Fix the tide").changed
    refused("E-no-plan", lambda: plan_show(world.by_person))
    plan_new(world.by_person, "Fix the tide")
    plan_write(ProjectHandle(world.ports, world.top, dry_run=True), PLAN)
    assert "<one thing to do" in plan_show(world.by_person).text


def test_secrets_are_not_kept(world: World) -> None:
    plan_new(world.by_person, "Fix the tide")
    secret = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    plan_write(world.by_person, f"{PLAN}\nToken: {secret}\n")
    assert secret not in plan_show(world.by_person).text


def test_lint_and_names(world: World) -> None:
    text = (
        PLAN.replace("- budget: 100k\n", "")
        .replace("Fix it in", "matching done")
        .replace(" `src/a.py`\n- [ ] T", "\n- [ ] T")
    )
    found = plan_lint(world.by_person, text=text + "\n`Gone.moon_rise()` is in `src/gone.py`.\n")
    assert ["open-question", "no-budget", "empty-step"] == [one.rule for one in found.findings]
    told = {one.name: one.standing for one in found.names}
    assert told == {
        "src/a.py": "verified",
        "moon": "missing",
        "tests/test_a.py": "missing",
        "Gone.moon_rise": "missing",
        "src/gone.py": "missing",
    }


def test_a_file_of_theirs_comes_in_and_gets_its_ticks_back(world: World) -> None:
    file = world.top / "tasks.md"
    theirs = "# Tasks\r\n\r\n## Phase 3.1: Setup\r\n- [x] T001 Make `a/`\r\n- [ ] T002 [P] Lint\r\n"
    file.write_bytes(theirs.encode())
    done = plan_import(world.by_agent, file)
    assert "from tasks.md" in done.said
    shown = plan_show(world.by_person)
    assert ("kept", "tasks.md") == (shown.mode, shown.source)
    plan_tick(world.by_agent, "1.2")
    assert plan_export(ProjectHandle(world.ports, world.top, dry_run=True), None, back=True).outcome.said.startswith(
        "Would set 1"
    )
    assert file.read_bytes() == theirs.encode()
    plan_export(world.by_person, None, back=True)
    assert file.read_bytes() == theirs.replace("- [ ] T002", "- [x] T002").encode()
    plan_export(world.by_person, "NEW.md")
    assert (world.top / "NEW.md").read_text().startswith("# Tasks")
    for target in (".git/x.md", ".clew/x.md", "../x.md", "src/a.py"):
        refused("E-plan-file", lambda target=target: plan_export(world.by_person, target))
    (world.top / "OTHER.md").write_text("# Other\n\n- [ ] Something else\n")
    refused("E-plan-file", lambda: plan_export(world.by_person, "OTHER.md"))


def test_todos_of_a_client_come_in_as_json(world: World) -> None:
    file = world.top / "todos.json"
    file.write_text('{"plan": [{"step": "Look", "status": "completed"}, {"step": "Fix", "status": "in_progress"}]}')
    plan_import(world.by_agent, file)
    steps = plan_show(world.by_person).phases[0].steps
    assert [("Look", True), ("Fix", False)] == [(one.text, one.ticked) for one in steps]


def test_what_a_session_planned_comes_in_without_a_file(world: World) -> None:
    refused("E-no-plan", lambda: plan_import(world.by_agent, None))
    made = Recorder(world.top, start="2026-11-21T23:00:00").user("Plan it").todos([("A to-do", "pending")])
    made.plan(PLAN).save(world.home)
    plan_import(world.by_agent, None)
    shown = plan_show(world.by_person)
    assert (PLAN, "kept") == (shown.text, shown.mode)


def test_the_two_prompts_have_nothing_in_common(world: World) -> None:
    with world.desk() as at:
        state_item(at, "constraint", "Never change the public API")
        state_item(at, "failed", "Caching the table", why="stale after midnight")
    approved(world)
    planning = plan_prompt(world.by_person)
    assert planning.startswith("# Plan, and change nothing") and "Never change the public API" in planning
    doing = plan_prompt(world.by_person, phase="2")
    assert doing.startswith("# Phase 2 of 2: Build") and "Fix it in `src/a.py`" in doing
    assert "Write down who calls" not in doing, "the other phase's"
    assert "Never change the public API" in doing and "stale after midnight" in doing
    assert "`python -m pytest -q`" in doing and "100k tokens" in doing
    headings = [{row for row in text.splitlines() if row.startswith("## ")} for text in (planning, doing)]
    assert not headings[0] & headings[1]
