"""From a session to its state: facts by rule and the sentences worth keeping, as items in order of importance."""

from __future__ import annotations

import re

from clew.core.items import FILL_RANK, Item, Kind, Origin, Place, State, new_item
from clew.core.records import (
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
    Thought,
    Todos,
)
from clew.distill import asking, choose, facts, sentences
from clew.distill.cues import spoken
from clew.distill.earlier import Earlier
from clew.distill.fact import FILL_TIER, Fact
from clew.distill.identifiers import content_words
from clew.distill.kinds import kind_of
from clew.distill.sentence import Sentence
from clew.distill.session import Event, Session, Step
from clew.distill.work import Work, survey

# Enough for the largest documents; a smaller budget takes the front part.
SENTENCES_CHARS_MAX = 9000
# Of thoughts, which only fill room.
THOUGHTS_CHARS_MAX = 1200


def distil(session: Session) -> State:
    """The state that a session leaves, by rule and without a model. Every item names its place in the record."""
    work = survey(session)
    asked = asking.asks(session)
    found = facts.gather(session, work, asked)
    shown = " ".join(fact.text for fact in found if fact.tier < FILL_TIER)
    prose = [s for s in sentences.gather(session, work) if s.source == "plan-open" or s.text not in shown]
    focus, named = _focus(work), choose.vocabulary(ask.text for ask in asked)
    chosen = choose.choose(
        sentences.candidates(prose),
        covered=choose.vocabulary(f"{fact.text} {fact.why}" for fact in found if _is_named(fact)),
        focus=focus,
        named=named,
        chars_max=SENTENCES_CHARS_MAX,
    )
    ended = asking.ended(session)
    paths = _Paths(work)
    earlier = Earlier(session, work)
    last = max((s.event for s in prose if s.source == "last"), default=-1)
    has_step = any(s.source == "last" and kind_of(s, latest=True, has_step=True) == "next" for s in prose)
    items: dict[str, Item] = {}
    order: dict[str, int] = {}

    def put(item: Item, at: int) -> None:
        if item.id not in items:
            items[item.id], order[item.id] = item, at

    for number, fact in enumerate(found):
        put(_from_fact(session, fact, _TIER_RANKS[fact.tier]), number)
    for position, candidate in enumerate(chosen):
        sentence = prose[candidate.key]
        kind = kind_of(sentence, latest=ended and sentence.event == last, has_step=has_step)
        item = _from_sentence(session, sentence, position, paths, kind)
        if sentence.declined:
            item = item._replace(status="declined")
        elif earlier.tells(sentence, item.kind, item.files):
            rank = _USED_RANK + position if sentence.source == "report" else item.rank
            item = item._replace(status="earlier", rank=rank)
        if sentence.source == "plan-open" and work.plans[-1].status != "accepted":
            item = item._replace(status="proposed")
        put(item, len(found) + candidate.key)
    told = " ".join(item.text for item in items.values())
    rest = sentences.rest_of_last(session, work, told)
    thoughts = sentences.thoughts(session, work)
    for position, sentence in enumerate([*rest, *_newly_thought(thoughts, told, focus=focus, named=named)]):
        kind = kind_of(sentence, latest=ended and sentence.source == "last", has_step=has_step)
        item = _from_sentence(session, sentence, position, paths, kind)
        if earlier.tells(sentence, item.kind, item.files):
            item = item._replace(status=f"earlier {item.status}".rstrip())
        rank = item.rank if item.kind == "next" else FILL_RANK + position
        put(item._replace(rank=rank), len(found) + len(prose) + position)
    origin = Origin(
        session.client,
        session.id,
        session.root,
        session.branch,
        session.first_time,
        session.last_time,
        ended,
        "" if ended else asking.last_act(session),
    )
    return State(origin, tuple(sorted(items.values(), key=lambda item: (item.place.at, order[item.id]))))


def _newly_thought(thoughts: list[Sentence], told: str, *, focus: set[str], named: set[str]) -> list[Sentence]:
    """The thoughts that add something to what is told."""
    if not thoughts:
        return []
    chosen = choose.choose(
        sentences.candidates(thoughts),
        covered=choose.vocabulary([told]),
        told=content_words(spoken(told).words),
        focus=focus,
        named=named,
        chars_max=THOUGHTS_CHARS_MAX,
    )
    return [thoughts[candidate.key] for candidate in chosen]


# Where facts and sentences meet: a document takes items by rank, and a small one needs the last message's best
# sentences more than the list of files. The tier of a fact is its first rank; sentences begin at `_SENTENCE_RANK`.
_TIER_RANKS = (0, 1, 2, 3, 4, 5, 6, 9, 12, 16, 40, 2 * FILL_RANK)
_SENTENCE_RANK = 7


# What a sub-agent found is used up by the edits that follow: it comes behind all that was checked.
_USED_RANK = _TIER_RANKS[10] + 1


def _is_named(fact: Fact) -> bool:
    """Whether a reader of any document knows what a fact names."""
    return fact.kind != "file" and fact.tier < FILL_TIER


def _focus(work: Work) -> set[str]:
    """Identifiers of the three files edited last: their names and what was added to them."""
    names: set[str] = set()
    for file in sorted(work.files, key=lambda file: -file.last)[:3]:
        names.add(file.path.lower())
        names.add(file.path.rsplit("/", 1)[-1].lower())
        names.update(symbol.lower() for symbol in file.symbols)
    return names


def _place(session: Session, event: Event) -> Place:
    if isinstance(event, Step):
        return Place(session.id, event.call.at, _step_quote(event))
    text = event.text if isinstance(event, (Prompt, Reply, Thought, Summary)) else ""
    return Place(session.id, event.at, text)


def _step_quote(step: Step) -> str:
    """The words of a tool call and of what came back that an item can be read off."""
    action, result = step.call.action, step.result
    words = [text for text in (action if isinstance(action, (Run, Edit, Plan, Delegate)) else ()) if text]
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
    return event.call.time if isinstance(event, Step) else event.time


def _from_fact(session: Session, fact: Fact, rank: int) -> Item:
    event = session.events[fact.event]
    return new_item(
        fact.kind,
        fact.text,
        client=session.client,
        place=_place(session, event),
        provenance="agent" if fact.provenance == "human" and not session.is_persons(event) else fact.provenance,
        why=fact.why,
        status=fact.status,
        files=fact.files,
        rank=rank,
        time=_time(event),
    )


_STATUS = {
    "plan-open": "planned", "plan-done": "was planned", "proposal": "was planned", "suggestion": "proposed",
    "thought": "thought",
}  # fmt: skip
# A dead end in the agent's words comes before other facts: whoever does not know it walks into it again.
_DEAD_END_RANK = 5
# So does what the last message calls next: a section that is always there may not be without it for want of room.
_NEXT_RANK = 5


def _from_sentence(session: Session, sentence: Sentence, position: int, paths: _Paths, kind: Kind) -> Item:
    rank = _SENTENCE_RANK + position
    if kind == "failed":
        rank = min(rank, _DEAD_END_RANK)
    elif kind == "next":
        rank = min(rank, _NEXT_RANK)
    event = session.events[sentence.event]
    human = isinstance(event, Prompt) and not sentence.source.startswith("plan") and session.is_persons(event)
    return new_item(
        kind,
        sentence.text,
        client=session.client,
        place=_place(session, event),
        provenance="human" if human else "agent",
        status="" if sentence.found else _STATUS.get(sentence.source, ""),
        files=paths.cited(f"{sentence.label} {sentence.text}"),
        rank=rank,
        time=_time(event),
        label=sentence.label,
    )


class _Paths:
    """The project files of a session, found again in prose by their names. A name of two files cites neither."""

    def __init__(self, work: Work) -> None:
        self._by_name: dict[str, list[str]] = {}
        for path in (*(file.path for file in work.files), *work.read):
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
