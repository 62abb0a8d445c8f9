"""Lines to neutral blocks. Knows the shape of Markdown and of text and YAML files that look like it; knows nothing of
what a block means.

One pass over the lines, so that the time is linear in them whatever they hold: a general Markdown parser takes twice
the time and memory that a document may take here. Indented text is never code: in what people write it is a list that
was indented too far.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

Form = Literal["heading", "item", "text", "row", "code", "other", "matter"]


class Block(NamedTuple):
    """A piece of a document.

    `first` and `last` are the lines of its own words, from 1. `level` is that of a heading, how deep a list entry is
    nested (from 1), and of a text the entry that it goes on below (0 none). `indent` is its column. `text` is as
    written, with line breaks. `box` is what stands between the brackets of a check box, "" without one. `number` is
    that of a numbered entry. `header` and `cells` are those of a table's row; a header is a row without cells. `info`
    is the language of code. other: rulers, comments and tags, which say nothing. matter: front matter.
    """

    form: Form
    first: int
    last: int
    level: int = 0
    indent: int = 0
    text: str = ""
    box: str = ""
    number: str = ""
    header: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()
    info: str = ""


# Stands for a line on which there is something that nobody sees.
UNSEEN: Final = "·"
_MARKER: Final = re.compile(r"(?:[-*+•‣▪◦]|(\d{1,9})[.)])(?:[ \t]+|$)")
_MARKERS: Final = frozenset("-*+•‣▪◦0123456789")
# A star behind the box: Kiro's mark of a step that may be left out.
_BOX: Final = re.compile(r"\[([ xX✓✔~/>!?-]?)\]\*?(?:[ \t]+|$)")
_RULERS: Final = frozenset("-*_=#~+")
_TAG: Final = re.compile(r"</?[A-Za-z][^<>]{0,300}>\s*$")
# A line that begins a text of its own where it follows another one: `**Why:** …`, and in a run of such lines `Why: …`.
_BOLD: Final = re.compile(r"(?:\*\*|__)[^*_\n]{1,100}(?:\*\*|__)")
_KEY: Final = re.compile(r"[^\W\d_][\w /.'-]{0,40}:(?:\s|$)")
_MATTER_LINES_MAX: Final = 200
_MATTER: Final = re.compile(r"[A-Za-z_][\w .-]*:(?:\s|$)|\s+\S|-\s|#|\s*$")
_CELLS_MAX: Final = 40
_MARKDOWN: Final = ("markdown", "md", "mdx")
_PIPES: Final = re.compile(r"`[^`]*`|\\\||\|")


def segments(lines: Sequence[str], *, comments: bool = False) -> Iterator[Block]:
    """The blocks of a document's lines, in order; every line that is not blank is in one. `comments`: "#" begins a
    comment, no heading.
    """
    return _Segments(lines, comments).read()


class _Segments:
    """`indents` are the columns of the list entries that are open; `kept` is the text or entry that goes on."""

    def __init__(self, lines: Sequence[str], comments: bool) -> None:
        self.lines = lines
        self.comments = comments
        self.at = 0
        self.indents: list[int] = []
        self.kept: Block | None = None
        self.rows: list[str] = []
        self.is_keys = False
        self.is_blank = True
        # Behind this line no comment ends: one that begins there is a line.
        self.last_end = next((at for at in range(len(lines) - 1, -1, -1) if "-->" in lines[at]), -1)

    def read(self) -> Iterator[Block]:
        if matter := self._matter():
            yield matter
        while self.at < len(self.lines):
            line = self.lines[self.at]
            self.at += 1
            body = line.strip()
            if not body:
                yield from self._flush()
                self.is_blank = True
                continue
            kept = self.kept
            goes_on = kept is not None and len(self.rows) > 1 and kept.form == "text" and not self.is_keys
            if goes_on and body[0].isalpha() and "|" not in body:
                self.rows.append(body)  # the quickest way for most lines
                continue
            yield from self._line(line, body)
            self.is_blank = False
        yield from self._flush()

    def _matter(self) -> Block | None:
        lines = self.lines[: _MATTER_LINES_MAX + 1]
        if not lines or lines[0].rstrip() != "---":
            return None
        end = next((at for at in range(1, len(lines)) if lines[at].rstrip() == "---"), 0)
        inside = lines[1:end]
        if not any(line.strip() for line in inside) or not all(map(_MATTER.match, inside)):
            return None
        self.at = end + 1
        return Block("matter", 1, end + 1, text="\n".join(inside))

    def _line(self, line: str, body: str) -> Iterator[Block]:
        sign = body[0]
        if sign == ">":
            body = body.lstrip("> \t")
            line = body
            sign = body[:1]
            if not body:
                yield from self._alone("other", self.at)
                return
        if body == UNSEEN:
            yield from self._alone("other", self.at)
        elif sign.isalpha() and "|" not in body:
            yield from self._text(line, body)
        elif sign == "#" and (level := 0 if self.comments else _level(body)):
            yield from self._heading(body[level:].lstrip(".:").strip(" \t"), level)
        elif sign == "#" and self.comments:
            yield from self._alone("other", self.at)
        elif body.startswith(("```", "~~~")):
            yield from self._code(body)
        elif sign in _RULERS and len(body) > 1 and not body.strip(sign + " \t"):
            yield from self._ruler(body)
        elif sign == "<" and (body.startswith("<!--") or _TAG.match(body)):
            yield from self._comment(body)
        elif "|" in body and self._is_table():
            yield from self._table(body)
        elif sign in _MARKERS and (marker := _MARKER.match(body)):
            yield from self._item(line, body, marker)
        else:
            yield from self._text(line, body)

    def _flush(self) -> Iterator[Block]:
        if self.kept is None:
            return
        block, self.kept = self.kept, None
        yield block._replace(last=block.first + len(self.rows) - 1, text="\n".join(self.rows))

    def _alone(self, form: Form, first: int, text: str = "", info: str = "") -> Iterator[Block]:
        """A block from line `first` to the one that was read last."""
        yield from self._flush()
        yield Block(form, first, self.at, text=text, info=info, level=len(self.indents))

    def _heading(self, text: str, level: int) -> Iterator[Block]:
        yield from self._flush()
        self.indents = []
        if text.endswith("#"):
            text = text.rstrip("#").rstrip()
        yield Block("heading" if text else "other", self.at, self.at, level=level, text=text)

    def _ruler(self, body: str) -> Iterator[Block]:
        kept = self.kept
        if body[0] in "=-" and " " not in body and kept and kept.form == "text" and len(self.rows) == 1:
            self.kept, self.indents = None, []
            yield Block("heading", kept.first, self.at, level=1 if body[0] == "=" else 2, text=self.rows[0])
        else:
            yield from self._alone("other", self.at)

    def _code(self, body: str) -> Iterator[Block]:
        first, fence = self.at, body[0] * (len(body) - len(body.lstrip(body[0])))
        info = body[len(fence) :].strip()
        if info and fence[0] in info:  # ```words``` on one line
            yield from self._text(body, body)
            return
        end, inside = len(self.lines), 0  # fences in a fence that shows Markdown
        while self.at < len(self.lines):
            self.at += 1
            row = self.lines[self.at - 1].strip()
            if not row.startswith(fence):
                continue
            if row.strip(fence[0]):
                inside += info.lower() in _MARKDOWN
            elif inside:
                inside -= 1
            else:
                end = self.at - 1
                break
        text = "\n".join(self.lines[first:end])
        yield from self._alone("code", first, text, info)

    def _comment(self, body: str) -> Iterator[Block]:
        first = self.at
        if body.startswith("<!--") and "-->" not in body and self.at <= self.last_end:
            while "-->" not in self.lines[self.at]:
                self.at += 1
            self.at += 1
        yield from self._alone("other", first)

    def _is_table(self) -> bool:
        """Whether the line below is the one that divides a table's header from its rows."""
        below = self.lines[self.at].strip() if self.at < len(self.lines) else ""
        return "-" in below and "|" in below and not below.strip("|:- \t")

    def _table(self, body: str) -> Iterator[Block]:
        yield from self._flush()
        header = _cells(body)
        self.at += 1
        yield Block("row", self.at - 1, self.at, header=header, level=len(self.indents))
        while self.at < len(self.lines) and "|" in (row := self.lines[self.at].strip()):
            self.at += 1
            yield Block("row", self.at, self.at, header=header, cells=_cells(row), level=len(self.indents))

    def _item(self, line: str, body: str, marker: re.Match[str]) -> Iterator[Block]:
        yield from self._flush()
        indent = _column(line)
        while self.indents and self.indents[-1] >= indent:
            self.indents.pop()
        self.indents.append(indent)
        text = body[marker.end() :]
        box = _BOX.match(text)
        if box:
            text = text[box.end() :]
        self.kept = Block(
            "item", self.at, self.at, level=len(self.indents), indent=indent, number=marker[1] or "",
            box=(box[1] or " ") if box else "",
        )  # fmt: skip
        self.rows, self.is_keys = [text], _KEY.match(text) is not None

    def _text(self, line: str, body: str) -> Iterator[Block]:
        kept = self.kept
        if kept is not None and not self._begins(line, body, kept):
            self.rows.append(body)
            return
        yield from self._flush()
        indent = _column(line) if line[0] in " \t" else 0
        if self.is_blank or (kept is not None and indent <= kept.indent):
            while self.indents and self.indents[-1] >= indent:
                self.indents.pop()
        self.kept = Block("text", self.at, self.at, level=len(self.indents), indent=indent)
        self.rows, self.is_keys = [body], _KEY.match(body) is not None

    def _begins(self, line: str, body: str, kept: Block) -> bool:
        """Whether a line begins a text of its own right below the text or entry `kept`."""
        if kept.form == "item" and line[0] not in " \t":
            # A label that stands further left than the entry is no part of it.
            return body.endswith(":") or _BOLD.match(body) is not None
        if body[0] in "*_" and _BOLD.match(body):
            return True
        if self.is_keys:
            return _KEY.match(body) is not None and (kept.form == "text" or _column(line) <= kept.indent)
        return len(self.rows) == 1 and kept.form == "text" and _is_title(self.rows[0])


def _is_title(row: str) -> bool:
    """Whether a line is bold as a whole, as a heading is."""
    return row[:2] == "**" and row.rstrip(": ").endswith("**") and row.count("**") == 2


def _level(body: str) -> int:
    """The level of the heading that a line is, 0 if it is none; "##Results" is a slip that people read as one."""
    level = len(body) - len(body.lstrip("#"))
    if level > 6:
        return 0
    behind = body[level : level + 1]
    return level if behind in ("", " ", "\t") or (level > 1 and (behind.isalnum() or behind in ".:")) else 0


def _column(line: str) -> int:
    front = line[: len(line) - len(line.lstrip(" \t"))]
    return len(front.expandtabs(4)) if "\t" in front else len(front)


def _cells(row: str) -> tuple[str, ...]:
    """The cells of a table's row; a bar in code or behind a backslash is none."""
    row = row.strip()
    row = row[1:] if row[0] == "|" else row
    row = row[:-1] if row.endswith("|") and not row.endswith("\\|") else row
    if "`" in row or "\\" in row:
        row = _PIPES.sub(lambda one: "\0" if one[0] == "|" else one[0].replace("\\|", "|"), row)
        return tuple(cell.strip() for cell in row.split("\0", _CELLS_MAX))
    return tuple(cell.strip() for cell in row.split("|", _CELLS_MAX))
