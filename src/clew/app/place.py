"""Where in a session file something stands, as people look it up."""

from __future__ import annotations

from pathlib import Path

_BLOCK_BYTES = 1 << 20


def line_number(path: Path, at: int) -> int:
    """The number (from 1) of the line that begins at byte `at`, 0 if the file cannot be read any more."""
    count = 1
    left = at
    try:
        with path.open("rb") as file:
            while left > 0 and (block := file.read(min(left, _BLOCK_BYTES))):
                count += block.count(b"\n")
                left -= len(block)
    except OSError:
        return 0
    return count
