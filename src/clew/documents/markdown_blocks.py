"""A short Markdown text as blocks: each list entry, table row and paragraph, with the headings that it stands under.

Made for what agents write when they are asked for a hand-off, in whichever style: `#` headings and underlined ones,
lines in bold, `Label:` lines, bullets of any sign, numbers, boxes, tables, fences. Time is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from clew.core.text.cleaning import clean, one_line

_ATX: Final = re.compile(r" {0,3}(#{1,6})\s+(.+?)\s*#*\s*$")
_ITEM: Final = re.compile(r"([ \t]*)(?:[-*+•‣◦▪–]|\d{1,3}[.)])[ \t]+(.*)$")
_BOX: Final = re.compile(r"\[([ xX])\] +")
_BOLD_LINE: Final = re.compile(r"\s*(\*\*|__)([^*_`]{1,60})\1\s*:?\s*$")
_LABEL: Final = re.compile(r"[*_]{0,3}([^\W\d_][^:`*_.?!;]{0,40}?)[*_]{0,3}:[*_]{0,3}(?:\s+|$)")
_RULE: Final = re.compile(r"\s*([-=*_])(?:\s*\1){2,}\s*$")
_FENCE: Final = re.compile(r"\s*(`{3,}|~{3,})")
_CELL_RULE: Final = re.compile(r"[\s|:-]+$")
# What clew sets around a document of its own.
_FRAME: Final = re.compile(r"\s*(?:</?clew-data\b|Data, not instructions\.|Nobody reviewed it[:.]|<!--)")
_LINES_MAX: Final = 4000
_LABEL_LEVEL: Final = 7


class Block(NamedTuple):
    """`text` is one line, `line` where it begins, from 1. `headings` are those above it, the outermost first; `title`:
    the outermost one is the text's own title. `under_label`: the innermost is no `#` heading, but a label in front.
    `ticked` is whether the box in front of it is; None without one.
    """

    text: str
    line: int
    headings: tuple[str, ...]
    has_title: bool
    under_label: bool = False
    ticked: bool | None = None


class _Open:
    """A block that may go on in the next line; `indent` -1: a paragraph."""

    def __init__(self, text: str, line: int, indent: int, ticked: bool | None = None) -> None:
        self.parts = [text]
        self.line = line
        self.indent = indent
        self.ticked = ticked

    @property
    def text(self) -> str:
        return one_line(" ".join(self.parts))

    def add_nested(self, text: str) -> None:
        """A point below this one, told behind it."""
        if not self.parts[-1].rstrip().endswith((":", ";", "—", ",")):
            self.parts[-1] = self.parts[-1].rstrip().removesuffix(".") + ";"
        self.parts.append(text)


def blocks(text: str, is_heading: Callable[[str], bool]) -> Iterator[Block]:
    """The blocks of a text, in order. `is_heading` tells of a label whether what follows it stands under it."""
    outline = _Outline(is_heading)
    for number, row in enumerate(clean(text).split("\n")[:_LINES_MAX], 1):
        yield from outline.take(number, row)
    yield from outline.close()


class _Outline:
    """The state of one reading."""

    def __init__(self, is_heading: Callable[[str], bool]) -> None:
        self._is_heading = is_heading
        self._headings: list[tuple[int, str]] = []
        self._first_level = 0
        self._open: _Open | None = None
        self._after_gap = False
        self._label_indent = -1  # of the list entry that is a label for those below it
        self._fence = ""
        self._cells: list[str] | None = None  # of a row that may be a table's head
        self._cells_line = 0

    def take(self, number: int, row: str) -> Iterator[Block]:
        """Read one line."""
        if self._fence or _FENCE.match(row):
            self._fenced(number, row)
            return
        if not row.strip() or _FRAME.match(row):
            yield from self._gap()
        elif atx := _ATX.match(row):
            yield from self.close()
            self._enter(len(atx[1]), atx[2])
        elif row.lstrip().startswith("|"):
            yield from self._row(number, row.strip())
        elif _RULE.match(row):
            yield from self._ruled(row.strip()[0])
        elif item := _ITEM.match(row):
            yield from self._item(number, len(item[1].expandtabs(4)), item[2])
        else:
            yield from self._line(number, row)

    def close(self) -> Iterator[Block]:
        """End what may go on."""
        block, self._open, self._after_gap = self._open, None, False
        if self._cells is not None:
            cells, self._cells = self._cells, None
            yield self._block(_told(cells), self._cells_line, None)
        if block is not None and block.text:
            yield self._block(block.text, block.line, block.ticked)

    def _block(self, text: str, line: int, ticked: bool | None) -> Block:
        has_title = bool(self._headings) and self._headings[0][0] == 1 and not self._is_heading(self._headings[0][1])
        under_label = bool(self._headings) and self._headings[-1][0] == _LABEL_LEVEL
        return Block(text, line, tuple(title for _, title in self._headings), has_title, under_label, ticked)

    def _enter(self, level: int, title: str, *, indent: int = -1) -> None:
        while self._headings and self._headings[-1][0] >= level:
            self._headings.pop()
        self._headings.append((level, one_line(title.strip(" *_:"))))
        self._label_indent = indent

    def _leave_label(self) -> None:
        if self._headings and self._headings[-1][0] == _LABEL_LEVEL:
            self._headings.pop()
        self._label_indent = -1

    def _gap(self) -> Iterator[Block]:
        if self._open is not None and self._open.indent < 0:
            yield from self.close()
        self._after_gap = True

    def _fenced(self, number: int, row: str) -> None:
        """A line of a fenced block: it is told with what it stands under."""
        mark = _FENCE.match(row)
        if not self._fence:
            assert mark is not None
            self._fence = mark[1]
            return
        if mark is not None and mark[1].startswith(self._fence) and row.strip() == mark[1]:
            self._fence = ""
        elif row.strip():
            if self._open is None:
                self._open = _Open(row.strip(), number, -1)
            else:
                self._open.parts.append(row.strip())

    def _ruled(self, sign: str) -> Iterator[Block]:
        block = self._open
        if sign in "-=" and block is not None and block.indent < 0 and len(block.parts) == 1 and not self._after_gap:
            self._open = None
            self._enter(1 if sign == "=" else 2, block.text)
            return
        yield from self.close()

    def _row(self, number: int, row: str) -> Iterator[Block]:
        if _CELL_RULE.match(row):
            self._cells = None  # what stood above was the head of a table
            return
        yield from self.close()
        self._cells, self._cells_line = _cells(row), number

    def _item(self, number: int, indent: int, text: str) -> Iterator[Block]:
        box = _BOX.match(text)
        ticked = None if box is None else box[1] != " "
        text = text[box.end() :] if box else text
        parent = self._open
        if parent is not None and 0 <= parent.indent < indent:
            label = _label_alone(parent.text) if len(parent.parts) == 1 else None
            if label is not None and self._is_heading(label):
                self._open = None
                self._enter(_LABEL_LEVEL, label, indent=parent.indent)
            else:
                parent.add_nested(text)
                self._after_gap = False
                return
        yield from self.close()
        if 0 <= indent <= self._label_indent:
            self._leave_label()
        self._open = _Open(text, number, indent, ticked)

    def _line(self, number: int, row: str) -> Iterator[Block]:
        indent = len(row.expandtabs(4)) - len(row.expandtabs(4).lstrip())
        block = self._open
        bold = _BOLD_LINE.match(row)
        label = _LABEL.match(row.strip())
        name = bold[2].strip(" :") if bold is not None else label[1] if label is not None else ""
        starts = indent == 0 and self._is_heading(name)
        if block is not None and block.indent >= 0 and not starts and (not self._after_gap or indent > block.indent):
            block.parts.append(row.strip())
            self._after_gap = False
            return
        if bold is not None:
            yield from self.close()
            self._enter(_LABEL_LEVEL, bold[2])
        elif label is not None and self._is_heading(label[1]):
            yield from self.close()
            self._enter(_LABEL_LEVEL, label[1])
            if rest := row.strip()[label.end() :]:
                self._open = _Open(rest, number, -1)
        elif block is not None and block.indent < 0:
            block.parts.append(row.strip())
        else:
            yield from self.close()
            self._open = _Open(row.strip(), number, -1)
        self._after_gap = False


def label_of(text: str) -> tuple[str, str]:
    """The label in front of an entry's text ("Cause: x", "**Cause:** x"), and what stands behind it; ("", text)."""
    found = _LABEL.match(text)
    return (found[1].strip(), text[found.end() :]) if found is not None else ("", text)


def _label_alone(text: str) -> str | None:
    """The label that an entry is made of: nothing stands behind its colon, or it is in bold."""
    found = _BOLD_LINE.match(text)
    if found is not None:
        return found[2].strip(" :")
    label, rest = label_of(text)
    return label if label and not rest else None


def _cells(row: str) -> list[str]:
    return [one_line(cell) for cell in row.strip("|").replace("\\|", "¦").split("|")]


def _told(cells: list[str]) -> str:
    """A table's row as a sentence."""
    first, *others = [cell.replace("¦", "|") for cell in cells if cell] or [""]
    return f"{first}: {'; '.join(others)}" if others else first
