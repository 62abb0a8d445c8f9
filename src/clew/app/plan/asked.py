"""What a plan asks: its questions as items of the task, at most a few at a time, and what waits for an answer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from clew.app.project import ProjectSession
from clew.app.project.opening import ProjectHandle
from clew.core.plan.plan import Plan
from clew.core.state.events import Data, Event
from clew.core.state.ids import identity
from clew.core.state.projection import Known
from clew.core.text.cleaning import one_line, shorten
from clew.documents.plan.grammar import asked
from clew.documents.plan.prompts import QUESTIONS_AT_ONCE

_TEXT_CHARS: Final = 1_000


class PlanQuestions(NamedTuple):
    """The open questions that are to be put now, with their ids, and how many there are in all. `proposed` is what the
    plan's own text answers to each, which counts when a person approves the plan; "" nothing.
    """

    questions: tuple[Known, ...]
    ids: tuple[str, ...]
    open: int
    proposed: tuple[str, ...] = ()


def questions(project: ProjectHandle, *, task: str | None = None) -> PlanQuestions:
    """The open questions of the plan here: those that work waits for first, at most five at a time."""
    from clew.app.plan.where import task_here

    with project.open(write=False) as at:
        where = task_here(at, task)
        found = open_questions(at, where)
        now = found[:QUESTIONS_AT_ONCE]
        shown = at.ledger.shortest([entry.item.id for entry in now])
        told = {_identity(where, text)[1]: answer for text, answer in asked(at.plan(where).text)}
        proposed = tuple(told.get(entry.item.id, "") for entry in now)
        return PlanQuestions(tuple(now), tuple(shown[entry.item.id] for entry in now), len(found), proposed)


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
