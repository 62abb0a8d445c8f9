"""Standing orders: what holds in a whole project, in whichever task and branch, until somebody ends it. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from clew.core.state.crowd import Sort
from clew.core.state.items import Item, Kind
from clew.core.state.projection import Known, is_of_memory

OFF_LIMITS: Final = "off limits"
# Of each sort that binds so many are looked at, the newest; and of what agents noted more than a start can name.
BINDING_MAX: Final = 600
_AGENTS_MAX: Final = 20
_KINDS: Final[frozenset[Kind]] = frozenset(("constraint", "deferral"))


class Order(NamedTuple):
    """A live item with the task in which it was said ("" none)."""

    known: Known
    task: str

    @property
    def item(self) -> Item:
        """What it says."""
        return self.known.item

    def holds_in(self, task: str) -> bool:
        """Whether it holds in `task` ("" none): a person's word does everywhere, anybody else's where it was said."""
        return self.item.is_persons or self.task in ("", task)


def may_rule(sort: Sort) -> bool:
    """Whether gates may go by items of a sort."""
    return (
        (sort.kind == "file" and sort.status == OFF_LIMITS)
        or (sort.kind == "deferral" and sort.has_files)
        or (sort.kind == "failed" and sort.has_guard)
        or (sort.kind == "constraint" and sort.provenance == "human")
    )


def room(sort: Sort) -> int:
    """How many items of a sort may be told at a start or make a gate (`core.state.crowd`)."""
    if may_rule(sort) or (sort.provenance == "human" and sort.kind in ("deferral", "decision")):
        return BINDING_MAX
    return _AGENTS_MAX if sort.kind in _KINDS else 0


def standing_orders(found: Iterable[Order], task: str) -> list[Order]:
    """Of what stands in the project what every session has to be told, in `task` ("" none): constraints, deferrals,
    pins, locked decisions, files that are off limits. A person's come first, and of those what was stated on purpose;
    else the newest. What is said twice is told once.
    """
    told: dict[str, Order] = {}
    worth = lambda one: (one.item.is_persons, one.known.stated, one.item.time, one.item.id)  # noqa: E731
    for one in sorted(found, key=worth, reverse=True):
        if _is_order(one) and one.holds_in(task):
            told.setdefault(" ".join(one.item.text.casefold().split()), one)
    return list(told.values())


def _is_order(one: Order) -> bool:
    item = one.item
    if is_of_memory(one.known.heard) or (item.draft and not one.task and not item.is_persons):
        return False  # a claim about a session of no task is about that session
    return item.kind in _KINDS or item.pinned or item.locked or (item.kind == "file" and item.status == OFF_LIMITS)
