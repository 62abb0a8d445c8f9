"""Where in a session something stands, as people look it up."""

from __future__ import annotations

from pathlib import Path

from clew.clients.detect import Readers

_BLOCK_BYTES = 1 << 20


def line_number(path: Path, at: int, readers: Readers) -> int:
    """The number (from 1) of the line that begins at byte `at` of the session at `path`, 0 if it cannot be read."""
    count = 1
    left = at
    try:
        reader = readers.of(path)
        if reader is None:
            return 0
        with reader.open(path) as file:
            while left > 0 and (block := file.read(min(left, _BLOCK_BYTES))):
                count += block.count(b"\n")
                left -= len(block)
    except OSError:
        return 0
    return count
