"""The fold: from events to what is known of each entity (an item, a task, a place). Pure, commutative, idempotent.

An entity is the set of changes that still tell something: of each field the winning one. Folding the same events in
another order, twice, late, or on top of an older result gives the same value, so ledgers merge by union. The fold never
refuses: what has no authority for a field is ignored for that field, and stays in the ledger for `clew log`.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple, TypeAlias

from clew.core.state.events import Event, Value
from clew.core.state.items import Provenance

# The one field of a place: the task that it is bound to.
BINDING: Final = "task"

# How the fields begin that hold the sources of a fact of memory.
SOURCE: Final = "source:"

# A change of what the fold computes from the same events: snapshots of another version are not used.
FOLD_VERSION: Final = 2


class Change(NamedTuple):
    """What one event says of one entity: of its fields those that no other change wins.

    `said_at` and `event` (the event's id) are its stamp; `provenance`, `actor` and `session` tell who said it.
    """

    said_at: str
    event: str
    provenance: Provenance
    actor: str
    session: str
    fields: Mapping[str, Value]


Entity: TypeAlias = tuple[Change, ...]
Entities: TypeAlias = Mapping[str, Entity]

# Nobody but a person decides these (SPEC, "Who said it"). A pin may be set by anybody, and taken off by a person.
_PERSONS_ONLY: Final = frozenset(("redacted", "hashes"))


def fold(events: Iterable[Event], start: Entities | None = None) -> dict[str, Entity]:
    """What is known after `events` on top of `start`, by entity. `start` is not changed."""
    known: dict[str, Entity] = dict(start or {})
    for event in events:
        said = change_of(event)
        if said is not None:
            entity, change = said
            before = known.get(entity)
            after = merged(before, (change,)) if before is not None else ((change,) if change.fields else ())
            if after:
                known[entity] = after
    return known


def merged(one: Entity, other: Entity) -> Entity:
    """Both together: of each field the winning change. Commutative, associative, idempotent.

    Of an item or a task a person's word wins over anybody else's, whenever that is said: a constraint of the user's
    does not vanish because an agent rewords it. Of two with the same standing the later one wins.
    """
    winners: dict[str, Change] = {}
    for change in (*one, *other):
        for name in change.fields:
            best = winners.get(name)
            if best is None or _order(name, change) > _order(name, best):
                winners[name] = change
    by_change: dict[tuple[str, ...], tuple[Change, dict[str, Value]]] = {}
    for name, change in winners.items():
        by_change.setdefault(_who(change), (change, {}))[1][name] = change.fields[name]
    return tuple(by_change[who][0]._replace(fields=_sorted(by_change[who][1])) for who in sorted(by_change))


def _sorted(fields: dict[str, Value]) -> dict[str, Value]:
    return {name: fields[name] for name in sorted(fields)}


def _who(change: Change) -> tuple[str, ...]:
    """What tells changes apart. Ids of events can be forged, so they alone do not."""
    return change.said_at, change.event, change.provenance, change.actor, change.session


def _order(name: str, change: Change) -> tuple[bool, tuple[str, ...], str]:
    # A place is bound by whoever works there; of everything else a person's word comes first.
    persons = change.provenance == "human" and name != BINDING
    return persons, _who(change), repr(change.fields[name])


def values(entity: Entity) -> dict[str, Value]:
    """The fields of an entity with their winning values."""
    found: dict[str, Value] = {}
    for change in entity:
        found.update(change.fields)
    return found


def change_of(event: Event) -> tuple[str, Change] | None:
    """The entity that `event` is about and what it says of it; None for what the fold does not know or does not keep.

    Checkpoints and saved states are found by query: there may be thousands, and no document shows them.
    """
    rule = _RULES.get(event.kind)
    if rule is None:
        return None
    entity, fields = rule(event.data)
    human = event.provenance == "human"
    allowed = {
        name: value
        for name, value in sorted(fields.items())
        if human or not (name in _PERSONS_ONLY or (name == "pinned" and value is False))
    }
    if not isinstance(entity, str) or not entity:
        return None
    return entity, Change(event.said_at, event.id, event.provenance, event.actor, event.session, allowed)


def place_entity(worktree: str, branch: str) -> str:
    """The entity that holds which task a work tree and branch are bound to. No path holds a NUL."""
    return f"@{worktree}\0{branch}"


def _but(data: Mapping[str, Value], *left_out: str) -> dict[str, Value]:
    return {name: value for name, value in data.items() if name not in left_out}


_Rule: TypeAlias = Callable[[Mapping[str, Value]], tuple[Value, dict[str, Value]]]


def _about(fields: dict[str, Value], data: Mapping[str, Value]) -> tuple[Value, dict[str, Value]]:
    """What an event says of its item, with the text that it speaks of."""
    return data.get("item"), {**fields, "was": data["was"]} if data.get("was") else fields


_RULES: Final[Mapping[str, _Rule]] = {
    "item.stated": lambda data: (data.get("item"), _but(data, "item")),
    "item.edited": lambda data: (data.get("item"), _but(data, "item")),
    "item.resolved": lambda data: _about({"resolved": True, "outcome": data.get("outcome", "")}, data),
    "item.answered": lambda data: _about({"answer": data.get("answer", "")}, data),
    "item.superseded": lambda data: _about({"superseded_by": data.get("by", "")}, data),
    "item.retracted": lambda data: _about({"retracted": True, "retracted_why": data.get("reason", "")}, data),
    "item.restored": lambda data: _about({"retracted": False, "resolved": False, "superseded_by": ""}, data),
    "item.pinned": lambda data: _about({"pinned": True}, data),
    "item.unpinned": lambda data: _about({"pinned": False}, data),
    "item.redacted": lambda data: (data.get("item"), {"redacted": True, "hashes": data.get("hashes", [])}),
    # A field for each source: ledgers that merge keep them all.
    "memory.joined": lambda data: (
        data.get("item"),
        {f"{SOURCE}{data.get('source', '')}": [str(data.get("told", "")), str(data.get("text", ""))]},
    ),
    "task.opened": lambda data: (data.get("task"), {**_but(data, "task"), "status": "open"}),
    "task.renamed": lambda data: (data.get("task"), {"title": data.get("title", "")}),
    "task.closed": lambda data: (data.get("task"), {"status": "closed", "outcome": data.get("outcome", "")}),
    "task.dropped": lambda data: (data.get("task"), {"status": "dropped", "outcome": data.get("outcome", "")}),
    "task.reopened": lambda data: (data.get("task"), {"status": "open", "outcome": ""}),
    "place.bound": lambda data: (
        place_entity(str(data.get("worktree", "")), str(data.get("branch", ""))),
        {BINDING: data.get("task", "")},
    ),
    "project.aliased": lambda data: (f"={data.get('other', '')}", {"aliased": True}),
}

# What the fold reads: a ledger need not hand it anything else.
FOLDED_KINDS: Final = frozenset(_RULES)
