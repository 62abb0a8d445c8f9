"""What people and agents do with a memory: look, triage, edit, remember. Each brings its pages up to date."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from msgspec import structs

from clew.app.memory.candidates import Candidate, CandidateList, CandidateRow, candidates
from clew.app.memory.check import What, stale
from clew.app.memory.pages import index_page, topic_page
from clew.app.memory.store import OpenMemory, Scope, checked_topic, find_fact, open_memory
from clew.app.memory.triage import Decision, Triage, change_fact, cites_of, decide, state_fact
from clew.app.memory.views import refresh, take_in_strays, title_of
from clew.app.ports import Ports
from clew.app.project.opening import ProjectHandle
from clew.app.project.views import Wrote
from clew.app.results import EventRow, JsonResult
from clew.core.errors import ClewError, InputError, NotFound
from clew.core.state.events import Event, Value
from clew.core.state.facts import Fact, FactSource, topic_name
from clew.core.state.items import Provenance


class FactRow(JsonResult, frozen=True):
    """A fact as it is told (`core.state.facts.Fact`)."""

    id: str
    short_id: str
    topic: str
    text: str
    why: str
    tags: tuple[str, ...]
    files: tuple[str, ...]
    sources: tuple[FactSource, ...]
    provenance: Provenance
    actor: str
    time: str
    pinned: bool


class MemoryShown(JsonResult, frozen=True):
    """A memory, a topic or a fact of it, as it is shown: `text` for people, `facts`, and which of them are stale and
    why (id, what, in words).
    """

    text: str
    facts: tuple[FactRow, ...]
    stale: tuple[tuple[str, What, str], ...]


class MemoryOutcome(JsonResult, frozen=True):
    """What a change did, in a sentence; `events` recorded it, `placed` are the pages, `notes` for the person."""

    said: str
    events: tuple[EventRow, ...]
    files: tuple[Wrote, ...]
    notes: tuple[str, ...]
    dry_run: bool


def show(project: ProjectHandle, scope: Scope, wanted: str = "") -> MemoryShown:
    """The index, the topic with this name, or the fact with this id. Raises `NotFound`."""
    with open_memory(project, scope, write=False) as memory:
        found = memory.facts()
        ids = memory.at.ledger.shortest([one.id for one in found])
        if not wanted:
            return _shown(project.ports, memory, index_page(title_of(memory), found, files=False), found, ids)
        topic = topic_name(wanted)
        mine = tuple(one for one in found if one.topic == topic)
        if mine:
            return _shown(project.ports, memory, topic_page(topic, mine, ids), mine, ids)
        try:
            fact = find_fact(memory.at, wanted)
        except NotFound:
            topics = ", ".join(dict.fromkeys(one.topic for one in found)) or "none yet"
            raise NotFound(
                f"there is no topic and no fact {wanted} in memory",
                code="E-no-fact",
                hint=f"Topics: {topics}. `clew memory show` prints the index.",
            ) from None
        return _shown(project.ports, memory, _told(fact, ids), (fact,), ids)


def waiting(project: ProjectHandle, scope: Scope) -> CandidateList:
    """What waits to be triaged, with what was added to the pages by hand. Keeps nothing."""
    with open_memory(project, scope, write=False) as memory:
        return CandidateList(tuple(map(CandidateRow.of, candidates(memory))))


def triage(
    project: ProjectHandle, scope: Scope, choose: Callable[[Sequence[Candidate], Sequence[Fact]], Sequence[Decision]]
) -> Triage:
    """Triage what waits: `choose` decides, given the candidates and the facts that there are. What was added to the
    pages by hand is imported first. Raises as `decide`.
    """
    with open_memory(project, scope, write=True) as memory:
        if not project.dry_run:
            take_in_strays(memory)
        found = candidates(memory)
        done = decide(memory, choose(found, memory.facts()))
        return done if project.dry_run else structs.replace(done, files=tuple(refresh(memory)))


def edit(
    project: ProjectHandle,
    scope: Scope,
    wanted: str,
    *,
    text: str = "",
    why: str | None = None,
    topic: str = "",
    into: str = "",
) -> MemoryOutcome:
    """Change a fact: its words, its reason, its topic; merge it `into` another one; or, with none of these, confirm
    it for its files as they are now. Raises `NotFound`, `InputError`, `NotAllowed`.
    """
    with open_memory(project, scope, write=True) as memory:
        at, fact = memory.at, find_fact(memory.at, wanted)
        shown = at.short(fact.id)
        if into:
            events, said = _merged(memory, fact, into)
        else:
            data: dict[str, Value] = {}
            if text and at.safe(text) != fact.text:
                data["text"] = at.safe(text)
            if why is not None and why != fact.why:
                data["why"] = at.safe_lines(why)
            if topic and checked_topic(topic) != fact.topic:
                data["topic"] = checked_topic(topic)
            files, cites = cites_of(at, str(data.get("text", fact.text)), fact.files)
            now = [path for path in files if (at.location.root / path).is_file()]
            if (
                not memory.is_users
                and now
                and ([f"{one.blob} {one.path}" for one in fact.cites] != cites or now != list(fact.files))
            ):
                data |= {"files": now, "cites": cites}
            if not memory.is_users and fact.files and not now:
                data |= {"files": [], "cites": []}
            events = change_fact(at, fact, "edit", data) if data else []
            did = ", ".join(name for name in data if name != "cites")
            said = f"{shown} ({fact.topic}): {did} changed" if data else f"{shown} says so already: nothing to change"
        return _record(memory, said, events)


def remember(
    project: ProjectHandle, scope: Scope, topic: str, text: str, *, why: str = "", pinned: bool = False
) -> MemoryOutcome:
    """Put a fact straight into memory. Raises as `decide`."""
    with open_memory(project, scope, write=True) as memory:
        events = state_fact(memory, topic, text, why=why, pinned=pinned)
        done, redact = _record(memory, "", events), memory.at.redact
        fact = next((str(one.data["item"]) for one in events), "")
        shown = memory.at.short(fact) if fact and not project.dry_run else fact
        return structs.replace(done, said=f"Remembered {shown} under {checked_topic(redact(topic))}: {redact(text)}")


def _record(memory: OpenMemory, said: str, events: Sequence[Event]) -> MemoryOutcome:
    """Keep the events of a change, and bring the pages up to date."""
    memory.at.keep(events)
    placed = () if memory.at.dry_run else tuple(refresh(memory))
    return MemoryOutcome(said, EventRow.each(events), placed, memory.at.notes, memory.at.dry_run)


def decisions_of(rows: Sequence[Mapping[str, object]], found: Sequence[Candidate]) -> list[Decision]:
    """Decisions as a program gives them: `id` (or a beginning), `deed`, and `topic`, `text`, `into` where they are
    needed. Raises `InputError` for what is not a decision about one of the candidates.
    """
    decisions = []
    for row in rows:
        wanted = str(row.get("id", ""))
        meant = [one for one in found if wanted and one.item.id.lower().startswith(wanted.lower())]
        deed = row.get("deed")
        if len(meant) != 1 or deed not in ("keep", "merge", "drop", "later"):
            raise InputError(
                f"{wanted or 'a row without an id'}: {deed!r} is not a decision about a candidate",
                code="E-memory-decision",
                hint='Each row is {"id": "L-…", "deed": "keep"}, merge, drop or later; `--json` lists the candidates.',
            )
        topic, text, into = (str(row.get(name) or "") for name in ("topic", "text", "into"))
        decisions.append(Decision(meant[0], deed, topic, text, into))
    return decisions


def _merged(memory: OpenMemory, fact: Fact, into: str) -> tuple[list[Event], str]:
    """One fact made part of another one: with its sources and every wording, so that nothing is lost."""
    at = memory.at
    other = find_fact(at, into)
    if other.id == fact.id:
        raise InputError("a fact cannot be merged into itself", code="E-item-state", hint="Name another one.")
    whole = "\n".join(part for part in (fact.text, fact.why) if part)
    events = [at.event("memory.joined", {"item": other.id, "source": fact.id, "told": "", "text": whole}, task="")]
    for source in fact.sources:
        data: dict[str, Value] = {"item": other.id, "source": source.name, "told": source.told, "text": source.text}
        events.append(at.event("memory.joined", data, task=""))
    events += change_fact(at, fact, "supersede", {"by": other.id, "reason": "merged"})
    shown = at.ledger.shortest([fact.id, other.id])
    return events, f"{shown[fact.id]} is part of {shown[other.id]} now"


def _shown(ports: Ports, memory: OpenMemory, text: str, found: Sequence[Fact], ids: Mapping[str, str]) -> MemoryShown:
    looked: list[tuple[str, What, str]] = []
    with suppress(ClewError):
        looked = [(one.id, what, said) for one, what, said in stale(ports, memory, found)]
    rows = tuple(FactRow.of(one, short_id=ids[one.id]) for one in found)
    return MemoryShown(text, rows, tuple(looked))


def _told(fact: Fact, ids: Mapping[str, str]) -> str:
    """One fact with all that is known of it."""
    rows = [
        f"fact     {ids[fact.id]} ({fact.id})",
        f"topic    {fact.topic}",
        f"text     {fact.text}",
        *(f"         {row}" for row in fact.why.split("\n") if fact.why),
        f"said     {fact.time[:19].replace('T', ' ')} by {fact.actor or 'a file'} ({fact.provenance})",
        *(["pinned   always given to sessions"] if fact.pinned else []),
        *([f"files    {', '.join(fact.files)}"] if fact.files else []),
    ]
    for source in fact.sources:
        rows.append(f"source   {source.told or source.name}")
        rows += [f"         also as: {row}" for row in source.text.split("\n") if source.text]
    return "\n".join(rows) + "\n"
