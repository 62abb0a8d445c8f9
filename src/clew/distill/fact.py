"""A fact: a line that was read off a session, before it becomes an item."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from clew.core.state.items import Kind, Provenance


class SessionFact(NamedTuple):
    """`event` is where it was read; `rank`, and what else there is, are those of `Item`."""

    kind: Kind
    text: str
    event: int
    rank: int
    why: str = ""
    status: str = ""
    provenance: Provenance = "inferred"
    files: tuple[str, ...] = ()
    label: str = ""


def paced(facts: Iterable[SessionFact], chars: int) -> Iterator[SessionFact]:
    """Facts, the best first, each one rank further back for so many `chars` before it: lines of other kinds get their
    turn between them, whatever the budget.
    """
    told = 0
    for fact in facts:
        yield fact._replace(rank=fact.rank + told // chars)
        told += len(fact.text) + len(fact.why)
