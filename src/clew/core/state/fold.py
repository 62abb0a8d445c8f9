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

# An item's words as they were when they were locked or pinned.
HELD: Final = "held"
# How the fields begin that hold the sources of a fact of memory.
SOURCE: Final = "source:"
# The entity of a task's plan; that of a phase is "%" and its id. No item and no task is named so.
PLAN: Final = "%plan"
# The entity of the run of a task's plan.
RUN: Final = "%run"
# Of these fields the latest word counts, whoever says it: where somebody works, and what a plan says now. That a plan
# is approved, which holds for its words, is a person's to say.
_LATEST: Final = frozenset(
    (BINDING, "markdown", "phases", "plan_title", "plan_source", "mode", "approved", "run", "run_word", "run_until")
)
_MODES_OF_PERSONS: Final = ("approved", "dropped")

# A change of what the fold computes from the same events: snapshots of another version are not used.
FOLD_VERSION: Final = 5


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
    does not vanish because an agent rewords it. Of two with the same standing, and of a plan, the later one wins.
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
    return tuple(
        by_change[who][0]._replace(fields=dict(sorted(by_change[who][1].items()))) for who in sorted(by_change)
    )


def _who(change: Change) -> tuple[str, ...]:
    """What tells changes apart. Ids of events can be forged, so they alone do not."""
    return change.said_at, change.event, change.provenance, change.actor, change.session


def _order(name: str, change: Change) -> tuple[bool, tuple[str, ...], str]:
    persons = change.provenance == "human" and name not in _LATEST
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
    if fields.get("locked") is True or fields.get("pinned") is True:
        fields = {**fields, HELD: fields.get("text") or fields.get("was", "")}
    if not human and fields.get("mode") in _MODES_OF_PERSONS:
        fields = {}
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


def _of_attempt(name: str, data: Mapping[str, Value], *taken: str) -> tuple[Value, dict[str, Value]]:
    """What an event says of one attempt at a phase: fields `NAME.ATTEMPT` and `NAME.ATTEMPT.TAKEN`, so that a late word
    on an old attempt says nothing of a newer one.
    """
    attempt = data.get("attempt")
    if not isinstance(attempt, int) or isinstance(attempt, bool) or not 0 < attempt <= ATTEMPTS_MAX:
        return None, {}
    said = {f"{name}.{attempt}.{one}": data[one] for one in taken if data.get(one) not in (None, "")}
    return f"%{data.get('phase', '')}", {f"{name}.{attempt}": True, **said}


def _of_round(name: str, data: Mapping[str, Value], *taken: str) -> tuple[Value, dict[str, Value]]:
    """What an event says of one context in which a client worked at an attempt: the field `NAME.ATTEMPT.ROUND`."""
    entity, fields = _of_attempt("", data)
    number = data.get("round")
    if not fields or not isinstance(number, int) or isinstance(number, bool) or not 0 < number <= ROUNDS_MAX:
        return None, {}
    told = [str(value) if (value := data.get(one)) not in (None, "") else "" for one in taken]
    return entity, {f"{name}.{data['attempt']}.{number}": told}


def _ran(data: Mapping[str, Value]) -> tuple[Value, dict[str, Value]]:
    """The check of a phase's attempt on one tree: the last one there counts."""
    entity, fields = _of_attempt("", data)
    if entity is None or not fields:
        return None, {}
    told = [str(data.get("verdict", "")), "counted" if data.get("counted") is True else ""]
    told += [str(data.get(name) or "") for name in ("cause", "failure")]
    return entity, {f"ran.{data['attempt']}.{data.get('tree', '')}": told}


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
    "task.stacked": lambda data: (data.get("task"), {"stack": data.get("stack", "")}),
    "task.closed": lambda data: (data.get("task"), {"status": "closed", "outcome": data.get("outcome", "")}),
    "task.dropped": lambda data: (data.get("task"), {"status": "dropped", "outcome": data.get("outcome", "")}),
    "task.reopened": lambda data: (data.get("task"), {"status": "open", "outcome": ""}),
    "place.bound": lambda data: (
        place_entity(str(data.get("worktree", "")), str(data.get("branch", ""))),
        {BINDING: data.get("task", "")},
    ),
    "plan.opened": lambda data: (PLAN, {"plan_title": data.get("title", ""), "mode": "planning", "approved": ""}),
    "plan.written": lambda data: (
        PLAN,
        {
            "markdown": data.get("text", ""),
            "phases": data.get("phases", []),
            "plan_source": data.get("source", ""),
            **({"plan_title": data["title"]} if data.get("title") else {}),
        },
    ),
    "plan.approved": lambda data: (PLAN, {"mode": "approved", "approved": data.get("digest", "")}),
    "plan.reopened": lambda _: (PLAN, {"mode": "planning", "approved": ""}),
    "plan.dropped": lambda _: (PLAN, {"mode": "dropped", "approved": ""}),
    "phase.started": lambda data: _of_attempt("started", data, "tree", "head", "checkpoint", "place"),
    "phase.done": lambda data: _of_attempt("done", data, "tree", "outcome", "commit", "spent_tokens"),
    "phase.stopped": lambda data: _of_attempt("stopped", data, "cause", "failure", "spent_tokens"),
    "phase.reopened": lambda data: _of_attempt("reopened", data, "reason"),
    "phase.merged": lambda data: _of_attempt("merged", data, "commit"),
    "run.started": lambda data: (RUN, {"run": data.get("run", ""), "run_word": "runs", "run_until": ""}),
    "run.waits": lambda data: (RUN, {"run_word": data.get("reason", ""), "run_until": data.get("until", "")}),
    "run.ended": lambda data: (RUN, {"run_word": data.get("word", ""), "run_until": ""}),
    "work.started": lambda data: _of_round("began", data, "run", "client", "model"),
    "work.ended": lambda data: _of_round(
        "ended", data, "word", "reason", "cause", "until", "client_session", "spent_tokens", "cents", "duration_ms"
    ),
    "work.judged": lambda data: _of_round(f"judged.{data.get('number', 0)}", data, "word", "reason", "tree"),
    "phase.budgeted": lambda data: (f"%{data.get('phase', '')}", {"budget": data.get("budget_tokens", 0)}),
    "step.ticked": lambda data: (f"%{data.get('phase', '')}", {f"ticked.{data.get('step', '')}": True}),
    "step.unticked": lambda data: (f"%{data.get('phase', '')}", {f"ticked.{data.get('step', '')}": False}),
    "validation.ran": _ran,
    "project.aliased": lambda data: (f"={data.get('other', '')}", {"aliased": True}),
}

# More tries at one phase than anybody makes: each keeps a few fields.
ATTEMPTS_MAX: Final = 1000

# As many contexts as nobody needs for one attempt.
ROUNDS_MAX: Final = 1000

# What the fold reads: a ledger need not hand it anything else.
FOLDED_KINDS: Final = frozenset(_RULES)
# What of it a plan is made of.
PLAN_KINDS: Final = frozenset(
    kind
    for kind in _RULES
    if kind.startswith(("plan.", "phase.", "step.", "run.", "work.")) or kind == "validation.ran"
)
