"""Markdown as people and agents write it, cut into blocks: paragraphs, list entries, table rows; and into sentences."""

import re
from typing import NamedTuple

LABEL_CHARS_MAX = 60
_FENCES = ("```", "~~~")
_MARKDOWN = ("markdown", "md", "mdx")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(\S.*)")
_BOLD_HEADING = re.compile(r"^\s*\*\*([^*]{2,80}?):?\*\*:?\s*$")
_BULLET = re.compile(r"^(\s*)(?:[-*+•]|(\d{1,3})[.)]|\[[ xX]\])\s+(?:\[[ xX]\]\s+)?")
_INDENT = ("  ", "\t")  # a paragraph that belongs to the list entry above it
_RULE = re.compile(r"^[\s|:*_=-]+$")
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


class Block(NamedTuple):
    """`text` on one line, without emphasis. `title` is the heading above it (deep in a list, its outermost entry),
    `label` the lead-in that stands between (a line that ends with ":", the list entry above). `listed`: a list entry or
    a table row. `number`: of the entry.
    """

    title: str
    label: str
    text: str
    listed: bool
    number: str = ""


def blocks(text: str) -> list[Block]:
    """The blocks of a Markdown text in order. Code is left out, but for fences of one to three short lines."""
    cutter = _Cutter()
    for line in text.split("\n"):
        cutter.take(line)
    cutter.flush()
    return cutter.found


class _Cutter:
    """The state of one cutting."""

    def __init__(self) -> None:
        self.found: list[Block] = []
        self._title = self._label = self._number = ""
        self._below = ""  # the lead-in of a list entry, for the indented paragraphs below it
        self._label_at = 0  # how many blocks there were above the label
        self._lines: list[str] = []
        self._fence: list[str] | None = None
        self._marks: list[str] = []  # that opened the fence, and those inside it
        self._nests = False
        self._listed = self._in_table = self._column_names = False
        self._depth = 0  # of the list entry under way
        self._parents: list[tuple[int, str]] = []  # (depth, text) of the entries that it stands below

    def take(self, line: str) -> None:
        stripped = line.strip()
        if stripped.startswith(_FENCES) and self._is_fence(stripped):
            self._toggle_fence()
        elif self._fence is not None:
            self._fence.append(line)
        elif stripped[:1].isalpha():
            self._paragraph(line, stripped)  # most lines: what else there is begins with a mark or a number
        elif not stripped:
            self.flush()
            self._in_table = False
        elif title := _HEADING.match(line) or _BOLD_HEADING.match(line):
            self.flush()
            self._title, self._label, self._below = plain(title_of(title.group(1))).strip(" :*"), "", ""
        elif len(stripped) > 2 and stripped[0] == stripped[-1] == "|":
            self._row(stripped)
        elif _RULE.match(stripped):
            self.flush()
        elif mark := _BULLET.match(line):
            self._entry(len(mark.group(1).expandtabs(4)), mark.group(2) or "", line[mark.end() :].strip())
        else:
            self._paragraph(line, stripped)

    def _paragraph(self, line: str, stripped: str) -> None:
        if not self._lines and not line.startswith(_INDENT):
            self._parents.clear()
            self._below = ""
            if len(self.found) > self._label_at:
                self._label = ""  # a paragraph behind the list or the paragraph that the label spoke of
        self._lines.append(stripped)

    def _entry(self, depth: int, number: str, text: str) -> None:
        """A list entry begins. One that stands deeper than the one before has that one for a label."""
        above = plain(" ".join(self._lines)).strip() if self._listed else ""
        before = self._depth
        self.flush()
        self._below = ""
        self._parents = [parent for parent in self._parents if parent[0] < depth]
        if above and before < depth:
            self._parents.append((before, above.rstrip(":")))
        self._listed, self._depth, self._number = True, depth, number
        self._lines.append(text)

    def flush(self) -> None:
        """End the block under way."""
        text = plain(" ".join(self._lines)).strip()
        self._lines.clear()
        label = ""
        if text.endswith(":"):  # it leads to what follows
            *before, label = sentences(text)
            text = " ".join(before)
        if text:
            parents = [parent for _, parent in self._parents] if self._listed else []
            title = parents[0] if len(parents) > 1 else self._title
            number = self._number if self._listed else ""
            label_above = parents[-1] if parents else self._below or self._label
            self.found.append(Block(title, label_above, text, self._listed, number))
        if label and self._listed:
            self._below = label[:-1]
        elif label:
            is_side = " " not in label and 0 < len(self._title) <= LABEL_CHARS_MAX - len(
                label
            )  # of what, it does not say
            self._label, self._label_at = f"{self._title}, " * is_side + label[:-1], len(self.found)
        self._listed = False

    def _is_fence(self, line: str) -> bool:
        """Whether a row opens or closes the fence, and not one that stands inside it: Markdown shows fences."""
        mark = line[: len(line) - len(line.lstrip(line[0]))]
        told = line[len(mark) :].strip()
        if not self._marks:
            self._marks, self._nests = [mark], told.lower() in _MARKDOWN
            return True
        if not told and mark.startswith(self._marks[-1]):
            self._marks.pop()
            return not self._marks
        if told and self._nests:
            self._marks.append(mark)
        return False

    def _toggle_fence(self) -> None:
        if self._fence is None:
            self._fence = []
            return
        if 1 <= len(self._fence) <= 3 and sum(map(len, self._fence)) <= 160:
            self._lines.append("`" + " ⏎ ".join(part.strip() for part in self._fence) + "`")
        else:
            self.flush()
            if len(self.found) == self._label_at:
                self._label = ""  # what it spoke of is left out
        self._fence = None

    def _row(self, line: str) -> None:
        self.flush()
        if not _RULE.match(line):
            cells = [plain(cell).strip() for cell in line[1:-1].split("|")]
            self.found.append(Block(self._title, self._label, " · ".join(cell for cell in cells if cell), True))
            self._column_names = not self._in_table
        elif self._column_names and self.found:
            self.found.pop()  # the row above a rule names the columns
            self._column_names = False
        self._in_table = True


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
