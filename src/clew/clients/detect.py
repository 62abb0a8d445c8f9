"""Whose session is this? Decided by what it holds: names and labels lie, and only say who is asked first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from clew.clients.files import file_of
from clew.clients.port import Reader

HEAD_BYTES: Final = 64 << 10


class Readers:
    """Readers by their clients' names, each made when it is first asked: importing one costs as much as a hook may."""

    def __init__(self, makers: Mapping[str, Callable[[], Reader]]) -> None:
        self._makers = makers
        self._made: dict[str, Reader] = {}

    def __iter__(self) -> Iterator[Reader]:
        for name in self._makers:
            yield self._get(name)

    def named(self, client: str) -> Reader | None:
        """The reader of a client's sessions; None for a client that is not known."""
        return self._get(client) if client in self._makers else None

    def of(self, path: Path, *, client: str = "") -> Reader | None:
        """The reader of the session at the address `path`, None if it is none. `client` is asked first.

        Raises `OSError` if it cannot be read.
        """
        with file_of(path).open("rb", buffering=0) as file:
            head = file.read(HEAD_BYTES)
        likely = self.named(client)
        if likely is not None and likely.recognises(head):
            return likely
        return reader_of(head, self)

    def _get(self, name: str) -> Reader:
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]


def reader_of(head: bytes, readers: Iterable[Reader]) -> Reader | None:
    """The first of `readers` that recognises a file beginning with `head`, or None."""
    return next((reader for reader in readers if reader.recognises(head)), None)
