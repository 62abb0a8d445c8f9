"""Where sessions of all clients lie, as far as there are any."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from clew.clients.port import Locator


class Locators:
    """Locators by the folder or file in which their clients keep sessions. One whose place is not there is not made."""

    def __init__(self, makers: Mapping[Path, Callable[[], Locator]]) -> None:
        self._makers = makers
        self._made: dict[Path, Locator] = {}

    def __iter__(self) -> Iterator[Locator]:
        for place, make in self._makers.items():
            if place not in self._made and place.exists():
                self._made[place] = make()
            if place in self._made:
                yield self._made[place]
