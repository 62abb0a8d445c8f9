"""A table's rows: which of its columns say what. Only a column that is named so tells how far a row is."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from clew.documents.parse import status, vocabulary
from clew.documents.parse.inline import plain
from clew.documents.parse.negation import doubtful
from clew.documents.parse.vocabulary import Topic

_STATUS: Final = frozenset(
    """status | state | done | done? | result | results | outcome | progress | complete | completed | implementation
    status |
    current status | resolved | 状态 | 状態 | 상태 | 結果 | 结果 | estado | stand | statut | état | stato | статус |
    готово""".replace("\n", " ").split(" | ")
)
_WHY: Final = frozenset(
    "why reason rationale because reasoning justification 理由 原因 razón motivo grund raison".split()
)
_NUMBER: Final = frozenset(("", "#", "no", "nr", "id", "num", "number", "step", "key", "ref", "编号"))
# Columns whose name says no more than that a row is told there.
_TITLES: Final = frozenset(
    """task item name description story feature action title what component area issue topic work todo deliverable
    decision
    risk question blocker bug file path goal finding constraint rule assumption lesson phase milestone requirement
    check test
    command gate 任务 项目 名称 機能 项 内容 tarea aufgabe tâche""".split()
)
_CHECKS: Final = frozenset("check checks test tests command gate gates criterion criteria suite verification".split())
# A column of these says what each row is.
_KINDS: Final = frozenset(
    "decision risk question blocker constraint goal assumption hypothesis file learning lesson rule invariant".split()
)
_HAS_WORD: Final = re.compile(r"\w")


class Columns(NamedTuple):
    """By column: its name, and what it is. −1: there is none."""

    names: tuple[str, ...]
    status: int
    why: int
    title: int
    topic: Topic | None
    is_check: bool


class Row(NamedTuple):
    """A row. `text` is its words without the cell that tells its `status`, `whole` with it. `topic` is what its
    column names. `is_check`: it tells a check. `is_unclear`: its cell of status says something that is no known word.
    """

    text: str
    whole: str
    status: str
    why: str
    topic: Topic | None
    is_check: bool
    is_unclear: bool
    struck: bool


def columns_of(header: tuple[str, ...]) -> Columns:
    """What the columns of a table with this header are."""
    names = tuple(plain(cell) for cell in header)
    keys = [name.lower().strip(" ?:") for name in names]
    told = next((at for at, key in enumerate(keys) if key in _STATUS and (at or len(keys) > 1)), -1)
    why = next((at for at, key in enumerate(keys) if key in _WHY), -1)
    title = next((at for at, key in enumerate(keys) if key not in _NUMBER and at not in (told, why)), -1)
    topic = None
    if title >= 0 and keys[title] in _KINDS and not any(map(doubtful, names)):
        topic = vocabulary.exact(keys[title])
    return Columns(names, told, why, title, topic, any(key in _CHECKS for key in keys))


def read(columns: Columns, cells: tuple[str, ...]) -> Row:
    """A row of the table."""
    struck = [status.marked(cell).struck for cell in cells]
    texts = [plain(status.marked(cell).text) if gone else plain(cell) for cell, gone in zip(cells, struck, strict=True)]
    rest, words = [], []
    why = ""
    for at, text in enumerate(texts):
        name = columns.names[at] if at < len(columns.names) else ""
        if not _HAS_WORD.search(text) and text not in status.SIGNS:
            words += [f"{name}: {text}"] if text.strip("-–— ") and name else []
            continue
        if at == columns.why and columns.title >= 0:
            why = text
            continue
        key = name.lower().strip(" ?:")
        is_plain = not name or ((key in _TITLES or key in _NUMBER) and at <= max(columns.title, 0))
        part = text if is_plain else f"{name}: {text}"
        words.append(part)
        if at != columns.status:
            rest.append(part)
    cell = texts[columns.status] if 0 <= columns.status < len(texts) else ""
    told = status.of_word(cell)
    is_struck = columns.title >= 0 and columns.title < len(struck) and struck[columns.title]
    if is_struck and not told:
        told = status.DROPPED
    is_said = bool(_HAS_WORD.search(cell))
    return Row(
        _joined(rest), _joined(words), told, why, columns.topic, columns.is_check and columns.status >= 0,
        is_said and not told, is_struck,
    )  # fmt: skip


def _joined(parts: list[str]) -> str:
    """The parts as one line: a number in front of what it numbers, the others behind."""
    if len(parts) > 1 and len(parts[0]) <= 12 and " " not in parts[0] and ":" not in parts[0]:
        parts = [f"{parts[0]} {parts[1]}", *parts[2:]] if not parts[0].strip("#").isdigit() else parts[1:]
    return "; ".join(parts)
