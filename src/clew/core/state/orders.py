"""Standing orders: what holds in a whole project, in whichever task and branch, until somebody ends it. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from clew.core.state.crowd import Sort
from clew.core.state.items import Item, Kind
from clew.core.state.projection import Known, is_of_memory

OFF_LIMITS: Final = "off limits"
# Of each sort so many are looked at: more than a start has room to name.
_EACH_MAX: Final = 40
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


def room(sort: Sort) -> int:
    """How many items of a sort a start may tell or count (`core.state.crowd`)."""
    return _EACH_MAX if sort.kind in (*_KINDS, "decision") or sort.status == OFF_LIMITS else 0


def standing_orders(found: Iterable[Order], task: str) -> list[Order]:
    """Of what stands in the project what every session has to be told, in `task` ("" none): constraints, deferrals,
    pins, locked decisions, files that are off limits. A person's come first, and of those what was stated on purpose;
    else the newest. What is said twice is told once.
    """
    told: dict[str, Order] = {}
    for one in sorted(found, key=_order, reverse=True):
        if _is_order(one) and one.holds_in(task):
            told.setdefault(" ".join(one.item.text.casefold().split()), one)
    return list(told.values())


def _is_order(one: Order) -> bool:
    item = one.item
    if is_of_memory(one.known.heard) or (item.draft and not one.task and not item.is_persons):
        return False  # a claim about a session of no task is about that session
    return item.kind in _KINDS or item.pinned or item.locked or (item.kind == "file" and item.status == OFF_LIMITS)


def _order(one: Order) -> tuple[bool, bool, str, str]:
    return one.item.is_persons, one.known.stated, one.item.time, one.item.id
