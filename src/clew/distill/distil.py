"""From a session to its state: facts by rule and the sentences worth keeping, as items in order of importance."""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Iterator
from math import log
from typing import Final

from clew.core.records.file_names import is_inside
from clew.core.records.transcript import (
    Ask,
    Delegate,
    Edit,
    Other,
    Plan,
    Prompt,
    Read,
    Reply,
    Run,
    Search,
    Summary,
    Todos,
)
from clew.core.state.items import Item, Kind, Origin, Place, Provenance, State, new_item
from clew.core.text.cleaning import one_line, shorten
from clew.distill import ahead, asking, facts, state_texts
from clew.distill.asking import UserRequest as Request
from clew.distill.fact import SessionFact, paced
from clew.distill.identifiers import content_words, identifiers, vocabulary, words_of
from clew.distill.prose import REASON, Point
from clew.distill.session import Event, Session, ToolStep
from clew.distill.standing import Since, earlier, reasons
from clew.distill.state_texts import StateText
from clew.distill.work import SessionWork, survey

# Which points are worth their room: scored by how late they stand, taken greedily for what they add.
#
# The order in which `choose` returns points does not depend on a budget: a smaller one takes a shorter front part.

# A point full of names is worth no more than one with some; new plain words count a little too.
_NOVELTY_MAX = 4.0
_WORD_WORTH = 0.15
# What a name is worth that the reader has seen, or that the user typed.
_KNOWN, _NAMED = 0.12, 0.3
# What a heading calls by its kind (a decision, a risk) is what a reader looks for.
_KIND = 1.6
# A point that names nothing new says something by more new words than these.
_NEW_WORDS = 2


def choose(found: list[Point], *, covered: set[str], named: set[str], chars_max: int) -> list[Point]:
    """Points in the order of their worth, until `chars_max` characters are taken.

    `covered`: identifiers that the reader has already been told. `named`: those the user typed. Ties fall to the later
    one, so that equal input gives equal output.
    """
    frequency = Counter(name for one in found for name in one.names)
    known, used, chosen, chars = set(covered), set[str](), list[Point](), 0
    last = max((one.event for one in found), default=1) or 1

    def worth(one: Point) -> float:
        # In sorted order: a sum of floats depends on it, and the order of a set changes from run to run.
        novelty = sum(log(1.7 + frequency[name]) * (_KNOWN if name in known else 1) for name in sorted(one.names))
        new = len(one.words - used)
        adds = 1 + _NAMED * (not named.isdisjoint(one.names)) + 0.45 * min(_NOVELTY_MAX, novelty)
        adds = (adds + _WORD_WORTH * min(12, new)) * (0.5 + 0.5 * new / max(1, len(one.words)))
        return float(adds * (0.35 + 0.65 * one.event / last) * (_KIND if one.kind else 1) / (len(one.text) + 12) ** 0.6)

    # Scores only fall as more is taken, so a stale one at the top of the heap is computed again (lazy greedy).
    heap = [(-worth(one), -index) for index, one in enumerate(found)]
    heapq.heapify(heap)
    while heap and chars < chars_max:
        stale, index = heapq.heappop(heap)
        one = found[-index]
        if -(fresh := worth(one)) > stale + 1e-12:
            heapq.heappush(heap, (-fresh, index))
            continue
        new = len(one.words - used)
        if not (one.names <= known and (new <= _NEW_WORDS or new * 5 <= len(one.words))):
            chosen.append(one)
            chars += len(one.text)
            known |= one.names
            used |= one.words
    return chosen


# Tagged lines: what somebody says on purpose to be remembered, `[LEARNED] …`, `[DECISION] …`, in a message of the
# agent or a prompt of the user. Never in what a tool printed, nor in code.

_TAG: Final = re.compile(
    r"^[ \t]{0,8}(?:[-*+>][ \t]+)?(?:\*\*|__|`)?\[(LEARNED|LEARNING|DECISION|GOTCHA|REUSE|CORRECTION)\]"
    r"(?:\*\*|__|`)?[ \t]*[:–—-]?[ \t]*(\S.*)$",
    re.MULTILINE,
)
_FENCED: Final = re.compile(r"^(?P<mark>```+|~~~+).*?^(?P=mark)[ \t]*$", re.MULTILINE | re.DOTALL)
_REASON: Final = re.compile(r"\s+(?:—|–|because)\s+", re.IGNORECASE)
_TEXT_CHARS_MAX: Final = 600
_EACH_MAX: Final = 40


# What was said on purpose comes before what rules found.
_TAGGED_RANKS: Final = {"decision": 3, "learning": 9}


def tagged(session: Session) -> list[SessionFact]:
    """The tagged lines of a session in order, each words once; at most so many of the newest. A label is the tag."""
    found: dict[tuple[str, str], SessionFact] = {}
    for index, event in enumerate(session.events):
        if not isinstance(event, (Reply, Prompt)) or "[" not in event.text:
            continue
        if isinstance(event, Prompt) and (event.source != "typed" or not session.is_persons(event)):
            continue
        whose: Provenance = "human" if isinstance(event, Prompt) else "agent"
        for match in _TAG.finditer(_FENCED.sub("", event.text)):
            kind: Kind = "decision" if match[1] == "DECISION" else "learning"
            label = "" if kind == "decision" else match[1].replace("LEARNING", "LEARNED")
            parts = _REASON.split(one_line(match[2]).strip("*_"), 1)
            text, why = (shorten(part, _TEXT_CHARS_MAX) for part in (*parts, "")[:2])
            if len(text) > 3:
                fact = SessionFact(kind, text, index, _TAGGED_RANKS[kind], why, provenance=whose, label=label)
                found.setdefault((kind, text), fact)
    return list(found.values())[-_EACH_MAX:]


def is_tagged(text: str) -> bool:
    """Whether a sentence is such a line, or begins with its tag."""
    return text.startswith("[") and _TAG.match(text) is not None


# The first rank of each kind of text, and how many characters of it stand on one rank: so they take turns, whatever
# the budget of a document is. The agent's last words lead, what it wrote down before them comes next.
_LAST_RANK, _LAST_PACE = 3, 500
_TEXT_RANK, _TEXT_PACE = 5, 300
_DEAD_RANK, _DEAD_PACE = 6, 200
_EARLIER_RANK, _EARLIER_PACE = 7, 250
_EARLIER_CHARS_MAX = 3000
# What an agent calls next, or a dead end, comes before the rest of its text.
_RANKS: dict[Kind, int] = {"failed": 4, "next": 1, "question": 4, "blocker": 4}
# So much of the words of a line, and another one told it.
_TOLD_SHARE, _TOLD_WORDS_MIN = 0.85, 4


def distil(session: Session) -> State:
    """The state that a session leaves, by rule and without a model. Every item names its place in the record."""
    work = survey(session)
    asked = asking.asks(session)
    found = _facts(session, work, asked)
    paths = _Paths(work)
    items: dict[str, tuple[Item, int]] = {}
    for number, fact in enumerate(found):
        item = _item(session, fact, paths)
        items.setdefault(item.id, (item, number))
    told = sorted(items.values(), key=lambda entry: (entry[0].place.at, entry[1]))
    ended = asking.ended(session)
    last_act = "" if ended else asking.last_act(session)
    times = (session.first_time, session.last_time)
    origin = Origin(session.client, session.id, session.root, session.branch, *times, ended, last_act)
    return State(origin, tuple(item for item, _ in told))


def _facts(session: Session, work: SessionWork, asked: list[Request]) -> list[SessionFact]:
    """Every line, each once: what was asked and proved, the agent's last words, what it wrote down, what failed and
    why, and what earlier turns left.
    """
    since = Since(work)
    requests = [*asking.gather(session, work, asked), *asking.deferred(session, asked)]
    todos = facts.open_todos(session, work, since, asked)
    last = ahead.last_event(session)
    said = ahead.last_points(session, last)
    texts = state_texts.find(session, work, since, [ask.event for ask in asked], last)
    standing = [(text, state_texts.standing_points(session, work, since, text, last)) for text in texts]
    taken = [point for point, _ in said] + [point for _, points in standing for point in points]
    proved = [] if any(kind == "next" for _, kind in said) else ahead.proved(session, work, asked, todos)
    goals = {fact.text for fact in requests if fact.kind == "goal"}  # where the goal is a demand, it says so itself
    firm = [fact for fact in facts.gather(session, work) if fact.kind != "constraint" or fact.text not in goals]
    found = [*requests, *proved, *firm, *facts.listed(todos), *_last(said), *_under_way(session, since, last)]
    for text, points in standing:
        found += _written(session, text, points, has_next=any(fact.kind == "next" for fact in found))
    found += paced((_fact(point, _kind_of(point), _DEAD_RANK) for point in reasons(session, since)), _DEAD_PACE)
    older = earlier(session, work, since, taken, last if last >= 0 else len(session.events))
    older = [point for point in older if point.event not in {text.event for text in texts}]
    covered = vocabulary(f"{fact.text} {fact.why}" for fact in found if fact.kind != "file")
    named = vocabulary(ask.text for ask in asked)
    chosen = choose(older, covered=covered, named=named, chars_max=_EARLIER_CHARS_MAX)
    found += paced((_fact(point, _kind_of(point), _EARLIER_RANK) for point in chosen), _EARLIER_PACE)
    kept = [fact for fact in found if not is_tagged(fact.text)]
    return [*_once(kept), *tagged(session)]


def _last(said: list[tuple[Point, Kind]]) -> list[SessionFact]:
    """The last message, whole; its entries keep their heading, its paragraphs say where they stand."""
    found = paced((_fact(point, kind, _LAST_RANK) for point, kind in said), _LAST_PACE)
    return [
        one._replace(
            rank=min(one.rank, _RANKS.get(one.kind, one.rank)),
            label=one.label or "Last message" if one.kind == "finding" else one.label,
        )
        for one in found
    ]


def _under_way(session: Session, since: Since, last: int) -> Iterator[SessionFact]:
    """What was said in a turn under way."""
    said = (_fact(point, _kind_of(point), _LAST_RANK) for point in ahead.under_way(session, since, last))
    yield from paced(said, _LAST_PACE)


def _written(session: Session, text: StateText, points: list[Point], *, has_next: bool) -> Iterator[SessionFact]:
    """The points of a text that the agent wrote down, in its order, under its name and time and their own headings."""
    ranked = paced((_fact(point, _kind_of(point, "note"), _TEXT_RANK) for point in points), _TEXT_PACE)
    name = f"{text.name} (found, {_time(session.events[text.event])[11:16]} UTC)"
    for point, one in sorted(zip(points, ranked, strict=True), key=lambda entry: entry[0].place):
        kind: Kind = "step" if one.kind == "next" and has_next else one.kind
        has_next |= kind == "next"
        yield one._replace(kind=kind, label=f"{name}: {point.label}" if point.label else name)


def _fact(point: Point, kind: Kind, rank: int) -> SessionFact:
    return SessionFact(kind, point.text, point.event, rank, provenance="agent", label=point.label)


def _kind_of(point: Point, other: Kind = "finding") -> Kind:
    return point.kind or ("decision" if other == "finding" and REASON.search(point.text) else other)


def _once(found: list[SessionFact]) -> Iterator[SessionFact]:
    """Lines that say what none before them says. Of a few words nobody knows whether they mean the same."""
    told: dict[str, list[set[str]]] = {}
    for fact in found:
        words = _words(fact.text if fact.provenance == "agent" else f"{fact.text} {fact.why}")
        rarest = min(sorted(words), key=lambda word: len(told.get(word, ())), default="")
        is_told = any(len(words & other) >= _TOLD_SHARE * len(words) for other in told.get(rarest, ()))
        if not (is_told and fact.provenance == "agent" and len(words) >= _TOLD_WORDS_MIN):
            for word in words:
                told.setdefault(word, []).append(words)
            yield fact


def _words(text: str) -> set[str]:
    return content_words(words_of(text)) | identifiers(text)


def _place(session: Session, event: Event) -> Place:
    if isinstance(event, ToolStep):
        return Place(session.id, event.call.at, _step_quote(event))
    text = event.text if isinstance(event, (Prompt, Reply, Summary)) else ""
    return Place(session.id, event.at, text)


def _step_quote(step: ToolStep) -> str:
    """The words of a tool call and of what came back that an item can be read off."""
    action, result = step.call.action, step.result
    words = [
        text
        for text in (action if isinstance(action, (Run, Edit, Plan, Delegate)) else ())
        if text and text is not True
    ]
    if isinstance(action, Todos):
        words = [entry.text for entry in action.entries if entry.text]
    elif isinstance(action, (Read, Search, Other)):
        words = [step.call.tool, *(str(part) for part in action if part)]
    elif isinstance(action, Ask):
        words = [f"{question} → {answer}" for question, answer in (result.answers if result else ())]
    if result is not None:
        words += [
            text for text in (result.reason, result.text if isinstance(action, (Run, Delegate, Other)) else "") if text
        ]
    return "\n".join(words)


def _time(event: Event) -> str:
    return event.call.time if isinstance(event, ToolStep) else event.time


def _item(session: Session, fact: SessionFact, paths: _Paths) -> Item:
    event = session.events[fact.event]
    is_said = fact.provenance == "agent" or fact.label
    return new_item(
        fact.kind,
        fact.text,
        client=session.client,
        place=_place(session, event),
        provenance="agent" if fact.provenance == "human" and not session.is_persons(event) else fact.provenance,
        why=fact.why,
        status=fact.status,
        files=fact.files or (paths.cited(f"{fact.label} {fact.text} {fact.why}") if is_said else ()),
        rank=fact.rank,
        time=_time(event),
        label=fact.label,
    )


class _Paths:
    """The project files of a session, found again in prose by their names. A name of two files cites neither."""

    def __init__(self, work: SessionWork) -> None:
        self._by_name: dict[str, list[str]] = {}
        for path in (*(file.path for file in work.files if is_inside(file.path)), *work.read):
            self._by_name.setdefault(path.rpartition("/")[2], []).append(path)

    def cited(self, text: str) -> tuple[str, ...]:
        """Paths that `text` names, sorted."""
        found: set[str] = set()
        for name, paths in self._by_name.items():
            if name in text and _stands_alone(name, text):
                named = [path for path in paths if path in text] or paths
                found.update(named if len(named) == 1 else ())
        return tuple(sorted(found))


def _stands_alone(name: str, text: str) -> bool:
    """Whether a name stands in a text as no part of another (`a.py` in `data.py`)."""
    return re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", text) is not None
