"""What a plan tells a document: where the work is, what was done, what stands in the way. As items of a state."""

from __future__ import annotations

from typing import Final

from clew.core.plan.plan import Phase, PhaseStatus, Plan
from clew.core.state.items import LETTERS, Item, Place, Provenance
from clew.core.state.projection import NOWHERE
from clew.core.text.cleaning import shorten

# Of what is done the newest so many phases are told, each in its line.
_DONE_MAX: Final = 6
_NO_LINE: Final = Place("", NOWHERE, "")
_CAUSE_CHARS: Final = 120
_RANKS: Final = {"started": 1, "stopped": 1, "planned": 2, "done": 4}
_WORDS: Final[dict[PhaseStatus, str]] = {
    "planned": "pending",
    "started": "in progress",
    "done": "done",
    "stopped": "blocked",
}


def plan_items(plan: Plan) -> tuple[Item, ...]:
    """The plan's phases that a document tells: those done with their outcome, the current one with its next step, which
    of an approved plan is the next action. Of a plan that is dropped or has no phases nothing.
    """
    if plan.mode in ("none", "dropped") or not plan.phases:
        return ()
    current = plan.current
    told = [one for one in plan.phases if one.status == "done"][-_DONE_MAX:]
    told += [one for one in plan.phases if one.status == "stopped" and one is not current]
    items = [_phase(plan, one) for one in told]
    if current is not None and not _is_place(current.title):
        items.append(_phase(plan, current))
        if plan.mode == "approved":
            return (*items, _next(plan, current))
        step = current.step
        if step is not None and not _is_place(step.text):
            text, when = f"{current.number}.{current.steps.index(step) + 1} {step.text}", current.started_at
            item = Item(step.id, "step", text, "", "pending", _said(plan), (), _NO_LINE, 1, when or plan.changed_at)
            items.append(item)
    return tuple(items)


def _next(plan: Plan, phase: Phase) -> Item:
    """What an approved plan has to be done now, with the command that does or proves it."""
    step, why = phase.step, ""
    if phase.status == "planned":
        text = f"Begin phase {phase.number}, {phase.title}: `clew phase start {phase.number}`"
    elif phase.status == "stopped":
        text = (
            f"Phase {phase.number} was stopped; `clew phase reopen {phase.number}` goes on with it (a person decides)"
        )
    elif step is not None and not _is_place(step.text):
        text = f"{phase.number}.{phase.steps.index(step) + 1} {step.text}"
    else:
        text = f"Have phase {phase.number} checked: `clew phase done {phase.number}`"
    if phase.status == "started" and phase.failed_claims:
        failed = next((one.failure for one in reversed(phase.checks) if one.counted and one.failure), "")
        why = f"`clew phase done {phase.number}` was refused{f': {failed}' if failed else ''}"
    name = step.id if step is not None and phase.status == "started" else f"{LETTERS['next']}-{phase.id[2:]}"
    return Item(name, "next", text, why, "", _said(plan), (), _NO_LINE, 0, phase.started_at or plan.changed_at)


def _is_place(text: str) -> bool:
    """Whether it is a place of the template that nobody has filled in: it tells nothing."""
    return text.startswith("<") and text.endswith(">")


def _phase(plan: Plan, phase: Phase) -> Item:
    text = f"Phase {phase.number} of {len(plan.phases)}: {phase.title}"
    if phase.commit and phase.status == "done":
        text += f" ({phase.commit[:9]})"
    why = phase.outcome or (f"stopped: {shorten(phase.cause, _CAUSE_CHARS)}" if phase.cause else "")
    if phase.place and not phase.merged:  # what is not merged is not in the files that somebody sees elsewhere
        why = "; ".join(filter(None, (why, f"its work is in the work tree {phase.place}")))
    if phase.status == "planned":
        why = {"planning": "it is still being planned", "changed": "the plan waits for another approval"}.get(
            plan.mode, "nobody approved the plan" if plan.mode == "kept" else ""
        )
    said: Provenance = "verified" if phase.status == "done" else _said(plan)
    when, status = phase.ended_at or phase.started_at or plan.changed_at, phase.status
    return Item(phase.id, "phase", text, why, _WORDS[status], said, (), _NO_LINE, _RANKS[status], when)


def _said(plan: Plan) -> Provenance:
    return "human" if plan.mode == "approved" else "agent"
