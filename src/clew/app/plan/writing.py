"""A plan's text kept: its phases known again, what it asks made into questions, its ticks taken over."""

from __future__ import annotations

from typing import Final, NamedTuple

from clew.app.plan.asked import question_events
from clew.app.project import ProjectSession
from clew.core.errors import InputError, NotAllowed
from clew.core.plan.phase_machine import PhaseRefusal, Tick, transition
from clew.core.plan.plan import Plan
from clew.core.plan.recorded import new_ids, plan_of
from clew.core.state.events import Event, Value
from clew.core.state.fold import fold
from clew.core.text.cleaning import shorten
from clew.documents.plan.grammar import asked, parse, proposed
from clew.ledger.bounds import PLAN_CHARS_MAX

_SOURCE_CHARS: Final = 300
_TITLE_CHARS: Final = 200


class PlanText(NamedTuple):
    """What became of a text: the events that keep it (() where nothing is new), and the plan as it then is."""

    events: tuple[Event, ...]
    plan: Plan


def written(
    at: ProjectSession,
    task: str,
    text: str,
    *,
    source: str = "",
    client: str = "",
    whole: bool = False,
    is_new: bool = False,
) -> PlanText:
    """The events that make `text` the plan of `task`, not kept yet.

    `source` is the file or client that it came from. `whole`: the text was made from the plan as it stands, so that a
    box without a tick means that the step is not done; else only ticks count. `is_new`: planning is opened with it, so
    that what was approved before is no hindrance. Raises `InputError` for a text without words or of more than can be
    kept, `NotAllowed` for an agent's where a person approved another one.
    """
    safe = at.safe_lines(proposed(text)).strip("\n") + "\n"
    if not safe.strip():
        raise InputError(
            "the plan has no text",
            code="E-plan-text",
            hint="Write what is to be done, in phases; `clew plan prompt` says how.",
        )
    if len(safe) > PLAN_CHARS_MAX:
        raise InputError(
            f"the plan has {len(safe):,} characters, of at most {PLAN_CHARS_MAX:,}",
            code="E-plan-text",
            hint="Keep what is to be done, and move the rest into a file that the plan names.",
        )
    before = at.plan(task)
    after = parse(safe)
    if not is_new:
        _check_may(at, before, after)
    entities = at.plan_entities(task)
    events: list[Event] = []
    if safe != before.text or before.source != shorten(source, _SOURCE_CHARS):
        ids = new_ids(task, before, after)
        data: dict[str, Value] = {
            "text": safe,
            "phases": ids,
            "source": shorten(source, _SOURCE_CHARS),
            "client": client,
        }
        if after.title and not before.title:
            data["title"] = shorten(after.title, _TITLE_CHARS)
        events.append(at.event("plan.written", {name: value for name, value in data.items() if value}, task=task))
    now = plan_of(fold(events, entities), parse)
    if now.text != safe:
        raise InputError(
            f"a plan is there that was written at {now.changed_at}, which is later than this machine's clock",
            code="E-plan-newer",
            hint="Look at it (`clew plan show`), see to the clocks, and write yours again.",
        )
    events += _ticks(at, task, now, after, whole=whole)
    events += question_events(at, task, asked(safe))
    return PlanText(tuple(events), plan_of(fold(events, entities), parse))


def _check_may(at: ProjectSession, before: Plan, after: Plan) -> None:
    """An approved plan is what a person agreed to: an agent opens planning before it writes another one."""
    if before.mode in ("approved", "changed") and not at.is_person and before.digest != after.digest:
        raise NotAllowed(
            "a person approved this plan, so an agent cannot change it",
            code="E-plan-approved",
            hint="`clew plan reopen --why …` opens planning again; nothing but reading passes until it is approved.",
        )


def _ticks(at: ProjectSession, task: str, now: Plan, text: Plan, *, whole: bool) -> list[Event]:
    """Events for steps that the text has otherwise than the ledger."""
    events = []
    for phase, given in zip(now.phases, text.phases, strict=True):
        for step, box in zip(phase.steps, given.steps, strict=True):
            if step.ticked != box.ticked and (box.ticked or whole):
                said = transition(now, Tick(phase.id, step.id, box.ticked))
                assert not isinstance(said, PhaseRefusal), "the phase and the step are the plan's own"
                events += [at.event(fact.kind, fact.data, task=task) for fact in said]
    return events
