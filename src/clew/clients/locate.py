"""Where sessions of all clients lie, as far as there are any."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from clew.clients.port import Locator
from clew.clients.registry import Family


class Locators:
    """The locators of those of `families()` whose sessions have a place that is there; of others nothing is loaded."""

    def __init__(self, families: Callable[[], Iterable[Family]]) -> None:
        self._families = families
        self._made: dict[str, Locator] = {}

    def __iter__(self) -> Iterator[Locator]:
        for family in self._families():
            if family.name not in self._made and family.is_used and (made := family.locator()):
                self._made[family.name] = made
            if family.name in self._made:
                yield self._made[family.name]
