"""The text of a stack's file, changed source by source: whatever else stands there stays to the byte. Pure.

A source goes with the comment lines right above its `[[source]]` and with those right below its keys; comments that
stand apart stay where they are. What comes out is read again: where it does not say what was meant, because the file is
written in a way that is not known here, nothing is changed.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any, Final

import tomlkit

from clew.core.errors import InputError

_ROW: Final = re.compile(r"[^\n]*\n|[^\n]+")
_HEADER: Final = re.compile(r"""[ \t]*\[\[[ \t]*(?:source|"source"|'source')[ \t]*\]\]""")


def appended(text: str, table: Mapping[str, Any]) -> str:
    """The text with a source at its end. Raises `InputError`."""
    made = tomlkit.table()
    for key, value in table.items():
        multiline = isinstance(value, str) and "\n" in value
        made[key] = tomlkit.string(value, multiline=True) if multiline else value
    document = tomlkit.document()
    document["source"] = tomlkit.aot()
    document["source"].append(made)
    before = text if not text or text.endswith("\n") else f"{text}\n"
    return _meant(text, before + "\n" * bool(text.strip()) + tomlkit.dumps(document), [*_tables(text), dict(table)])


def removed(text: str, at: int) -> str:
    """The text without the source `at` (from 0). Raises `InputError`."""
    head, pieces = _cut(text)
    gap = pieces.pop(at)[1]
    rest = gap.lstrip("\r\n") if gap.strip() else ""
    if pieces and at:
        own, before = pieces[at - 1]
        pieces[at - 1] = (own, before + rest) if at < len(pieces) or rest else (own, before.rstrip("\r\n"))
    else:
        head = head + rest if pieces or rest else head.rstrip("\r\n") + "\n" * bool(head.strip())
    tables = _tables(text)
    after = head + "".join(own + gap for own, gap in pieces)
    return _meant(text, after, [*tables[:at], *tables[at + 1 :]])


def _cut(text: str) -> tuple[str, list[tuple[str, str]]]:
    """What stands before the first source; of each source its own lines, and what stands between it and the next."""
    rows = _ROW.findall(text)
    heads = [number for number, row in enumerate(rows) if _HEADER.match(row)]
    starts = []
    for number in heads:
        while number and rows[number - 1].lstrip().startswith("#"):
            number -= 1  # noqa: PLW2901
        starts.append(number)
    pieces = []
    for start, header, end in zip(starts, heads, [*starts[1:], len(rows)], strict=True):
        last = max(n for n in range(header, end) if n == header or rows[n].split("#")[0].strip())
        while last + 1 < end and (rows[last + 1].strip() or not _is_whole("".join(rows[start : last + 1]))):
            last += 1
        pieces.append(("".join(rows[start : last + 1]), "".join(rows[last + 1 : end])))
    if len(pieces) != len(_tables(text)):
        raise _unknown()
    return "".join(rows[: starts[0]] if starts else rows), pieces


def _is_whole(text: str) -> bool:
    """Whether no string is open at its end: what looks like a comment, or like nothing, may stand in one."""
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


def _values(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise _unknown() from None


def _tables(text: str) -> list[dict[str, Any]]:
    found = _values(text).get("source", [])
    assert isinstance(found, list)
    return found


def _meant(before: str, after: str, tables: Sequence[Mapping[str, Any]]) -> str:
    """The new text, if it says what it should: these sources, and all else as before."""
    old, new = _values(before), _values(after)
    old["source"] = list(tables)
    new.setdefault("source", [])
    if old != new:
        raise _unknown()
    return after


def _unknown() -> InputError:
    return InputError(
        "the file is written in a way in which its sources cannot be changed one by one",
        code="E-stack-file",
        hint="Write each source as a [[source]] of its own (docs/reference/stacks.md), or change it in an editor.",
    )
