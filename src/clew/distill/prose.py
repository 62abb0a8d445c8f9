"""A session's prose as sentences that may be quoted: where each stands, what it names, what its heading calls it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from clew.core.gate.shell import purposes
from clew.core.records.transcript import Delegate, Plan, Prompt, Reply, Run, Summary, Thought
from clew.core.state.items import Kind
from clew.distill import prompts
from clew.distill.blocks import sentences
from clew.distill.identifiers import content_words, identifiers, words_of
from clew.distill.kinds import kind_named, kind_said
from clew.distill.messages import message_of
from clew.distill.session import Event, Session, Step
from clew.distill.units import Unit, cut, leans
from clew.distill.work import Work, is_own

# last: the agent's last message, if it did nothing since; final: one that ended a turn; narration: one in between;
# message: of a commit or a pull request; plan-open, plan-done: a plan to be carried out, or one that was; summary: the
# client's, of what a compaction dropped; report: of a sub-agent.
Source = Literal["last", "final", "narration", "message", "plan-open", "plan-done", "summary", "report"]

# A short sentence that names nothing says nothing to a reader who was not there; one of a terse last message may.
_NAMELESS_CHARS_MIN = 60
_LAST_CHARS_MIN = 25
_TERSE_CHARS_MAX = 400
# Names alone, however many, tell nothing: so many content words stand beside them.
_SPOKEN_MIN = 2
_CODE = re.compile(r"`[^`]*`|\([^()]*\)")


class Sentence(NamedTuple):
    """A unit of prose and the event it stands in. `label` is the heading to say with it ("" none), `heading` what
    tells its `kind` (None: no heading names one). `recency`: its place in the session, 0 (first) to 1 (last).
    `names` are its identifiers, `words` its content words. `status`: "earlier" where it tells how things were.
    `is_end`: it ends its message.
    """

    text: str
    label: str
    heading: str
    kind: Kind | None
    source: Source
    event: int
    recency: float
    names: set[str]
    words: set[str]
    status: str = ""
    is_end: bool = False


def gather(session: Session, work: Work) -> list[Sentence]:
    """All that could be quoted, in the order in which it was said: no announcement, no fragment."""
    found: list[Sentence] = []
    size = max(1, len(session.events) - 1)
    in_force = max((plan.event for plan in work.plans if plan.status != "rejected"), default=-1)
    for text, source, event in _texts(session, work):
        units = cut(_plainly(text, session.root))
        is_terse = source == "last" and len(text) <= _TERSE_CHARS_MAX and not _is_beside_own(session.events, event)
        chars_min = _LAST_CHARS_MIN if is_terse else _NAMELESS_CHARS_MIN
        recency = 1.0 if event == in_force else event / size  # the plan in force counts as said now
        for unit in units:
            if sentence := _sentence(unit, source, event, recency, chars_min, is_end=unit is units[-1]):
                found.append(sentence)
    return found


def last_reply(session: Session) -> int:
    """The event of the agent's last message, -1 if it said nothing."""
    return max((i for i, event in enumerate(session.events) if isinstance(event, Reply)), default=-1)


def _texts(session: Session, work: Work) -> Iterator[tuple[str, Source, int]]:
    """The texts of a session with their roles and events."""
    events = session.events
    last = last_reply(session)
    last_summary = max((i for i, event in enumerate(events) if isinstance(event, Summary)), default=-1)
    steps = [i for i, event in enumerate(events) if isinstance(event, Step)]
    first_step, last_step = (steps[0], steps[-1]) if steps else (len(events), -1)
    plans = {plan.event for plan in work.plans if plan.status != "rejected"}
    open_plan = _open_plan(work)
    for index, event in enumerate(events):
        plan: Source = "plan-open" if index == open_plan else "plan-done"
        if isinstance(event, Reply):
            is_final = index in session.finals
            is_begin = index < first_step and not is_final and not REASON.search(event.text)
            if is_begin or _leads_to_refusal(events, index):
                continue  # before it did anything the agent can only announce
            text = event.text if index > first_step else re.sub(_PICKED_UP, "", event.text)
            is_last = index == last and index > last_step
            if not is_last and not REASON.search(text) and _is_beside_own(events, index):
                continue  # what it says around a call to clew is about that call
            yield text, "last" if is_last else "final" if is_final else "narration", index
        elif isinstance(event, Summary) and index == last_summary:
            yield event.text, "summary", index  # it tells what those before it told
        elif isinstance(event, Prompt) and event.source == "plan":
            yield prompts.plan_body(event.text), plan, index
        elif isinstance(event, Step) and isinstance(event.call.action, Plan):
            if index in plans:
                yield event.call.action.text, plan, index
        elif isinstance(event, Step) and event.done and event.result is not None:
            action = event.call.action
            if isinstance(action, Delegate):
                yield event.result.text.partition("\nagentId: ")[0], "report", index  # the client's own data follow
            elif isinstance(action, Run) and _gives_message(action.command):
                yield re.sub(_TRAILER, "", message_of(action.command).partition("\n")[2]), "message", index


# clew itself asks an agent at the start to say in one sentence what it picked up.
_PICKED_UP = r"(?im)^.*?\bpick(?:ed|ing)? up\b.*?(?:[.!](?=\s|$)|$)"
_TRAILER = r"(?m)^(?:[A-Z][\w-]+-[Bb]y:|\S*[ \t]*Generated with).*$"


def _open_plan(work: Work) -> int:
    """The event of the plan still to be carried out, -1 if there is none: the last, if no file was edited since."""
    at = work.plans[-1].event if work.plans and work.plans[-1].status != "rejected" else -1
    return -1 if any(file.last > at for file in work.files) else at


def _gives_message(command: str) -> bool:
    """Whether a command commits or opens a pull request: what it is given to say is a report."""
    if "commit" not in command and "pr create" not in command:
        return False
    return any(part.purpose in ("commit", "pull-request") for part in purposes.split(command))


def _is_beside_own(events: tuple[Event, ...], at: int) -> bool:
    """Whether a reply stands right before or behind a call to clew itself."""
    near = (events[i] for i in (at - 1, at + 1) if 0 <= i < len(events))
    return isinstance(events[at], Reply) and any(isinstance(one, Step) and is_own(one) for one in near)


def _leads_to_refusal(events: tuple[Event, ...], index: int) -> bool:
    """Whether a reply speaks for a call that the user then refused: what it says is not what will be done."""
    behind = (events[at] for at in range(index + 1, len(events)))
    step = next((event for event in behind if not isinstance(event, (Reply, Thought))), None)
    return isinstance(step, Step) and step.result is not None and bool(step.result.reason)


# A leaf directive of Markdown (`::name{key="value"}`), a menu: what a client is to draw, no words.
_DRAWN = r"::[a-z][\w-]*\{[^{}\n]*\}|</?options?[^<>\n]*>"
_MENU_END = "</options>"
# A document names the root once; behind one of these it is a part of another path.
_WITHIN_PATH = r"(?<![\w./~-])"


def _plainly(text: str, root: str) -> str:
    """A text without what says nothing more: the root in front of paths, what a client draws, typographic apostrophes;
    of one in JSON its sentences.
    """
    if text.startswith("{") and text.endswith("}"):
        text = _unpacked(text)
    inside = root.rstrip("/") + "/"
    if len(inside) > 1 and inside in text:
        text = re.sub(_WITHIN_PATH + re.escape(inside) + r"(?=[\w.])", "", text)
    if _MENU_END in text:
        menus, end, behind = text.rpartition(_MENU_END)
        text = re.sub(f"(?s)<options>.*?{_MENU_END}", "", menus + end) + behind
    if "::" in text or "option" in text:
        text = re.sub(_DRAWN, "", text)
    return text.replace("’", "'")


def _unpacked(text: str) -> str:
    """The sentences of an answer in JSON, a list entry each: a review by Codex is one."""
    import json  # here: few sessions have such an answer

    try:
        return "\n\n".join(_statements(json.loads(text)))
    except (ValueError, RecursionError):
        return text


def _statements(value: object) -> Iterator[str]:
    if isinstance(value, list):
        for one in value:
            yield from _statements(one)
    elif isinstance(value, dict):
        said = ": ".join(one for one in value.values() if isinstance(one, str) and " " in one)
        if said:
            yield f"- {said}{_location(value.get('code_location'))}"
        for one in value.values():
            yield from _statements(one)


def _location(place: object) -> str:
    """Where a finding of a review is: ` (path:line)`."""
    if not isinstance(place, dict) or not isinstance(path := place.get("absolute_file_path"), str):
        return ""
    lines = place.get("line_range")
    return f" ({path}:{lines['start']})" if isinstance(lines, dict) and "start" in lines else f" ({path})"


def _sentence(
    unit: Unit, source: Source, event: int, recency: float, chars_min: int, *, is_end: bool
) -> Sentence | None:
    """A unit as a sentence; None if it does not stand alone or says nothing."""
    said = [one for one in sentences(unit.text) if not _is_talk(one, source)]
    text = " ".join(said)
    if not _is_whole(text):
        return None
    names = identifiers(text)
    words = content_words(words_of(text))
    if not names and (leans(text) or len(text) < chars_min):
        return None
    kind = kind_named(unit.heading) or kind_said(text)
    if source not in ("last", "plan-open") and not kind and len(content_words(_spoken(text))) < _SPOKEN_MIN:
        return None  # names without a statement
    label = unit.label
    if source == "message":
        label = f"committed, {label}" if label else "committed"
    return Sentence(text, label, unit.heading, kind, source, event, recency, names, words, is_end=is_end)


def _spoken(text: str) -> list[str]:
    """The plain words of a text that stand outside of code and brackets."""
    plain = (word.strip(".,;:!?'\"*-–—") for word in _CODE.sub(" ", text).split())
    return [word.lower() for word in plain if word.isalpha()]


def _is_whole(text: str) -> bool:
    """Whether a text is all of a statement, as far as its form tells."""
    if len(text) < 12 or " " not in text or text.count("`") % 2 or text.startswith("…") or text.endswith((":", "…")):
        return False
    return text.count("(") == text.count(")") or len(text) >= 200


# What an agent says it is about to do, and what it offers: the user has answered to that, but for the last message.
_ANNOUNCES = re.compile(
    r"(?:(?:ok|okay|great|good|perfect|excellent|alright|right|now|next|first|then|so|also|and|but)\b[,.!: —-]*)*"
    r"(?:let me|let's|i'll|i will|i'm (?:going|now|about)|i am (?:going|now)|i (?:now )?(?:need|want|have) to"
    r"|i should|now[, ])\b",
    re.IGNORECASE,
)
# What only assents to what was said before it.
_ASSENTS = re.compile(r"(?:all right|alright|ok|okay|sure|understood|noted|got it)\b[,.!: —-]+i\b", re.IGNORECASE)
_IN_HAND = re.compile(r"(?:Next,? |Now,? )?(?:I'm|I am) (?:now )?\w+ing\b")
_DOING = re.compile(r"(?:Now )?[A-Z]?[a-z]+ing\b|(?:Good|Great|Perfect|OK|Okay|Excellent|Done)\b[,.!]")
OFFERS = re.compile(
    r"\b(?:want me to|shall i|should i|would you like|let me know (?:if|whether)|happy to)\b"
    r"|\bif you(?:'d)? (?:want|like|prefer)\b[^.]*\bi(?:'ll)?\b",
    re.IGNORECASE,
)
REASON = re.compile(r"\b(?:because|since|so that|instead|rather than)\b")


def _is_talk(sentence: str, source: Source) -> bool:
    """Whether a sentence only announces, or asks something that the user has answered since."""
    if source in ("plan-open", "plan-done", "summary", "message"):
        return False
    if source != "last" and (sentence.endswith("?") or OFFERS.search(sentence)):
        return True
    if sentence.endswith((":", "…", "!")):
        return True
    announces = is_announcement(sentence) or (source == "narration" and _DOING.match(sentence))
    return bool(announces) and not (REASON.search(sentence) and identifiers(sentence))


def is_announcement(sentence: str) -> bool:
    """Whether a sentence says what its speaker is about to do, or only assents."""
    return bool(_ANNOUNCES.match(sentence) or _IN_HAND.match(sentence) or _ASSENTS.match(sentence))
