"""A plan looked at: how it stands, what is wrong with it, and the prompts that are made of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from clew.app.plan.asked import answered, open_questions, still_asked
from clew.app.plan.names import NameFound, names_checked
from clew.app.plan.where import phase_named, plan_here, task_here
from clew.app.project import Outcome, ProjectSession
from clew.app.project.opening import ProjectHandle
from clew.core.errors import InputError
from clew.core.plan.phase_machine import Tick
from clew.core.plan.plan import Phase, Plan
from clew.core.state.items import Item, Kind
from clew.core.state.projection import Known
from clew.core.text.receipt import as_prompt
from clew.documents.lint.page import LintFinding
from clew.documents.plan.grammar import render
from clew.documents.plan.lint import lint_plan
from clew.documents.plan.prompts import execution_prompt, planning_prompt

_LINES_MAX: Final = 20


class PlanShown(NamedTuple):
    """The plan of a task as it stands. `text` is its Markdown with the ticks of now; `questions` are open, with their
    ids, `names` what it names that is not as it says.
    """

    task: str
    shown: str
    plan: Plan
    text: str
    questions: tuple[Known, ...]
    ids: tuple[str, ...]
    names: tuple[NameFound, ...]


class PlanLinted(NamedTuple):
    """What is wrong with a plan: by its words, and by what it names."""

    findings: tuple[LintFinding, ...]
    names: tuple[NameFound, ...]


def plan_show(project: ProjectHandle, *, task: str | None = None, with_names: bool = False) -> PlanShown:
    """The plan here. `with_names`: what it names is looked for in the tree. Raises `InputError` where there is none."""
    with project.open(write=False) as at:
        where, plan = plan_here(at, task)
        found = open_questions(at, where)
        ids = at.ledger.shortest([entry.item.id for entry in found])
        names = names_checked(project.ports, at, plan) if with_names else ()
        shown = at.short(where) if where else ""
        return PlanShown(where, shown, plan, render(plan), tuple(found), tuple(ids[e.item.id] for e in found), names)


def plan_lint(project: ProjectHandle, *, task: str | None = None, text: str | None = None) -> PlanLinted:
    """What is wrong with the plan here, or with a `text` that is to become one."""
    from clew.documents.plan.grammar import parse

    with project.open(write=False) as at:
        if text is None:
            where, plan = plan_here(at, task)
            plan = still_asked(at, where, plan)
        else:
            plan = parse(text)
        return PlanLinted(lint_plan(plan), names_checked(project.ports, at, plan))


def plan_prompt(project: ProjectHandle, *, phase: str = "", goal: str = "", task: str | None = None) -> str:
    """The prompt to plan (`goal`, else what the task is about), or with a `phase` to carry that one out."""
    with project.open(write=False) as at:
        where = task_here(at, task)
        plan = at.plan(where)
        if phase:
            plan = plan_here(at, task)[1]
            return as_prompt(phase_prompt(at, where, plan, phase_named(plan, phase)))
        live = _live(at, where)
        opened = open_questions(at, where)
        shown = at.ledger.shortest([entry.item.id for entry in opened])
        about = goal or plan.title or next((item.text for item in live if item.kind == "goal"), "")
        if not about:
            raise InputError(
                "what is to be planned is not said", code="E-plan-text", hint='`clew plan prompt --goal "…"` says it.'
            )
        return planning_prompt(
            about,
            known=_lines(live, ("constraint", "decision", "failed")),
            open_questions=[(shown[entry.item.id], entry.item.text) for entry in opened],
            answered=answered(at, where),
            plan=plan,
        )


def phase_prompt(at: ProjectSession, task: str, plan: Plan, phase: Phase, *, unattended: bool = False) -> str:
    """The prompt to carry out one phase, with what binds and what failed in the task. `unattended`: by a run."""
    live = _live(at, task)
    return execution_prompt(
        plan,
        phase,
        constraints=_lines(live, ("constraint",)),
        dead_ends=_lines(live, ("failed",)),
        decisions=_lines(live, ("decision",)),
        unattended=unattended,
    )


def plan_tick(project: ProjectHandle, wanted: str, *, done: bool = True, task: str | None = None) -> Outcome:
    """Tick a step, named `PHASE.STEP` by their numbers, or take its tick off."""
    from clew.app.plan.facts import recorded

    with project.open(write=True) as at:
        where, plan = plan_here(at, task)
        number, _, place = wanted.partition(".")
        phase = phase_named(plan, number)
        if not place.isdecimal() or not 0 < int(place) <= len(phase.steps):
            last = len(phase.steps)
            which = f"{phase.number}.1" + (f" to {phase.number}.{last}" if last > 1 else "")
            raise InputError(
                f"phase {phase.number} has no step {place[:20]}"
                if place
                else f"no step of phase {phase.number} is named",
                code="E-phase-no-step",
                hint=f"Name it as {which}: `clew plan show` lists them." if last else "`clew plan edit` adds one.",
            )
        step = phase.steps[int(place) - 1]
        events = recorded(at, plan, Tick(phase.id, step.id, done), task=where)
        what = "done" if done else "not done"
        said = f"Step {phase.number}.{place} is {what}{'' if events else ' already'}: {step.text}"
        return at.outcome(said, events=events)


def _live(at: ProjectSession, task: str) -> list[Item]:
    entries = (entry.item for entry in at.known(task).values() if entry.standing == "live")
    return sorted(entries, key=lambda item: (not item.pinned, item.rank))


def _lines(items: Iterable[Item], kinds: tuple[Kind, ...]) -> list[str]:
    found = [f"{item.text} — {item.why}" if item.why else item.text for item in items if item.kind in kinds]
    return found[:_LINES_MAX]
