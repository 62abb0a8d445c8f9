"""The session log: the records of a session file, all of them or those that came since somebody last read it.

Whether a file is still the one that was read, and whether it only grew, is decided here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Final, NamedTuple

from clew.clients.lines import WINDOW_BYTES, read_file
from clew.clients.places import opened, size_of
from clew.clients.port import Reader
from clew.core.records.transcript import Batch, Record

# So much of a file's beginning, and of what stands before the place to go on from, tells that it is the same file.
_MARK_BYTES: Final = 1024
# Counting tokens passes over most of a file: larger pieces are quicker.
_USAGE_WINDOW_BYTES: Final = 1 << 20


class Cursor(NamedTuple):
    """How far a session was read: up to byte `offset`, the end of a line. `mark` tells which file that was, "" trusts
    that it is the same one.
    """

    offset: int = 0
    mark: str = ""

    @classmethod
    def at(cls, path: Path, offset: int) -> Cursor:
        """The cursor behind `offset` bytes of the session at `path`. Raises `OSError`."""
        return cls(offset, _mark(path, offset))

    def fits(self, path: Path) -> bool:
        """Whether the file at `path` still holds what was read, and maybe more behind it. Raises `OSError`."""
        return size_of(path) >= self.offset and self.mark == _mark(path, self.offset)


_START: Final = Cursor()


class SessionLog:
    """The records of the session at `path`, in file order: those behind `since` if its file still holds what was read
    before and only grows, else all. Iterating raises `OSError` if it cannot be read.

    `start` is the byte where reading begins, `offset` where it has come to. `until_bytes`: reading stops behind so many
    bytes, 0 at the end. `usage_only`: of a reader that offers it (`UsageReader`) only what tells of tokens, quicker.
    """

    def __init__(
        self, path: Path, reader: Reader, since: Cursor = _START, *, until_bytes: int = 0, usage_only: bool = False
    ) -> None:
        self.path = path
        self._reader = reader
        self._until_bytes = until_bytes
        self._read = getattr(reader, "read_usage", None) if usage_only else None
        self.start = since.offset if not since.mark or (reader.grows and since.fits(path)) else 0
        self.offset = self.start

    def __iter__(self) -> Iterator[Record]:
        for batch in self.batches():
            yield from batch.records

    def batches(self) -> Iterator[Batch]:
        """The records as they are read, in pieces."""
        window = _USAGE_WINDOW_BYTES if self._read else WINDOW_BYTES
        for batch in read_file(self.path, self._reader, self.start, window_bytes=window, read=self._read):
            self.offset = batch.offset
            yield batch
            if 0 < self._until_bytes < batch.offset:
                return

    @property
    def cursor(self) -> Cursor:
        """Where to go on the next time. Raises `OSError`."""
        return Cursor.at(self.path, self.offset) if self._reader.grows else _START


def _mark(path: Path, offset: int) -> str:
    """A digest of the beginning of the first `offset` bytes of a file, and of their end."""
    if not offset:
        return ""
    with opened(path) as buffered:
        file = getattr(buffered, "raw", buffered)  # a buffer would read eight times as much
        data = file.read(min(offset, _MARK_BYTES))
        file.seek(max(0, offset - _MARK_BYTES))
        data += file.read(min(offset, _MARK_BYTES))
    return blake2b(data, digest_size=12).hexdigest()
