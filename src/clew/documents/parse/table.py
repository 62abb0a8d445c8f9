"""A table's rows: which of its columns say what. Only a column that is named so tells how far a row is."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from clew.documents.parse import vocabulary
from clew.documents.parse.inline import SIGNS, plain, read_mark, status_of
from clew.documents.parse.negation import doubtful
from clew.documents.parse.vocabulary import DROPPED, Topic

_STATUS: Final = vocabulary.STATUS | frozenset(
    "done|result|results|outcome|complete|completed|implementation status|current status|resolved|結果|结果".split("|")
)
_NUMBER: Final = frozenset(("", "#", "no", "nr", "id", "num", "number", "step", "key", "ref"))
_CHECKS: Final = frozenset(("check", "test", "command", "gate", "criterion", "criteria"))
# A column of these says what each row is.
_KINDS: Final = frozenset(
    ("decision", "risk", "question", "blocker", "constraint", "goal", "assumption", "hypothesis", "file", "learning")
)
_HAS_WORD: Final = re.compile(r"\w")


class Columns(NamedTuple):
    """By column: its name, and what it is. −1: there is none. `topic` is what its rows are."""

    names: tuple[str, ...]
    status: int
    why: int
    title: int
    topic: Topic | None
    is_check: bool


class TableRow(NamedTuple):
    """A row. `text` is its words without the cell that tells its `status`, `whole` with it. `is_unclear`: that cell
    says something that is no known word.
    """

    text: str
    whole: str
    status: str
    why: str
    is_unclear: bool
    struck: bool


def columns_of(header: tuple[str, ...]) -> Columns:
    """What the columns of a table with this header are."""
    names = tuple(plain(cell) for cell in header)
    keys = [name.lower().strip(" ?:") for name in names]
    told = next((at for at, key in enumerate(keys) if key in _STATUS and len(keys) > 1), -1)
    why = next((at for at, key in enumerate(keys) if key in vocabulary.WHY), -1)
    title = next((at for at, key in enumerate(keys) if key not in _NUMBER and at not in (told, why)), -1)
    topic = vocabulary.exact(keys[title]) if title >= 0 and not any(map(doubtful, names)) else None
    topic = topic if topic and topic.kind in _KINDS and not topic.turn else None
    is_check = told >= 0 and any(
        key in _CHECKS or ((found := vocabulary.exact(key)) is not None and found.kind == "validation") for key in keys
    )
    return Columns(names, told, why, title, topic, is_check)


def read(columns: Columns, cells: tuple[str, ...]) -> TableRow:
    """A row of the table."""
    struck = [read_mark(cell).struck for cell in cells]
    texts = [plain(read_mark(cell).text if gone else cell) for cell, gone in zip(cells, struck, strict=True)]
    rest, words = [], []
    for at, text in enumerate(texts):
        name = columns.names[at] if at < len(columns.names) else ""
        if at == columns.why and columns.title >= 0 and _HAS_WORD.search(text):
            continue
        if not text.strip("-–— ") or not (name or _HAS_WORD.search(text)):
            continue
        is_plain = not name or (at == columns.title and not doubtful(name)) or name.lower() in _NUMBER
        words.append(text if is_plain else f"{name}: {text}")
        if at != columns.status and (_HAS_WORD.search(text) or text in SIGNS):
            rest.append(words[-1])
    cell = texts[columns.status] if 0 <= columns.status < len(texts) else ""
    is_struck = 0 <= columns.title < len(struck) and struck[columns.title]
    told = status_of(cell) or (DROPPED if is_struck else "")
    why = texts[columns.why] if 0 <= columns.why < len(texts) and columns.title >= 0 else ""
    is_unclear = bool(_HAS_WORD.search(cell)) and not told
    return TableRow(_joined(rest), _joined(words), told, why.strip("-–— "), is_unclear, is_struck)


def _joined(parts: list[str]) -> str:
    """The parts as one line: a number in front of what it numbers, the others behind."""
    if len(parts) > 1 and len(parts[0]) <= 12 and " " not in parts[0] and ":" not in parts[0]:
        parts = [f"{parts[0]} {parts[1]}", *parts[2:]] if not parts[0].strip("#").isdigit() else parts[1:]
    return "; ".join(parts)
