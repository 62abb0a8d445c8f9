"""Markdown as people and agents write it, cut into blocks: paragraphs, list entries, table rows; and into sentences."""

import re
from typing import NamedTuple

from clew.core.text.cleaning import one_line
from clew.core.text.segments import Block as Segment
from clew.core.text.segments import segments

LABEL_CHARS_MAX = 60
_BOLD_HEADING = re.compile(r"\*\*([^*]{2,80}?):?\*\*:?\s*$")
_CODE_LINES_MAX, _CODE_CHARS_MAX = 3, 160
# Code first: marks inside back-quotes belong to the code. Names are made of the same marks as emphasis (`__init__.py`,
# `src/*.ts, lib/*.ts`), so that stands between blanks or punctuation, and in underscores it has more than one word.
# Each way begins with one of the characters in front, where most places are done with.
_MARKS = re.compile(
    r"(?=[`!\[*_])(?:(?P<code>(?<!`)`+[^`\n]+`+)"
    r"|!?\[(?P<label>[^\[\]\n]{0,300})\]\( ?(?P<target>(?:[^()\s]|\([^()\s]{0,100}\)){0,300})(?:\s[^()\n]{0,200})?\)"
    r"|\*\*(?P<bold>(?:`[^`\n]*`|[^*`\n])+)\*\*"
    r"|(?<![\w*/.])\*(?P<italic>[^*\s](?:[^*\n]*[^*\s])?)\*(?![\w*]|[./]\w)"
    r"|(?<![\w/.])__(?P<strong>[^_\s]+(?: +[^_\s]+)+)__(?![\w/]|\.\w))"
)
# The end of a sentence: a stop after a word, a quote or a bracket, before a capital, a digit or a back-quote; not after
# the usual abbreviations, nor after a single letter.
_STOP = re.compile(r"[.!?][\"')\]`]*\s")
_SENTENCE_END = re.compile(
    r"(?=[.!?])(?<![ .(]\w)(?<!e\.g)(?<!i\.e)(?<!etc)(?<!vs)(?<!cf)(?<!No)([.!?][\"')\]`]*)\s+(?=[A-Z0-9`\"'(\[*])"
)


class ProseBlock(NamedTuple):
    """`text` on one line, without emphasis. `title` is the heading above it (deep in a list, its outermost entry),
    `label` the lead-in that stands between (a line that ends with ":", the list entry above). `listed`: a list entry or
    a table row. `number`: of the entry.
    """

    title: str
    label: str
    text: str
    listed: bool
    number: str = ""


def blocks(text: str) -> list[ProseBlock]:
    """The blocks of a Markdown text in order. Left out are quotes, and code but for one to three short lines."""
    cutter = _BlockCutter()
    for one in segments(["" if row.lstrip().startswith(">") else row for row in text.split("\n")]):
        cutter.take(one)
    cutter.flush()
    return cutter.found


class _BlockCutter:
    """The state of one cutting."""

    def __init__(self) -> None:
        self.found: list[ProseBlock] = []
        self._title = self._label = ""
        self._label_at = 0  # how many blocks there were above the label
        self._entries: list[str] = []  # of the list under way, down to the last one
        self._below = ""  # the lead-in of that one, for the paragraphs below it
        self._open: Segment | None = None  # it may go on in code

    def take(self, one: Segment) -> None:
        if one.form == "code":
            self._code(one)
            return
        self.flush()
        bold = _BOLD_HEADING.match(one.text) if one.form == "text" else None
        if one.form == "heading" or bold:
            self._title = plain(title_of(bold[1] if bold else one.text)).strip(" :*")
            self._label, self._entries = "", []
        elif cells := [cell for cell in one.cells if cell]:
            self.found.append(ProseBlock(self._title, self._label, plain(" · ".join(cells)).strip(), True))
        elif one.form in ("item", "text"):
            self._open = one

    def _code(self, one: Segment) -> None:
        rows = [row.strip() for row in one.text.split("\n")]
        is_closed = one.last - one.first == len(rows) + 1
        if is_closed and any(rows) and len(rows) <= _CODE_LINES_MAX and len(one.text) <= _CODE_CHARS_MAX:
            before, code = self._open, f"`{' ⏎ '.join(rows)}`"
            if before is not None and before.last + 1 == one.first:
                self._open = before._replace(text=f"{before.text} {code}")
                return
            self.flush()
            self._open = one._replace(form="text", text=code)
            return
        self.flush()
        if len(self.found) == self._label_at:
            self._label = ""  # what it spoke of is left out

    def flush(self) -> None:
        """End the block under way."""
        one, self._open = self._open, None
        if one is None:
            return
        whole = text = plain(one_line(one.text)).strip()
        is_entry, label = one.form == "item", ""
        del self._entries[one.level - is_entry :]
        if not one.level and len(self.found) > self._label_at:
            self._label = ""  # a paragraph behind the list or the paragraph that the label spoke of
        if text.endswith(":"):  # it leads to what follows
            *before, label = sentences(text)
            text = " ".join(before)
        if text:
            parents = self._entries if is_entry else []
            title = parents[0] if len(parents) > 1 else self._title
            above = parents[-1] if parents else (self._below if one.level and not is_entry else "") or self._label
            self.found.append(ProseBlock(title, above, text, is_entry, one.number))
        if is_entry:
            self._entries.append(whole.rstrip(":"))
            self._below = label[:-1]
        elif label:  # a word alone does not say of what it is a side
            is_side = " " not in label and 0 < len(self._title) <= LABEL_CHARS_MAX - len(label)
            self._label, self._label_at = f"{self._title}, " * is_side + label[:-1], len(self.found)


def title_of(heading: str) -> str:
    """A heading without the marks that may close it: "Why ##" -> "Why", but "About C#" stays."""
    heading = heading.rstrip()
    title = heading.rstrip("#")
    return title.rstrip() if title[-1:].isspace() else heading


def plain(text: str) -> str:
    """`text` without bold, italics and link targets; a link to a file becomes its place: `path:line`."""
    return _MARKS.sub(_plain, text) if "](" in text or "*" in text or "__" in text else text


def _plain(match: re.Match[str]) -> str:
    if match["code"]:
        return match["code"]
    if match["target"] is None:
        return plain(match["bold"] or match["italic"] or match["strong"])
    label, target = plain(match["label"]), match["target"]
    name = label.strip("`")
    if not name or name == target or target.startswith(("http://", "https://", "#", "mailto:")):
        return label or target
    place = target.replace("#L", ":")
    if place.startswith(name + ":"):
        return place
    return label if name in target and "/" in name else place


def sentences(text: str) -> list[str]:
    """The sentences of one paragraph. A stop inside back-quotes or parentheses ends none."""
    if not _STOP.search(text):
        return [text] if text else []
    parts: list[str] = []
    start = seen = ticks = opened = 0
    for match in _SENTENCE_END.finditer(text):
        end = match.end(1)
        ticks += text.count("`", seen, end)
        opened += text.count("(", seen, end) - text.count(")", seen, end)
        seen = end
        if ticks % 2 or opened > 0:
            continue
        parts.append(text[start:end].strip())
        start = seen = match.end()
        ticks = opened = 0
    tail = text[start:].strip()
    if tail:
        parts.append(tail)
    return parts
