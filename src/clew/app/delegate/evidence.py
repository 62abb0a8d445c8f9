"""The places of an answer against the disk: a fact is marked as proved only if the words stand where it says."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final

from clew.app.delegate.answer import Evidence
from clew.workspace.disk import Disk, clean
from clew.workspace.inside import read

_FILE_BYTES_MAX: Final = 4 << 20
# Lines are counted by a model: so far beside the named ones words may stand.
_BESIDE_LINES: Final = 3


def checked(folder: Path, evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """What is found of each place in `folder`. Nothing outside it is opened."""
    disk = Disk(folder)
    return tuple(_checked(disk, folder, one) for one in evidence)


def _checked(disk: Disk, folder: Path, one: Evidence) -> Evidence:
    path = clean(one.path.removeprefix(f"{folder}/"))
    looked = read(disk, path, limit_bytes=_FILE_BYTES_MAX) if path else None
    if path is None or looked is None or looked.data is None:
        return replace(one, verdict="missing")
    one = replace(one, path=path)
    lines = looked.data.decode("utf-8", "replace").split("\n")
    if one.first > len(lines):
        return replace(one, verdict="missing")
    if not one.quotes:
        return replace(one, verdict="there")
    found = [_line_of(quote, lines, one) for quote in one.quotes]
    # What is put in backticks behind a quotation may be a name and no quotation: the first one has to stand there.
    return replace(one, verdict="holds", line=found[0]) if found[0] else replace(one, verdict="differs")


def _line_of(quote: str, lines: list[str], one: Evidence) -> int:
    """The line where a quotation begins, 0 for nowhere; white space does not count."""
    words = " ".join(quote.split())
    first, last = (max(0, one.first - 1 - _BESIDE_LINES), one.last + _BESIDE_LINES) if one.first else (0, len(lines))
    within = [" ".join(line.split()) for line in lines[first:last]]
    for number, line in enumerate(within):
        if words in line:
            return first + number + 1
    whole = " ".join(within)
    if words not in whole:
        return 0
    ahead = whole.index(words)
    for number, line in enumerate(within):
        ahead -= len(line) + 1
        if ahead < 0:
            return first + number + 1
    return 0
