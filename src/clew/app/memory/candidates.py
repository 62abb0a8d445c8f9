"""What could become part of memory, and which facts say the same. Looks; keeps nothing."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, Self

from clew.app.memory.store import OpenMemory
from clew.app.project.session import ProjectSession
from clew.app.results import JsonResult
from clew.core.state.extract import Extract
from clew.core.state.facts import covered, facts, suggested_topic, waiting
from clew.core.state.fold import values
from clew.core.state.ids import short_session
from clew.core.state.items import Item, Kind, Provenance
from clew.core.state.projection import Known, is_of_memory, kind_of_id, source_of
from clew.core.state.projection import known as known_of
from clew.core.text.instructions import is_hostile, is_instruction
from clew.distill.identifiers import content_words, identifiers, words_of
from clew.documents.lint.rules import is_convention, is_task_state
from clew.documents.pairing import normal

# So great a part of the words of both together is shared by two that say much the same (tried on 400 pairs of made
# facts).
SHARED_MIN: Final = 0.6


class _Words(NamedTuple):
    plain: str
    words: frozenset[str]
    names: frozenset[str]


class Likeness:
    """Texts that are known, each under a name, to be asked for what says the same as another text.

    Work grows with the number of known texts that share a word with the one that is asked for.
    """

    def __init__(self, known: Iterable[tuple[str, str]] = ()) -> None:
        self._of: list[tuple[str, _Words]] = []
        self._by_word: dict[str, list[int]] = {}
        self._by_plain: dict[str, str] = {}
        for name, text in known:
            self.add(name, text)

    def add(self, name: str, text: str) -> None:
        """One text more."""
        one = _taken(text)
        for word in one.words:
            self._by_word.setdefault(word, []).append(len(self._of))
        self._of.append((name, one))
        self._by_plain.setdefault(one.plain, name)

    def same(self, text: str) -> str:
        """The name of the first text with the same words, whatever their case, emphasis and end; "" none."""
        return self._by_plain.get(normal(text), "")

    def like(self, text: str) -> list[str]:
        """The names of texts that say the same or nearly so, the most alike first. Texts that name other files, numbers
        or options are about something else, however alike their words.
        """
        asked = _taken(text)
        near = {at for word in asked.words for at in self._by_word.get(word, ())}
        found: dict[str, float] = {}
        for at in near:
            name, one = self._of[at]
            share = _share(asked, one)
            if share >= SHARED_MIN:
                found[name] = max(share, found.get(name, 0.0))
        if same := self.same(text):
            found[same] = 1.0
        return sorted(found, key=lambda name: (-found[name], name))


def duplicates(texts: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Pairs of names whose texts say the same or nearly so, each pair once, in the order of the later one."""
    known = Likeness()
    found = []
    for name, text in texts:
        found += [(other, name) for other in known.like(text) if other != name]
        known.add(name, text)
    return found


def _taken(text: str) -> _Words:
    return _Words(normal(text), frozenset(content_words(words_of(text))), frozenset(identifiers(text)))


def _share(one: _Words, other: _Words) -> float:
    if one.plain == other.plain:
        return 1.0
    # One may name more than the other; two that each name something of their own tell of different things.
    if (one.names - other.names) and (other.names - one.names):
        return 0.0
    both = len(one.words | other.words)
    return len(one.words & other.words) / both if both > 2 else 0.0


# What a finished task leaves that may matter elsewhere, if somebody stated it.
_OF_FINISHED: Final[tuple[Kind, ...]] = ("finding", "decision", "constraint")
_LEARNED: Final[tuple[Kind, ...]] = ("learning",)
_DATE_CHARS: Final = 10

# hostile: it wants to take over its reader. instruction: it is an instruction. state: it tells where a task
# stands, which ages. convention: it belongs in a rules file. file: anybody can have written it.
Flag = Literal["hostile", "instruction", "state", "convention", "file"]


class Candidate(NamedTuple):
    """Something that could be kept. `item` is what was said, `task` the task it is of ("" none), `topic` where it would
    go, `source` where it came from, in words. `like` are the ids of facts that say the same or nearly so, the most
    alike first; `flags` is what a person should look at.
    """

    item: Item
    task: str
    topic: str
    tags: tuple[str, ...]
    source: str
    like: tuple[str, ...]
    flags: tuple[Flag, ...]

    @property
    def is_rule(self) -> bool:
        """Whether it would tell sessions what to do, and no person said it: only a person keeps it."""
        return not self.item.is_persons and ("instruction" in self.flags or "hostile" in self.flags)


class CandidateRow(JsonResult, frozen=True):
    """A candidate as it is told (`Candidate`)."""

    id: str
    text: str
    why: str
    topic: str
    tags: tuple[str, ...]
    source: str
    like: tuple[str, ...]
    flags: tuple[Flag, ...]
    is_rule: bool
    provenance: Provenance
    task: str

    @classmethod
    def of(cls, source: Candidate, /, **more: Any) -> Self:
        """The row of a candidate."""
        item = source.item
        return super().of(source, id=item.id, text=item.text, why=item.why, provenance=item.provenance, **more)


class CandidateList(JsonResult, frozen=True):
    """What waits to be triaged."""

    candidates: tuple[CandidateRow, ...]


def candidates(memory: OpenMemory) -> list[Candidate]:
    """What waits to be triaged: what came from files first, as it stood there, then by time."""
    ledger = memory.at.ledger
    entities = ledger.fold("").entities
    done = covered(entities)
    known = Likeness((one.id, wording) for one in facts(entities) for wording in one.wordings)
    found = [_candidate(one, "", (), f"file {one.source}", known) for one in waiting(entities) if one.id not in done]
    told: dict[str, Candidate] = {}
    for task, entry in _said(memory, done):
        tags = values(entry.heard).get("tags")
        made = _candidate(entry.item, task, tuple(tags) if isinstance(tags, list) else (), _source(entry), known)
        told.setdefault(entry.item.id, made)
    return found + sorted(told.values(), key=lambda one: (one.item.time, one.item.id))


def flags_of(text: str, why: str, *, by: str) -> tuple[Flag, ...]:
    """What a person should look at in a text. `by`: its class."""
    whole = f"{text}\n{why}"
    checks: tuple[tuple[Flag, bool], ...] = (
        ("hostile", is_hostile(whole)),
        ("instruction", is_instruction(text) or is_instruction(why)),
        ("state", is_task_state(text)),
        ("convention", is_convention(text)),
        ("file", by == "unattributed"),
    )
    return tuple(flag for flag, holds in checks if holds)


def _said(memory: OpenMemory, done: Collection[str]) -> Iterator[tuple[str, Known]]:
    """Learnings of every task and of none, and what finished tasks left."""
    at = memory.at
    learned = at.ledger.read_off(_LEARNED, sys.maxsize)
    for name, status in (("", "open"), *((one.id, one.status) for one in at.tasks())):
        extracts = _extracts(at, name, learned, with_left=status == "closed")
        entities = at.stated(name, extracts=extracts)
        for item, entry in known_of(entities, extracts).items():
            is_learning = entry.item.kind == "learning"
            is_left = status == "closed" and entry.item.kind in _OF_FINISHED and _is_stated(entry)
            is_new = item not in done and not is_of_memory(entities.get(item, ()))
            if entry.standing == "live" and (is_learning or is_left) and is_new:
                yield name, entry


def _extracts(
    at: ProjectSession, task: str, learned: Mapping[str, tuple[Item, ...]], *, with_left: bool
) -> Sequence[Extract]:
    """The extracts of a task with the items on which its candidates depend: as a rule only what was `learned`, since a
    project has a hundred other items for each; all where something takes another item's place or came from elsewhere,
    and, `with_left`, where a word was said of what a task that is over may leave.
    """
    heads = at.ledger.extracts(task=task, items=False)
    said = [(kind_of_id(name), entity) for one in ("", task) for name, entity in at.ledger.fold(one).entities.items()]
    learnings = (change.fields for kind, entity in said if kind == "learning" for change in entity)
    depends = any("superseded_by" in fields for fields in learnings)
    about = with_left and any(kind in _OF_FINISHED for kind, _ in said)
    if depends or about or any(one.is_foreign for one in heads):
        return at.ledger.extracts(task=task)
    return [one._replace(items=learned.get(one.origin.session, ())) for one in heads]


def _is_stated(entry: Known) -> bool:
    """Whether somebody said it on purpose: a claim that was proved, or a note."""
    return entry.stated and entry.item.provenance in ("human", "agent", "verified")


def _candidate(item: Item, task: str, tags: tuple[str, ...], source: str, known: Likeness) -> Candidate:
    flags = flags_of(item.text, item.why, by=item.provenance)
    return Candidate(item, task, suggested_topic(item, tags), tags, source, tuple(known.like(item.text)), flags)


def _source(entry: Known) -> str:
    """Where a learning came from, in words."""
    item, file = entry.item, source_of(entry)
    session = short_session(item.place.session)
    where = f"file {file}" if file else f"session {session}" if session else item.actor or "a note"
    return f"{where}, {item.time[:_DATE_CHARS]}" if item.time else where
