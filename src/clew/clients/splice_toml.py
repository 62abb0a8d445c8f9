"""Like `splice`, for TOML: a table of its own for each entry, put behind all that is there. Pure.

A table can stand anywhere in such a file, and what a person wrote keeps every character. Taking out cuts the same text;
if somebody wrote in it since, or in another form, tomlkit takes it out, and leaves the rest as it is.
The result of each step is parsed again and must differ by the entries alone, or it is refused: `Unfit`.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Collection, Sequence
from copy import deepcopy
from typing import Any, Final

from clew.clients.jsonc import BOM
from clew.clients.splice import (
    Ours,
    Path,
    Spliced,
    SpliceEntry,
    SpliceSpan,
    Unfit,
    cut,
    found_again,
    ours_in,
    pruned,
    stand_alone,
    take_in,
)

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")


def insert(text: str, entries: Sequence[SpliceEntry]) -> Spliced:
    """Put `entries`, which are objects with a key, behind what `text` holds. Raises `Unfit`."""
    expected = _parsed(text)
    line_end = "\r\n" if "\r\n" in text else "\n"
    made: list[Path] = []
    blocks: list[str] = []
    for entry in entries:
        made += take_in(expected, SpliceEntry(entry.path, entry.key, deepcopy(entry.value)))
        blocks.append(_table((*entry.path, entry.key), entry.value, line_end))
    lead = "" if not text or text == BOM else line_end if text.endswith("\n") else 2 * line_end
    span = SpliceSpan(len(text), lead + line_end.join(blocks))
    after = text + span.text
    try:
        fits = _same(_parsed(after), expected)
    except Unfit:
        places = ", ".join(f"`{'.'.join(entry.path)}`" for entry in entries)
        raise Unfit(f"{places} is written in a form that nothing can be put behind") from None
    if not fits:
        raise Unfit("more than the entries would change")
    return Spliced(after, (span,) if entries else (), tuple(dict.fromkeys(made)))


def holds(text: str, entries: Sequence[SpliceEntry], ours: Ours) -> bool:
    """Whether the entries stand in `text`, each once, and nothing else of ours. Raises `Unfit`."""
    return stand_alone(_parsed(text), entries, ours)


def without(text: str, spans: Sequence[SpliceSpan], made: Collection[Path], ours: Ours) -> str:
    """`text` without our entries, whatever happened to it since. Raises `Unfit`."""
    whole = _parsed(text)
    expected = pruned(whole, (), ours, made)
    for spots in (tuple(spans), found_again(text, spans)):
        try:
            if spots and _same(_parsed(shorter := cut(text, spots)), expected):
                return shorter
        except Unfit:
            pass  # they stand elsewhere, or something was built on them
    shorter = text
    for path, _ in ours_in(whole, (), ours):
        shorter = _taken_out(shorter, path)
    if not _same(_parsed(shorter), expected):
        raise Unfit("more than the entries would change")
    return shorter


def _parsed(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.removeprefix(BOM))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise Unfit(f"it is not TOML: {error}") from None


def _same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two files say the same, in whatever order. A table that holds nothing is there or not, as its last inner
    one is."""
    return repr(_full(one)) == repr(_full(other))


def _full(value: Any) -> Any:
    if isinstance(value, list):
        return [_full(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {key: inner for key, one in sorted(value.items()) if (inner := _full(one)) != {}}


def _table(path: Path, value: dict[str, Any], line_end: str) -> str:
    rows = [f"[{'.'.join(map(_key, path))}]", *(f"{_key(name)} = {_shown(one)}" for name, one in value.items())]
    return "".join(row + line_end for row in rows)


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _shown(name)


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_shown, value))}]"
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{_key(name)} = {_shown(one)}' for name, one in value.items())} }}"
    # Of what JSON writes in a string, TOML reads all but a bare DEL.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _taken_out(text: str, path: Path) -> str:
    import tomlkit  # here: only where somebody wrote into what is ours
    from tomlkit.exceptions import TOMLKitError

    bom = BOM if text.startswith(BOM) else ""
    try:
        whole = tomlkit.parse(text.removeprefix(BOM))
        inner: Any = whole
        for key in path[:-1]:
            inner = inner[key]
        del inner[path[-1]]
        shorter = bom + tomlkit.dumps(whole)
    except (TOMLKitError, KeyError, TypeError, ValueError) as error:
        raise Unfit(f"the entry {'.'.join(path)} cannot be taken out: {error}") from None
    if _remarks(text) != _remarks(shorter):
        raise Unfit(f"remarks would go with the entry {'.'.join(path)}")
    return shorter


def _remarks(text: str) -> list[str]:
    """The lines that are remarks. One within a string of many lines looks the same, and stays as well."""
    return sorted(line.strip() for line in text.split("\n") if line.lstrip().startswith("#"))
