"""The plan that is meant, and what the phase machine decided of it: recorded, or told where it refuses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from clew.app.project.reading import find_task
from clew.app.project.session import ProjectSession
from clew.core.errors import InputError
from clew.core.plan.phase_machine import Command, PhaseFact, PhaseRefusal, Reason, transition
from clew.core.plan.plan import Phase, PhaseStatus, Plan
from clew.core.state.events import Event


def task_here(at: ProjectSession, wanted: str | None) -> str:
    """The id of the task that is named, else of the one that is bound here; "" for none."""
    return find_task(at, wanted).id if wanted else at.task()


def plan_here(at: ProjectSession, wanted: str | None = None) -> tuple[str, Plan]:
    """The task that is meant, and its plan. Raises `InputError` where it has none."""
    task = task_here(at, wanted)
    plan = at.plan(task)
    if plan.mode == "none":
        raise InputError(
            "there is no plan here",
            code="E-no-plan",
            hint='`clew plan new "…"` begins one, `clew plan import FILE` takes one in.',
        )
    return task, plan


def phase_named(plan: Plan, wanted: str) -> Phase:
    """The phase with this number or id. Raises `InputError`."""
    found = plan.phase(wanted)
    if found is None:
        raise InputError(
            f"the plan has no phase {wanted[:40]}",
            code="E-phase-no-phase",
            hint=f"There are {len(plan.phases)}: `clew plan show` lists them.",
        )
    return found


def recorded(at: ProjectSession, plan: Plan, command: Command, *, task: str) -> tuple[Event, ...]:
    """Record what `command` brings about in the plan of `task`: the events, () where it is so already.

    Raises `InputError` for what may not happen now, or where another process was first.
    """
    said = transition(plan, command)
    if isinstance(said, PhaseRefusal):
        raise refused(said, plan.with_id(command.phase))
    events = facts_as_events(at, said, task=task)
    at.keep(events)
    if not (at.dry_run or at.refusal is not None):
        for event in (one for one in events if one.key != one.id):
            if not any(one.event.id == event.id for one in at.ledger.events(kinds=(event.kind,))):
                raise refused(PhaseRefusal("late", "another process began or ended this attempt in the meantime"))
    return events


def facts_as_events(at: ProjectSession, facts: Sequence[PhaseFact], *, task: str) -> tuple[Event, ...]:
    """The events of facts, said by whoever speaks; what an exit code proved is said by nobody."""
    found = []
    for fact in facts:
        event = at.event(fact.kind, fact.data, task=task, key=fact.key and f"{fact.key}:{task}")
        found.append(event._replace(provenance="verified") if fact.proved else event)
    return tuple(found)


def refused(said: PhaseRefusal, phase: Phase | None = None) -> InputError:
    """A refusal of the machine's as an error, whose hint names what may be run for `phase` as it stands."""
    code, hint = _CODES[said.reason]
    if said.reason == "state" and phase is not None:
        hint = _STANDS[phase.status]
    return InputError(said.why, code=code, hint=hint.replace("{N}", str(phase.number) if phase is not None else "N"))


_STANDS: Final[dict[PhaseStatus, str]] = {
    "planned": "`clew phase start {N}` begins it.",
    "started": '`clew phase done {N} --outcome "…"` ends it; `clew phase stop {N} --cause "…"` gives it up.',
    "done": "`clew phase reopen {N}` reopens it.",
    "stopped": "A person decides: `clew phase reopen {N}` reopens it.",
}
_CODES: Final[dict[Reason, tuple[str, str]]] = {
    "no-phase": ("E-phase-no-phase", "`clew plan show` lists the phases with their numbers."),
    "no-step": ("E-phase-no-step", "`clew plan show` lists the steps."),
    "unapproved": (
        "E-phase-unapproved",
        "A person runs `clew plan approve` in a terminal; `clew plan lint` says what must be fixed before.",
    ),
    "waits": ("E-phase-waits", "Finish that phase first, or take the dependency out: `clew plan edit`."),
    "state": ("E-phase-state", "`clew plan show` shows the state of each phase."),
    "late": ("E-phase-late", "Look at `clew plan show`, and go on from there."),
    "unproved": ("E-phase-unproved", "Run `clew phase done {N}`, which runs the checks on the files as they are."),
    "no-cause": ("E-phase-no-cause", 'Give it in one line, with the rest as before: `--cause "…"`.'),
    "no-outcome": ("E-phase-no-outcome", 'Give it in one line: `clew phase done {N} --outcome "…"`.'),
    "budget": ("E-phase-budget", "Give a number of tokens, such as 80k."),
    "spent": ("E-phase-spent", "Write a new plan: `clew plan reopen`."),
}
