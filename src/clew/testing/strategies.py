"""Hypothesis strategies for what a ledger keeps: events of all kinds (known, unknown and newer) and extracts.

Identities come from small pools, so that events meet: about one item, with one key, at one moment. Needs hypothesis.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import combinations_with_replacement, product
from typing import Final

from hypothesis import strategies as st

from clew.core.state.events import KINDS, Event, Value, Visibility
from clew.core.state.extract import Extract
from clew.core.state.ids import identity
from clew.core.state.items import LETTERS, Item, Origin, Place, Provenance
from clew.ledger.port import FOREIGN_RULES

PROJECT: Final = "01KBZQ5N00CLEWTESTPR0JECT0"
# Some share their first characters, so that their shortest prefixes are longer than usual.
ITEMS: Final = (
    "D-7k2q0000000000aa",
    "D-7k2q0000000000ab",
    "D-7k2r0000000000aa",
    "C-00000000000000zz",
    "F-abcd000000000000",
)
TASKS: Final = ("T-7k2q0000000000aa", "T-zzzz000000000000")
CHECKPOINTS: Final = ("K-7k2q0000000000aa", "K-7k2q0000000000ab", "K-9999000000000000")
PHASES: Final = ("P-7k2q0000000000aa", "P-zzzz000000000000")
STEPS: Final = ("S-7k2q0000000000aa", "S-zzzz000000000000")
SESSIONS: Final = ("s1", "s2", "sä")
TIMES: Final = tuple(f"2026-11-22T01:02:0{second}.00{second}Z" for second in range(6))
# What a purge looks for: plain, within other words, and with all that an encoder of JSON escapes.
SECRETS: Final = ("hunter2", 'pä"ß\\wörd\n', "\U0001f511")

_ENCODABLE: Final = st.characters(exclude_categories=["Cs"])
_UNKNOWN: Final = ("item.frobbed", "weather.changed", "x")


def texts() -> st.SearchStrategy[str]:
    """Short texts of all that UTF-8 can carry, and some with one of `SECRETS` in them."""
    plain = st.text(_ENCODABLE, max_size=12)
    return plain | st.builds("{}{}{}".format, plain, st.sampled_from(SECRETS), plain)


def values() -> st.SearchStrategy[Value]:
    """All that the data of an event may hold in one field."""
    numbers = st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
    return st.none() | st.booleans() | numbers | texts() | st.lists(texts(), max_size=3)


def ids() -> st.SearchStrategy[str]:
    """Ids of items, tasks and checkpoints."""
    return st.sampled_from((*ITEMS, *TASKS, *CHECKPOINTS))


_FIELDS: Final[Mapping[str, st.SearchStrategy[Value]]] = {
    **dict.fromkeys(("item", "by"), st.sampled_from(ITEMS)),
    **dict.fromkeys(("files", "tags", "cites", "hashes"), st.lists(texts(), max_size=3)),
    **dict.fromkeys(("blocking", "locked"), st.booleans()),
    **dict.fromkeys(("context_tokens", "output_tokens", "bytes"), st.integers(0, 10**6)),
    **dict.fromkeys(("commands",), st.lists(texts(), max_size=3)),
    **dict.fromkeys(("budget_tokens", "spent_tokens", "duration_ms", "cents", "jobs"), st.integers(0, 10**6)),
    **dict.fromkeys(("attempt", "round"), st.integers(1, 3)),
    "counted": st.booleans(),
    "phase": st.sampled_from(PHASES),
    "phases": st.lists(st.sampled_from(PHASES), max_size=2, unique=True),
    "step": st.sampled_from(STEPS),
    "tree": st.sampled_from(("", "t1", "t2")),
    "verdict": st.sampled_from(("passed", "failed", "not-run")),
    "digest": st.sampled_from(("", "d1")),
    "task": st.sampled_from(TASKS),
    "checkpoint": st.sampled_from(CHECKPOINTS),
    "kind": st.sampled_from(sorted(LETTERS)),
}


# What is drawn at once, since every draw takes time: who said it, and when it was said and recorded.
_PROVENANCES: Final[tuple[Provenance, ...]] = ("human", "verified", "agent", "inferred", "unattributed")
_VISIBILITIES: Final[tuple[Visibility, ...]] = ("private", "team")
_SPEAKERS: Final = st.sampled_from(
    tuple(product(("", *SESSIONS), ("", "/home/dev/shop"), ("", "Žofie"), _PROVENANCES, _VISIBILITIES))
)
_MOMENTS: Final = st.sampled_from(tuple(combinations_with_replacement(TIMES, 2)))
_VERSIONS: Final = st.sampled_from((1, 1, 1, 2, 99))
_UNKNOWN_DATA: Final = st.builds(
    lambda item, data: {**data, **item},
    st.sampled_from(({}, {"item": ITEMS[0]}, {"checkpoint": CHECKPOINTS[0]})),
    st.dictionaries(st.text(_ENCODABLE, max_size=5), values(), max_size=3),
)


@cache
def _data(kind: str) -> st.SearchStrategy[dict[str, Value]]:
    """Data of a known kind: all that it must hold, and some of what it may hold."""
    schema = KINDS[kind]
    fields = {name: _FIELDS.get(name, texts()) for name in (*schema.required, *schema.optional)}
    some = [schema.required, (*schema.required, *schema.optional)]
    some += [(*schema.required, name) for name in schema.optional]
    return st.one_of([st.fixed_dictionaries({name: fields[name] for name in names}) for names in some])


@st.composite
def events(
    draw: st.DrawFn, *, kinds: tuple[str, ...] = (*KINDS, *_UNKNOWN), tasks: tuple[str, ...] = ("", *TASKS)
) -> Event:
    """Events that can be kept. Two with one id are equal; two with one key need not be."""
    kind, v = draw(st.sampled_from(kinds)), draw(_VERSIONS)
    session, worktree, actor, provenance, visibility = draw(_SPEAKERS)
    said_at, recorded_at = draw(_MOMENTS)
    schema = KINDS.get(kind)
    data = draw(_data(kind) if schema is not None and v == schema.v else _UNKNOWN_DATA)
    task = draw(st.sampled_from(tasks))
    event = Event(
        "", "", PROJECT, task, session, worktree, actor, provenance, visibility, said_at, recorded_at, kind, v, data
    )
    name = identity(repr(event))
    return event._replace(id=name, key=draw(st.sampled_from(("a", "b", "c", name, name, name))))


def batches() -> st.SearchStrategy[list[Event]]:
    """What is appended at once."""
    return st.lists(events(), max_size=4)


# Items as rules infer them, few enough that two extracts share some.
_FOUND: Final = tuple(
    Item(name, "finding", text, "", status, "inferred", files, Place("s1", 7, "q"), rank, TIMES[0])
    for name in ("F-abcd000000000000", "F-abce000000000000", "X-0000000000000001")
    for text in ("Rate limits are per user", "Žluťoučký kůň 🐎", *SECRETS)
    for status, files, rank in (("", (), 0), ("edited", ("src/a.py", "src/ä.py"), 300))
)


def extracts() -> st.SearchStrategy[Extract]:
    """Extracts of a few sessions, by a few versions of the rules and up to a few places in the record."""
    return st.builds(
        _extract,
        st.sampled_from(tuple(product(SESSIONS, ("", *TASKS), (FOREIGN_RULES, 1, 2), range(5)))),
        st.lists(st.sampled_from(_FOUND), max_size=5),
        texts(),
    )


def _extract(facts: tuple[str, str, int, int], found: list[Item], last_act: str) -> Extract:
    session, task, rules, extent = facts
    last_time = TIMES[SESSIONS.index(session) % 2]  # two of them ended at once
    origin = Origin("claude-code", session, "/home/dev/shop", "main", TIMES[0], last_time, not last_act, last_act)
    return Extract(origin, task, "/home/dev/shop", rules, extent, identity(repr(found)), tuple(found))
