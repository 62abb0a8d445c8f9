"""What could become part of memory: learnings of sessions and people, what finished tasks left, and what was read from
memory folders or added to a page by hand. Looks; keeps nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Final, Literal, NamedTuple

from clew.app.memory.likeness import Likeness
from clew.app.memory.store import OpenMemory
from clew.core.state.facts import Fact, covered, facts, suggested_topic, waiting
from clew.core.state.fold import values
from clew.core.state.ids import short_session
from clew.core.state.items import Item, Kind
from clew.core.state.projection import Known, is_of_memory, source_of
from clew.core.text.instructions import is_hostile, is_instruction
from clew.documents.lint.rules import is_convention, is_task_state

# What a finished task leaves that may matter elsewhere, if somebody stated it.
_OF_FINISHED: Final[tuple[Kind, ...]] = ("finding", "decision", "constraint")
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


def candidates(memory: OpenMemory) -> list[Candidate]:
    """What waits to be triaged: what came from files first, as it stood there, then by time."""
    ledger = memory.at.ledger
    entities = ledger.fold("").entities
    done = covered(entities)
    known = Likeness(_wordings(facts(entities)))
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
    for name, status in (("", "open"), *((one.id, one.status) for one in at.tasks())):
        known = at.known(name)
        entities = at.stated(name)
        for item, entry in known.items():
            is_learning = entry.item.kind == "learning"
            is_left = status == "closed" and entry.item.kind in _OF_FINISHED and _is_stated(entry)
            is_new = item not in done and not is_of_memory(entities.get(item, ()))
            if entry.standing == "live" and (is_learning or is_left) and is_new:
                yield name, entry


def _is_stated(entry: Known) -> bool:
    """Whether somebody said it on purpose: a claim that was proved, or a note."""
    return entry.stated and entry.item.provenance in ("human", "agent", "verified")


def _candidate(item: Item, task: str, tags: tuple[str, ...], source: str, known: Likeness) -> Candidate:
    flags = flags_of(item.text, item.why, by=item.provenance)
    return Candidate(item, task, suggested_topic(item, tags), tags, source, tuple(known.like(item.text)), flags)


def _wordings(found: Iterable[Fact]) -> Iterator[tuple[str, str]]:
    return ((one.id, wording) for one in found for wording in one.wordings)


def _source(entry: Known) -> str:
    """Where a learning came from, in words."""
    item, file = entry.item, source_of(entry)
    session = short_session(item.place.session)
    where = f"file {file}" if file else f"session {session}" if session else item.actor or "a note"
    return f"{where}, {item.time[:_DATE_CHARS]}" if item.time else where
