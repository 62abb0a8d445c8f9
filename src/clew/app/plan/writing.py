"""A plan's text kept: its phases known again, its ticks taken over, what it asks made into questions of the task."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from clew.app.plan.where import task_here
from clew.app.project.opening import ProjectHandle
from clew.app.project.session import ProjectSession
from clew.app.results import ItemRow, JsonResult
from clew.core.errors import InputError, NotAllowed
from clew.core.plan.phase_machine import PhaseRefusal, Tick, transition
from clew.core.plan.plan import Plan
from clew.core.plan.recorded import new_ids, plan_of
from clew.core.state.events import Data, Event, Value
from clew.core.state.fold import fold
from clew.core.state.ids import identity
from clew.core.state.projection import Known
from clew.core.text.cleaning import one_line, shorten
from clew.documents.plan.grammar import asked, parse, proposed
from clew.documents.plan.prompts import QUESTIONS_AT_ONCE
from clew.ledger.redaction import PLAN_CHARS_MAX

_TEXT_CHARS: Final = 1_000


class PlanQuestion(ItemRow, frozen=True):
    """An open question. `proposed` is what the plan's own text answers to it, which counts when a person approves the
    plan; "" nothing.
    """

    proposed: str


class PlanQuestions(JsonResult, frozen=True):
    """How many questions are open, and those that are to be put now."""

    open: int
    questions: tuple[PlanQuestion, ...]


def questions(project: ProjectHandle, *, task: str | None = None) -> PlanQuestions:
    """The open questions of the plan here: those that work waits for first, at most five at a time."""
    with project.open(write=False) as at:
        where = task_here(at, task)
        found = open_questions(at, where)
        now = found[:QUESTIONS_AT_ONCE]
        shown = at.ledger.shortest([entry.item.id for entry in now])
        told = {_identity(where, text)[1]: answer for text, answer in asked(at.plan(where).text)}
        rows = (
            PlanQuestion.of(item, short_id=shown[item.id], proposed=told.get(item.id, ""))
            for item in (entry.item for entry in now)
        )
        return PlanQuestions(len(found), tuple(rows))


def open_questions(at: ProjectSession, task: str) -> list[Known]:
    """The questions of a task without an answer, those that work waits for first."""
    live = (entry for entry in at.known(task).values() if entry.standing == "live" and entry.item.kind == "question")
    return sorted(
        (entry for entry in live if not entry.item.answer and (entry.stated or entry.item.blocking)),
        key=lambda entry: (not entry.item.blocking, entry.item.time, entry.item.id),
    )


def answered(at: ProjectSession, task: str) -> list[tuple[str, str]]:
    """The questions of a task that have an answer, with it."""
    live = (entry.item for entry in at.known(task).values() if entry.standing == "live" and entry.stated)
    return [(item.text, item.answer) for item in live if item.kind == "question" and item.answer]


def question_events(at: ProjectSession, task: str, found: Iterable[tuple[str, str]]) -> list[Event]:
    """Events that make what a plan asks into items of the task, and keep the answers that a person wrote into its
    text. What an agent answers there is told with the plan, and counts when a person approves it.
    """
    known = at.known(task)
    events = []
    for text, answer in found:
        words, item = _identity(task, text)
        entry = known.get(item)
        if entry is None:
            data: Data = {"item": item, "kind": "question", "text": words, "blocking": True}
            events.append(at.event("item.stated", data, task=task, key=f"plan:{item}"))
        if answer and at.is_person and (entry is None or not entry.item.answer):
            events.append(at.event("item.answered", {"item": item, "answer": answer, "was": words}, task=task))
    return events


def unanswered(at: ProjectSession, task: str, found: Iterable[tuple[str, str]]) -> list[Known]:
    """The questions that a plan cannot be approved with: work waits for them, and its text has no answer either."""
    told = {_identity(task, text)[1] for text, answer in found if answer}
    return [entry for entry in open_questions(at, task) if entry.item.blocking and entry.item.id not in told]


def still_asked(at: ProjectSession, task: str, plan: Plan) -> Plan:
    """The plan with only those of its questions that nobody answered, in its text or since."""
    known = at.known(task)
    left = []
    for question in plan.questions:
        entry = known.get(_identity(task, question)[1])
        if entry is None or (entry.standing == "live" and not entry.item.answer):
            left.append(question)
    return plan._replace(questions=tuple(left))


def _identity(task: str, text: str) -> tuple[str, str]:
    """The words of a question, and the id that follows from them."""
    words = shorten(one_line(text), _TEXT_CHARS)
    return words, f"Q-{identity('plan-question', task, words.casefold())}"


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
