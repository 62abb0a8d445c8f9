"""A checksum of a row: whether its columns are still what was written. Against disks that decay, not against people.

CRC-32 finds every change within 32 bits in a row, so every changed byte, and misses one in four thousand million of
larger ones. It is the quickest that Python's own library has: a hash that nobody can forge would protect nothing here,
since whoever writes the file can write the checksum as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final
from zlib import crc32

# In the place of the checksum where none was made yet (`migrations/0001`): no decay makes a number this text.
UNSUMMED: Final = "unsummed"


def checksum(columns: Sequence[str | int | bytes | None]) -> int:
    """Of a row's columns in their order."""
    *head, last = columns
    start = crc32((_form(len(head)) % tuple(head)).encode("utf-8", "surrogatepass"))
    return crc32(last if isinstance(last, bytes) else str(last).encode("utf-8", "surrogatepass"), start)


@cache
def _form(count: int) -> str:
    """So many columns side by side: formatting is quicker here than joining."""
    return "\0".join(["%s"] * count)


def is_whole(columns: Sequence[str | int | bytes | None], kept: object) -> bool:
    """Whether `kept` is the checksum of `columns`. None is one that is lost: a bit of a row's head makes it so, and
    another one may have changed what it told of.
    """
    return kept in (UNSUMMED, checksum(columns))
