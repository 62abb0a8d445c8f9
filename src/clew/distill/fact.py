"""A fact: a line that a rule read off a session, before it becomes an item."""

from typing import NamedTuple

from clew.core.state.items import Kind, Provenance


class Fact(NamedTuple):
    """`event` is where it was read; `tier` its importance, 0 first. The other fields are those of `Item`."""

    kind: Kind
    text: str
    why: str
    status: str
    provenance: Provenance
    files: tuple[str, ...]
    event: int
    tier: int


def fact(
    kind: Kind,
    text: str,
    event: int,
    tier: int,
    *,
    why: str = "",
    status: str = "",
    provenance: Provenance = "inferred",
    files: tuple[str, ...] = (),
) -> Fact:
    """A fact, most fields by name."""
    return Fact(kind, text, why, status, provenance, files, event, tier)
