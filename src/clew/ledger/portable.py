"""What is believed of events and extracts that came in a file (a spool batch, a bundle): anybody can write one, so that
their authority can be lowered here, and what clew does not write is found.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from clew.core.state.events import KINDS, Event
from clew.core.state.extract import Extract
from clew.core.state.items import LETTERS, Provenance
from clew.core.text.cleaning import shorten
from clew.ledger.port import FOREIGN_RULES
from clew.ledger.redaction import TEXT_CHARS_MAX, find_overlong, shorten_texts

# What a class can decide (SPEC, "Who said it"). A class is lowered to another one only where that can decide less.
_AUTHORITY: Final[Mapping[Provenance, int]] = {"human": 3, "verified": 2, "agent": 1, "inferred": 0, "unattributed": 0}

_PROVED: Final = frozenset(("verdict", "evidence"))

# Fields of data that are no plain text; all the others are.
_SWITCHES: Final = frozenset(
    ("locked", "blocking", "delivered", "thread", "counted", "waits", "during", "open", "shared")
)
_LISTS: Final = frozenset(
    "files tags cites guard hashes claims phases commands changes body labels done advised".split()
)
_COUNTS: Final = frozenset(
    """context_tokens output_tokens bytes tokens extent attempt budget_tokens spent_tokens duration_ms kept
    number round jobs cents""".split()
)
_IDENTITIES: Final = {
    "item": "".join(LETTERS.values()), "task": "T", "checkpoint": "K", "draft": "W", "phase": "P", "step": "S",
}  # fmt: skip
_ALPHABET: Final = frozenset("0123456789abcdefghjkmnpqrstvwxyz")  # as in core.ids


def lower_provenance(provenance: Provenance, ceiling: Provenance) -> Provenance:
    """`provenance`, or `ceiling` where that can decide less: a file forges no person."""
    return provenance if _AUTHORITY[provenance] <= _AUTHORITY[ceiling] else ceiling


def lower_event(event: Event, ceiling: Provenance, now: str) -> Event:
    """`event` with at most the class `ceiling`, and said no later than `now`: from the future it would win for ever.

    Its key is its id: one that can be computed could keep a later fact out. Nor does it say what was proved: that was
    elsewhere, if it was.
    """
    return event._replace(
        data={name: value for name, value in event.data.items() if name not in _PROVED},
        key=event.id,
        provenance=lower_provenance(event.provenance, ceiling),
        said_at=min(event.said_at, now),
        recorded_at=min(event.recorded_at, now),
    )


def lower_extract(extract: Extract, ceiling: Provenance, now: str) -> Extract:
    """`extract` with items of at most the class `ceiling`, no text longer than `shorten_texts` leaves it, and nothing
    later than `now`. It is foreign: whoever has the session's own record replaces it by reading that, and then decides
    again which task it counts for.
    """
    origin = extract.origin
    told = origin._replace(
        first_time=min(origin.first_time, now),
        last_time=min(origin.last_time, now),
        branch=shorten(origin.branch, TEXT_CHARS_MAX),
        last_act=shorten(origin.last_act, TEXT_CHARS_MAX),
    )
    items = tuple(
        item._replace(
            provenance=lower_provenance(item.provenance, ceiling), time=min(item.time, now), pinned=False, locked=False
        )
        for item in map(shorten_texts, extract.items)
    )
    return extract._replace(origin=told, rules=FOREIGN_RULES, items=items)


def find_malformation(event: Event) -> str:
    """Why an event of a kind that this version knows was not written by clew; "" if nothing speaks against it.

    Asked of events from files of others. `core.events.checked` asks what no ledger could keep.
    """
    schema = KINDS.get(event.kind)
    if schema is None:
        return ""
    if event.v != schema.v:
        return f"its version {event.v} is none that this clew knows"
    unknown = sorted(set(event.data) - set(schema.required) - set(schema.optional))
    if unknown:
        return f"its data has a field {unknown[0][:40]!r} that its kind has not"
    for name, value in event.data.items():
        if not _fits(name, value):
            return f"its field {name!r} holds what does not belong there"
    entity = event.data.get(event.kind.partition(".")[0])
    if event.kind.startswith(("item.", "task.", "checkpoint.", "draft.", "phase.", "step.")) and not is_identity(
        entity, event.kind
    ):
        return "what it speaks of is not an identity"
    if event.kind == "item.stated" and event.data.get("kind") not in LETTERS:
        return "it states an item of an unknown kind"
    for name in ("actor", "session", "worktree"):
        if len(getattr(event, name)) > TEXT_CHARS_MAX:
            return f"its {name} has more than {TEXT_CHARS_MAX} characters"
    long = find_overlong(event)
    return f"its {long}" if long else ""


def is_identity(value: object, kind: str) -> bool:
    """Whether `value` is an identity of what events of `kind` speak of: a letter, "-" and sixteen characters."""
    letters = _IDENTITIES.get(kind.partition(".")[0], "")
    if not isinstance(value, str) or len(value) != 18:
        return False
    return value[0] in letters and value[1] == "-" and _ALPHABET.issuperset(value[2:])


def is_ulid(value: str) -> bool:
    """Whether `value` is a ULID as `core.ids.ulid` makes them."""
    return len(value) == 26 and value.isupper() and _ALPHABET.issuperset(value.lower())


def _fits(name: str, value: object) -> bool:
    if value is None:
        return True
    if name in _SWITCHES:
        return isinstance(value, bool)
    if name in _COUNTS:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, str) or (name in _LISTS and isinstance(value, list))
