"""Session files on disk through a reader, in pieces: memory stays flat however long the file is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Final

from clew.clients.port import Reader
from clew.core.records.transcript import Batch, Unreadable

WINDOW_BYTES: Final = 256 << 10
# The longest line kept in memory. Clients write images and whole files into a line; tens of MB have been seen.
LINE_BYTES_MAX: Final = 64 << 20


def read_file(
    path: Path,
    reader: Reader,
    start: int = 0,
    *,
    window_bytes: int = WINDOW_BYTES,
    line_bytes_max: int = LINE_BYTES_MAX,
    read: Callable[..., Batch] | None = None,
) -> Iterator[Batch]:
    """Records of the session at `path` from byte `start` (the beginning of a line) to its end, as it is now.

    A line over `line_bytes_max` becomes `Unreadable` without being held. The last line is read without its newline
    if it is complete; a torn one is left, and the last batch's `offset` (also given when there is nothing new) says
    where to go on when the file has grown. `read` is another way of the reader to make records of lines. Raises
    `OSError` if the file cannot be read.
    """
    read = read or reader.read
    with reader.open(path) as file:
        file.seek(start)
        at = start
        parts: list[bytes] = []  # the beginning of a line whose end has not been met yet
        held = 0
        while window := file.read(window_bytes):
            parts.append(window)
            held += len(window)
            if b"\n" in window:
                chunk = b"".join(parts) if len(parts) > 1 else window
                batch = read(chunk, offset=at)
                rest = chunk[batch.offset - at :]
                parts, held = ([rest], len(rest)) if rest else ([], 0)
                at = batch.offset
                del chunk, window
                yield batch
                del batch
            elif held > line_bytes_max:
                parts, held = [], 0
                length = _line_length(file, at, window_bytes)
                if length is None:
                    break
                yield Batch([Unreadable(at, "", "", length - 1, "line too long")], at + length)
                at += length
        yield reader.final(b"".join(parts), offset=at) if held else Batch([], at)


def _line_length(file: BinaryIO, at: int, window_bytes: int) -> int | None:
    """Length of the line at `at` with its newline, None if it has none yet; leaves `file` behind the newline."""
    file.seek(at)
    length = 0
    while window := file.read(window_bytes):
        end = window.find(b"\n") + 1
        if end:
            file.seek(at + length + end)
            return length + end
        length += len(window)
    return None
