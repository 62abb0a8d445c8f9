"""The one next action: what the last message says, else what the record proves to be left."""

from __future__ import annotations

import re

from clew.core.records.transcript import Reply
from clew.core.state.items import Kind
from clew.core.text.cleaning import one_line, shorten
from clew.distill import asking, prompts
from clew.distill.asking import Ask
from clew.distill.blocks import sentences
from clew.distill.fact import Fact, fact
from clew.distill.prose import OFFERS, Sentence, is_announcement
from clew.distill.session import Session
from clew.distill.work import TodoSeen, Work

# Inside a paragraph: "Next I would …", "The next step is …", "What remains is …".
_SAID_NEXT = re.compile(
    r"(?:^|\s)next,? i(?:'d| would|'ll| will)\b|\bnext (?:step|thing|action)s?\b[^.]{0,40}\b(?:is|are|be)\b"
    r"|\b(?:what|all that|that) (?:remains|is left|'s left)\b",
    re.IGNORECASE,
)
_MEANT_CHARS = 160


def told(found: list[Sentence]) -> list[Sentence]:
    """The sentences of the last message `found` with the kinds that their place gives them: one is the next action
    (what a label calls so, what the words do, what is offered), others of that list are to-dos; a question at the end
    is one.
    """
    named = [one for one in found if one.kind == "next"]
    said = [one for one in found if _SAID_NEXT.search(one.text)]
    offered = [one for one in found[-2:] if OFFERS.search(one.text)]
    left = [one for one in found if one.kind == "step"]
    first = next(iter((*named[:1], *said[:1], *offered[-1:], *left[:1])), None)
    return [one._replace(kind=_kind(one, is_next=one is first)) for one in found]


def _kind(one: Sentence, *, is_next: bool) -> Kind | None:
    if is_next:
        return "next"
    if one.is_end and one.text.endswith("?"):
        return "question"
    return "step" if one.kind == "next" else one.kind


def proved(session: Session, work: Work, asked: list[Ask], todos: list[TodoSeen]) -> list[Fact]:
    """The next action that the record proves, if it does: a plan not carried out, a turn that broke off, a to-do."""
    latest = asking.latest_event(session)
    plan = work.plans[-1] if work.plans else None
    is_over = plan is not None and plan.status == "dismissed" and latest > plan.event
    if plan and plan.status != "rejected" and not is_over and not any(file.last > plan.event for file in work.files):
        title = shorten(prompts.plan_goal(plan.text), 200) or "see the record"
        if plan.status != "accepted":
            came = "not approved here" if plan.status == "proposed" else "turned down without a reason"
            text = f"Carry out the plan put forward last, if the user agrees (it was {came}): {title}"
            return [fact("next", text, plan.event, 2)]
        if latest <= plan.event:
            return [fact("next", f"Carry out the accepted plan: {title}", plan.event, 2)]
    if not asking.ended(session):
        act = asking.last_act(session)
        came = asking.outcome(session, work, asked[-1].event, asked[-1].end) if asked else ""
        go = "See whether anything is left" if came.startswith(("committed", "rebased")) else "Go on"
        text = f"{go} where the record stops; last act: {act}" if act else f"{go} where the record stops"
        meant = shorten(_meant(session), _MEANT_CHARS)
        return [fact("next", text, latest, 2, why=f"it meant: {meant}" if meant else "")]
    if current := [todo for todo in todos if todo.status == "in_progress"] or todos:
        return [fact("next", shorten(one_line(current[0].text), 200), current[0].event, 2, provenance="agent")]
    return []


def _meant(session: Session) -> str:
    """What the agent last said it would do in the turn that broke off; "" if it did not."""
    for index in range(len(session.events) - 1, asking.latest_event(session), -1):
        event = session.events[index]
        if isinstance(event, Reply):
            said = [one for one in sentences(one_line(event.text)) if is_announcement(one)]
            return said[-1].rstrip(":") if said else ""
    return ""
