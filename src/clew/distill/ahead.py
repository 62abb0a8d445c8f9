"""What the agent said last, whole, and the one next action: what that message says, else what the record proves."""

from __future__ import annotations

import re

from clew.core.records.transcript import Reply
from clew.core.state.items import Kind
from clew.core.text.cleaning import one_line, shorten
from clew.distill import asking, prompts
from clew.distill.asking import UserRequest
from clew.distill.blocks import sentences
from clew.distill.fact import SessionFact
from clew.distill.prose import OFFERS, Point, points
from clew.distill.session import Session
from clew.distill.standing import RED, Since
from clew.distill.work import SessionWork, TodoSeen

# "Not committed yet", "still to do: …".
_SAID_LEFT = (
    r"(?i)\b(?:still (?:to do|open|missing)|not (?:yet )?(?:committed|pushed)|haven't (?:yet )?(?:committed|pushed)"
    r"|tomorrow,? i'd|waits? for|before you (?!\w+ed\b)\w+|(?:you|someone|somebody) (?:has|have|needs?) to)\b"
)
_NEXT_RANK = 1
_UNFINISHED = ("interrupted", "broken off", "open")
# Of a turn under way the longer messages tell how things stand.
_SAID_CHARS_MIN = 80


def last_event(session: Session) -> int:
    """The event of the agent's last message, if it answers the latest words of the user; else -1."""
    spoken = [at for at, event in enumerate(session.events) if asking.says_something(event)]
    final = max(session.finals, default=-1)
    return final if final > max(spoken, default=-1) and asking.ended(session) else -1


def last_points(session: Session, last: int) -> list[tuple[Point, Kind]]:
    """All points of the last message with their kinds, in order: one is the next action (what waits for the user's
    answer, what a label or the words call so), others of that list are to-dos.
    """
    event = session.events[last] if last >= 0 else None
    found = points(event.text, last, session.root, whole=True) if isinstance(event, Reply) else []
    waiting = [one for one in found[-1:] if any(said.endswith("?") for said in sentences(one.text))]
    offered = [one for one in found[-2:] if OFFERS.search(one.text)]
    named = [one for one in found if one.kind == "next"]
    left = [one for one in found if one.kind == "step" or re.search(_SAID_LEFT, one.text)]
    first = next(iter((*waiting, *named[:1], *offered[-1:], *left[:1])), None)
    return [(one, "next" if one is first else "step" if one.kind == "next" else one.kind or "finding") for one in found]


def under_way(session: Session, since: Since, last: int) -> list[Point]:
    """What was said in a turn under way and names something, the newest first; but nothing that passed since."""
    found: list[Point] = []
    for index in range(len(session.events) - 1, asking.latest_event(session), -1) if last < 0 else ():
        event = session.events[index]
        if isinstance(event, Reply) and len(event.text) > _SAID_CHARS_MIN:
            said = points(event.text, index, session.root, whole=True)
            found += [one for one in said if one.names and not (RED.search(one.text) and since.passes(index))]
    return found


def proved(session: Session, work: SessionWork, asked: list[UserRequest], todos: list[TodoSeen]) -> list[SessionFact]:
    """The next action that the record proves, if it does: a plan not carried out, a turn that broke off, a to-do,
    a request that is unfinished, a pull request that is open.
    """
    latest = asking.latest_event(session)
    plan = work.plans[-1] if work.plans else None
    is_over = plan is not None and plan.status == "dismissed" and latest > plan.event
    if plan and plan.status != "rejected" and not is_over and not any(file.last > plan.event for file in work.files):
        title = shorten(prompts.plan_goal(plan.text), 200) or "see the record"
        if plan.status != "accepted":
            came = "not approved here" if plan.status == "proposed" else "turned down without a reason"
            text = f"Carry out the plan put forward last, if the user agrees (it was {came}): {title}"
            return [SessionFact("next", text, plan.event, _NEXT_RANK)]
        if latest <= plan.event:
            return [SessionFact("next", f"Carry out the accepted plan: {title}", plan.event, _NEXT_RANK)]
    if not asking.ended(session):
        act = asking.last_act(session)
        came = asking.outcome(session, work, asked[-1].event, asked[-1].end) if asked else ""
        go = "See whether anything is left" if came.startswith(("committed", "rebased")) else "Go on"
        text = f"{go} where the record stops; last act: {act}" if act else f"{go} where the record stops"
        return [SessionFact("next", text, latest, _NEXT_RANK)]
    if current := [todo for todo in todos if todo.status == "in_progress"] or todos:
        text = shorten(one_line(current[0].text), 200)
        return [SessionFact("next", text, current[0].event, _NEXT_RANK, provenance="agent")]
    for ask in (asked[-1], asking.goal_of(session, asked)) if asked else ():
        came = asking.outcome(session, work, ask.event, ask.end)
        if came in _UNFINISHED or (came == "edited" and work.commits):
            text = f"The latest request that is unfinished ({came}): “{shorten(ask.text, 200)}”"
            return [SessionFact("next", text, ask.event, _NEXT_RANK)]
    if pulls := [one for one in work.pulls[-1:] if one.state in ("open", "draft")]:
        text = f"See what became of the {pulls[0].text} {pulls[0].url} ({pulls[0].state} when the record ends)"
        return [SessionFact("next", text, pulls[0].last, _NEXT_RANK)]
    return []
