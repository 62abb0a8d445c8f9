"""What the user asked for, in order, and what came of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from clew.core.gate.shell.outcomes import error_line
from clew.core.records.file_names import beside, relative
from clew.core.records.transcript import Edit, Interruption, Prompt, Read, Reply, Run, Todos
from clew.core.text.cleaning import one_line, shorten, shorten_code
from clew.distill import prompts
from clew.distill.blocks import sentences
from clew.distill.demands import is_correction
from clew.distill.fact import SessionFact, paced
from clew.distill.identifiers import content_words, words_of
from clew.distill.prose import OFFERS, cut, lead_in
from clew.distill.session import Event, Session, ToolStep
from clew.distill.work import SessionWork, is_own

GOAL_CHARS = 420
_ASK_CHARS = 300
_SUBJECT_CHARS = 240
_OFFER_CHARS = 160
_FIRST_CHARS = 600
# A longer prompt was pasted: it holds more than what the user thinks of the work.
_TYPED_CHARS_MAX = 700
_RULING_CHARS, _RULING_WORDS_MIN = 200, 3
_GOAL_RANK, _NOW_RANK, _RULING_RANK, _FIRST_RANK = 0, 1, 4, 9
# So many characters of rulings stand on one rank.
_RULING_PACE = 300
_ANSWER_CHARS = 40
_ACTS_MAX = 3


class UserRequest(NamedTuple):
    """One request of the user, on one line. Its turns end before the event `end`. `plan`: it was an accepted plan."""

    text: str
    event: int
    end: int
    plan: bool


def asks(session: Session) -> list[UserRequest]:
    """What the user asked for, in order. The same request twice in a row counts once.

    Nods ("go on", "commit") belong to the request before them, except the very last: once the agent has answered, it
    is what is asked for now.
    """
    found: list[UserRequest] = []
    last_final = -1
    last_words = max((i for i, event in enumerate(session.events) if says_something(event)), default=-1)
    for index, event in enumerate(session.events):
        last_final = index if index in session.finals else last_final
        if not isinstance(event, Prompt):
            continue
        if prompts.is_nod(event.text) and not (found and found[-1].event < last_final and index == last_words):
            continue
        plan = event.source == "plan"
        text = prompts.plan_goal(event.text) if plan else prompts.request(event.text)
        if found and found[-1].text == text:
            found.pop()
        if text:
            found.append(UserRequest(text, index, 0, plan))
    return _with_ends(session, found)


def _with_ends(session: Session, found: list[UserRequest]) -> list[UserRequest]:
    """Requests, each with its turns up to the next one. One that was typed into a running turn does not end that."""
    end, ended = len(session.events), list[UserRequest]()
    for ask in reversed(found):
        ended.append(ask._replace(end=end))
        end = end if session.is_in_turn(ask.event) else ask.event
    return ended[::-1]


def says_something(event: Event) -> bool:
    """Whether it is a typed prompt that does more than thank, greet or command."""
    if not isinstance(event, Prompt) or event.source != "typed":
        return False
    return not prompts.is_closing(event.text) and not prompts.is_command(event.text)


def gather(session: Session, work: SessionWork, found: list[UserRequest]) -> list[SessionFact]:
    """What the work is for, and of the requests `found` those that rule: what is asked now, what is unfinished, what
    turned the course. What was seen to is told by what came of it.
    """
    if not found:
        return []
    goal, last = goal_of(session, found), found[-1]
    status = _status(session, work, goal, is_last=goal.end == len(session.events))
    about = _answers_to(session, goal)
    why = "; ".join(one for one in (about, _subject(work, found[0], goal)) if one)
    facts = [SessionFact("goal", shorten(goal.text, GOAL_CHARS), goal.event, _GOAL_RANK, why, status, "human")]
    told, ruled = {goal.text, *([found[0].text] if _BEGAN in why else [])}, list[SessionFact]()
    threads = {ask.event: ask for ask in _with_ends(session, [ask for ask in found if prompts.stands_alone(ask.text)])}
    for ask in reversed(found):
        is_last = ask is last
        status = _status(session, work, ask, is_last=is_last)
        # What broke off in one turn and was seen to in a later one is over, and what work followed is not open.
        is_over = status == "open" or outcome(session, work, ask.event, threads.get(ask.event, ask).end) != status
        is_broken = status in _BROKEN and not is_over
        if ask.text in told or not (is_last or is_broken or _turns(session, ask, status)):
            continue
        told.add(ask.text)
        rank, chars = (_NOW_RANK, GOAL_CHARS) if is_last else (_RULING_RANK, _ASK_CHARS)
        status = f"latest {status}" if is_last else status
        text, why = shorten(ask.text, chars), _answers_to(session, ask)
        is_ruling = status == "open"  # words that nothing was done about by themselves: they decide what went on
        fact = SessionFact(
            "decision" if is_ruling else "step", text, ask.event, rank, why, "" if is_ruling else status, "human"
        )
        (facts if is_last else ruled).append(fact)
    facts += _rest_of_first(found[0], [*facts, *ruled])
    return [*facts, *paced(ruled, _RULING_PACE)]


def _rest_of_first(first: UserRequest, told: list[SessionFact]) -> Iterator[SessionFact]:
    """What the first request says beyond what the lines `told` show of it: it holds the terms of all that follows."""
    lines = (line for one in told for line in (one.text, one.why.rpartition(_BEGAN)[2]) if line)
    shown = max((line for line in lines if first.text.startswith(line.removesuffix("…"))), key=len, default="")
    if rest := first.text[len(shown.removesuffix("…")) :].strip(" ,;:.–—"):
        text = f"{'… ' * bool(shown)}{shorten(rest, _FIRST_CHARS)}"
        yield SessionFact("step", text, first.event, _FIRST_RANK, status="in the first request", provenance="human")


# What asks whether something is to be done, not how it is.
_WHETHER = re.compile(r"\b(?:shall|should|want|would|like|may|can|could|do we|ought|prefer|worth)\b", re.IGNORECASE)


def deferred(session: Session, found: list[UserRequest]) -> list[SessionFact]:
    """What the user put off, in their words, with what the agent had offered or asked."""
    told = []
    for ask in found:
        words, offer = prompts.postponed(ask.text), _answers_to(session, ask)
        if words and _WHETHER.search(offer):
            told.append(SessionFact("deferral", words, ask.event, _NOW_RANK + 2, offer, provenance="human"))
    return told


def goal_of(session: Session, found: list[UserRequest]) -> UserRequest:
    """The latest request that set work going; of a record that ends in mid-turn the one under way. Answers, remarks and
    asides go on with the one before them.
    """
    own = [ask for ask in found if session.is_own(session.events[ask.event])] or found
    whole = [ask for ask in own if ask.plan or prompts.stands_alone(ask.text)] or own[:1]
    if not ended(session):
        return own[-1]
    worked = [ask for ask in whole if ask is whole[0] or _is_work(session, ask)]
    ends = _with_ends(session, worked)
    return next((ask for ask in reversed(ends) if _is_work(session, ask)), ends[-1])


_BEGAN = "it began with: "
_BROKEN = ("under way", "interrupted", "broken off", "open")
# A request for which less was done is an aside.
_ASIDE_CALLS = 3


def _is_work(session: Session, ask: UserRequest) -> bool:
    """Whether a request set work going: a file was edited, something committed, or more was done than for an aside."""
    steps = [event for event in session.events[ask.event : ask.end] if isinstance(event, ToolStep)]
    return len(steps) >= _ASIDE_CALLS or any(step.done and isinstance(step.call.action, Edit) for step in steps)


def _subject(work: SessionWork, first: UserRequest, goal: UserRequest) -> str:
    """What all of the work is about: what it opened, its plan, else what it began with; "" where that is the goal."""
    titled = [made for made in work.pulls or work.opened if ": " in made.text]
    if titled:
        return f"{titled[-1].text} {titled[-1].url}"
    plan = next((plan for plan in reversed(work.plans) if plan.status == "accepted"), None)
    if plan and not goal.plan:
        return f"plan: {shorten(prompts.plan_goal(plan.text).partition(': ')[0], _SUBJECT_CHARS)}"
    return f"{_BEGAN}{shorten(first.text, _SUBJECT_CHARS)}" if first.text != goal.text else ""


def _turns(session: Session, ask: UserRequest, status: str) -> bool:
    """Whether a request turned the course of the work: the user stopped the agent for it, or takes something back in
    its words; one that was only answered did not.
    """
    event = session.events[ask.event]
    if not isinstance(event, Prompt) or event.source != "typed" or len(event.text) > _TYPED_CHARS_MAX:
        return False
    if status.startswith("answered") or ask.text.endswith("?"):
        return False
    if not prompts.stands_alone(ask.text) and len(content_words(words_of(ask.text))) < _RULING_WORDS_MIN:
        return False
    before = session.events[ask.event - 1] if ask.event else None
    return isinstance(before, Interruption) or is_correction(ask.text[:_RULING_CHARS])


def _answers_to(session: Session, ask: UserRequest) -> str:
    """The "to: …" of a short request: what the agent asked or offered right before it, or the one it picks of what the
    agent listed; "" for any other.
    """
    if not (prompts.is_short(ask.text) or prompts.postponed(ask.text)):
        return ""
    before = next((event for event in reversed(session.events[: ask.event]) if isinstance(event, Reply)), None)
    if before is None:
        return ""
    picked = [pick.lower() for pick in prompts.picks(ask.text)]
    units = cut(before.text) if picked else []
    for unit in units:
        names = (lead_in(unit.text), unit.label, unit.heading)
        if unit.number in picked or any(name.lower().split()[-1:] == [pick] for name in names for pick in picked):
            return f"to: {shorten(unit.text, _OFFER_CHARS)}"
    said = sentences(one_line(before.text.rstrip().rpartition("\n")[2]))
    asked = [one for one in said if one.endswith("?") or OFFERS.search(one)]
    return f"to: {shorten(asked[-1], _OFFER_CHARS)}" if asked else ""


def _status(session: Session, work: SessionWork, ask: UserRequest, *, is_last: bool) -> str:
    """How a request stands. The one in which the record breaks off is under way, unless its work is on record."""
    came = outcome(session, work, ask.event, ask.end)
    return "under way" if is_last and not ended(session) and not came.startswith(("committed", "rebased")) else came


def outcome(session: Session, work: SessionWork, start: int, end: int) -> str:
    """What came of the events from `start` to before `end`, in a word or two."""
    commits = [commit for commit in work.commits if start <= commit.event < end and commit.event not in work.rebases]
    if commits:
        return f"committed {', '.join(commit.id[:8] for commit in commits if commit.id)}".rstrip()
    if any(start <= event < end for event in work.rebases):
        return "rebased"
    opened = [made.url for made in work.opened if start <= made.event < end]
    if opened:
        return f"opened {', '.join('/'.join(url.rsplit('/', 2)[1:]) for url in opened)}"
    events = session.events[start:end]
    if edited := _edited(session, work, events, start):
        return edited
    stopped = max((start + at for at, event in enumerate(events) if isinstance(event, Interruption)), default=-1)
    if stopped >= 0 and not any(stopped < index < end for index in session.finals):
        return "interrupted"
    finals = [event for i, event in enumerate(events, start) if isinstance(event, Reply) and i in session.finals]
    if not finals:
        return "broken off" if any(isinstance(event, (Reply, ToolStep)) for event in events) else "open"
    if start <= work.pushed < end:
        return "ran git push"
    # One answer that is too short to stand alone is told with its question.
    answer = one_line(finals[0].text).rstrip(".")
    return f"answered: {answer}" if len(finals) == 1 and len(answer) <= _ANSWER_CHARS else "answered"


def _edited(session: Session, work: SessionWork, events: tuple[Event, ...], start: int) -> str:
    """How the files stand that were edited among some events; "" if none were."""
    paths = {
        relative(event.call.action.path, session.root) or beside(event.call.action.path, session.root)
        for event in events
        if isinstance(event, ToolStep) and event.done and isinstance(event.call.action, Edit)
    }
    status = dict(work.status)
    # What later commits hold is committed, though it was edited again since.
    status |= {path: "committed" for commit in work.commits if commit.event > start for path in commit.files}
    stand = {status.get(path, "reverted") for path in paths - {""}}
    if not stand:
        return ""
    return "committed" if stand == {"committed"} else "reverted" if stand <= {"reverted", "removed"} else "edited"


def ended(session: Session) -> bool:
    """Whether the record ends with a finished turn: the agent's last words, or the user's stop."""
    if session.is_torn and session.events:
        return False
    for event in reversed(session.events):
        if isinstance(event, Reply):
            return True
        if isinstance(event, Interruption):
            return True
        if isinstance(event, Prompt):
            if prompts.is_closing(event.text) or (prompts.is_nod(event.text) and event.text.startswith("/")):
                continue
            return False
        if isinstance(event, ToolStep):
            return event.result is not None and event.result.outcome == "rejected"
    return True


def latest_event(session: Session) -> int:
    """The event of the latest request, 0 if there is none."""
    return max((i for i, event in enumerate(session.events) if isinstance(event, Prompt)), default=0)


def last_act(session: Session) -> str:
    """What was under way at the end of a record that stops in the middle, in one line.

    The calls that have no result yet (clients make several at once), else the last call. To-do lists and
    calls to clew are no act.
    """
    acts: list[str] = []
    lines = {one.call.at for one in session.events if isinstance(one, ToolStep) and isinstance(one.call.action, Run)}
    for index in range(len(session.events) - 1, -1, -1):
        event = session.events[index]
        if isinstance(event, ToolStep):
            action = event.call.action
            is_of_line = isinstance(action, Edit) and event.call.at in lines  # the shell line that writes tells it
            if isinstance(action, Todos) or is_own(event) or is_of_line:
                continue
            if acts and event.result is not None:
                break
            acts.append(_act(event, session.root))
            if event.result is not None or len(acts) == _ACTS_MAX:
                break
        elif isinstance(event, Prompt):
            whose = "the user's" if session.is_persons(event) else "a program's"
            return ", ".join(reversed(acts)) or f"{whose} prompt, not answered yet"
        elif acts:
            break
    return ", ".join(reversed(acts))


_ERROR_CHARS = 140
_HOW = {
    "ok": " (done)", "error": " (it failed)", "rejected": " (refused)", "interrupted": " (stopped)",
    "denied": " (denied)",
}  # fmt: skip


def _act(step: ToolStep, root: str) -> str:
    action, result = step.call.action, step.result
    how = _HOW.get(result.outcome, "") if result is not None else " (no result: its outcome is unknown)"
    if result is not None and result.outcome == "error" and (error := one_line(error_line(result.text))):
        how = f" (it failed: {shorten(error, _ERROR_CHARS)})"
    if isinstance(action, Run):
        return f"`{shorten_code(one_line(action.command), 120)}`{how}"
    if isinstance(action, (Edit, Read)):
        return f"{step.call.tool} of {relative(action.path, root) or action.path}{how}"
    return f"{step.call.tool}{how}"
