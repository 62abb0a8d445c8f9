"""Whose session is this? Decided by what it holds: names and labels lie, and only say who is asked first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

from clew.clients.places import opened
from clew.clients.port import Locator, Reader
from clew.clients.registry import Family
from clew.core.errors import InputError
from clew.core.text.cleaning import clean, one_line


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


HEAD_BYTES: Final = 64 << 10


class Readers:
    """The readers of what `families()` gives, each imported when it is first asked: one costs as much as a hook may."""

    def __init__(self, families: Callable[[], Iterable[Family]]) -> None:
        self._families = families

    def __iter__(self) -> Iterator[Reader]:
        for family in self._families():
            if reader := family.reader():
                yield reader

    def named(self, client: str) -> Reader | None:
        """The reader of a client's sessions; None for a client that is not known."""
        return next((family.reader() for family in self._families() if family.name == client), None)

    def require(self, client: str) -> None:
        """Raises `InputError` for a client that is not known; "" is none in particular."""
        if not client or self.named(client) is not None:
            return

        raise InputError(
            f"no client is called {one_line(clean(client))}",
            code="E-client-unknown",
            hint=f"clew knows: {', '.join(reader.name for reader in self)}.",
        )

    def of(self, path: Path, *, client: str = "") -> Reader | None:
        """The reader of the session at the address `path`, None if it is none. `client` is asked first.

        Raises `OSError` if it cannot be read.
        """
        with opened(path) as file:
            head = file.read(HEAD_BYTES)
        likely = self.named(client)
        if likely is not None and likely.recognises(head):
            return likely
        return reader_of(head, self)


def reader_of(head: bytes, readers: Iterable[Reader]) -> Reader | None:
    """The first of `readers` that recognises a file beginning with `head`, or None."""
    return next((reader for reader in readers if reader.recognises(head)), None)
