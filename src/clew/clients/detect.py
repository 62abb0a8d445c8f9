"""Whose session file is this? Decided by what it holds: names and labels lie."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from clew.clients.port import Reader

HEAD_BYTES: Final = 64 << 10


def reader_of(head: bytes, readers: Iterable[Reader]) -> Reader | None:
    """The first of `readers` that recognises a file beginning with `head`, or None."""
    return next((reader for reader in readers if reader.recognises(head)), None)


def reader_of_file(path: Path, readers: Iterable[Reader]) -> Reader | None:
    """Like `reader_of` for a file. Raises `OSError` if it cannot be read."""
    with path.open("rb", buffering=0) as file:
        return reader_of(file.read(HEAD_BYTES), readers)
