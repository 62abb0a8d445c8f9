"""Markdown as people and agents write it, cut into blocks: paragraphs, list entries, table rows; and into sentences."""

import re

from clew.core.text import shorten
from clew.core.tuples import NamedTuple

# A heading that names something (in back-quotes, with an inner mark or capital) is a statement by itself.
_NAMES = re.compile(r"`|\w[_./]\w|[a-z][A-Z]")
_FENCES = ("```", "~~~")
_MARKDOWN = ("markdown", "md", "mdx")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(\S.*)")
_BOLD_HEADING = re.compile(r"^\s*\*\*([^*]{2,80}?):?\*\*:?\s*$")
_LEAD = re.compile(r"\*\*([^*\n]{3,60})\*\*")
_BULLET = re.compile(r"^(\s*)(?:[-*+•]|(\d{1,3})[.)]|\[[ xX]\])\s+(?:\[[ xX]\]\s+)?")
_INDENT = ("  ", "\t")  # a paragraph that belongs to the list entry above it
# What explains a title stands behind it.
_TITLE_END = re.compile(r": | [-–—(]")
_SIDES = re.compile(
    r"(?i)pros?|cons?|(?:dis)?advantages?|benefits?|drawbacks?|(?:up|down)sides?|limitations?|trade-?offs?"
)
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
    """`text` on one line, without emphasis, with the nearest heading or label above it.

    `listed`: a list entry or a table row. A heading that names something and has no list below it is a block too, and
    its own heading. `number`: of the entry of a numbered list that it is or stands below ("" none). `section`: the
    title above, whatever label there is in between.
    """

    heading: str
    text: str
    listed: bool
    number: str = ""
    section: str = ""


def blocks(text: str, *, label_chars_max: int) -> list[Block]:
    """The blocks of a Markdown text in order. Code is left out, but for fences of one to three short lines.

    A named heading above a list becomes a block only if it is longer than `label_chars_max`: a shorter one is said
    with the list.
    """
    cutter = _Cutter(label_chars_max)
    for line in text.split("\n"):
        cutter.take(line)
    cutter.flush()
    return cutter.found


# Of a longer list entry the ones below it are told with the beginning.
_PARENT_CHARS_MAX = 40
_PATH = r"`[^`\s]*(?P<name>/[^`/\s]+)`"  # compiled when a text needs it
# An entry that is indented deeper stands below another.
_MARGIN_MAX = 1


class _Cutter:
    """The state of one cutting."""

    def __init__(self, label_chars_max: int) -> None:
        self.found: list[Block] = []
        self._label_chars_max = label_chars_max
        self._heading = self._label = self._named = ""
        self._whole = ""  # the last heading or label of a thing, and not of one of its sides
        self._label_at = 0  # how many blocks there were above the label
        self._lines: list[str] = []
        self._fence: list[str] | None = None
        self._marks: list[str] = []  # that opened the fence, and those inside it
        self._nests = False
        self._listed = False
        self._depth = 0  # of the list entry under way
        self._number = ""  # of the entry at the list's margin
        self._parents: list[tuple[int, str]] = []  # (depth, text) of the entries that it stands below
        self._told: dict[str, str] = {}  # by its beginning, an entry that others stand below
        self._in_table = self._column_names = False

    def take(self, line: str) -> None:
        stripped = line.strip()
        if self._fence is None and stripped[:1].isalpha():
            self._paragraph(line, stripped)  # most lines: what else there is begins with a mark or a number
        elif stripped.startswith(_FENCES) and self._is_fence(stripped):
            self._toggle_fence()
        elif self._fence is not None:
            self._fence.append(line)
        elif not stripped:
            self.flush()
            self._in_table = False
        elif title := _HEADING.match(line) or _BOLD_HEADING.match(line):
            self.flush()
            self._heading, self._label = self._titled(plain(title_of(title.group(1))).strip(" :*")), ""
            self._named = self._heading if _NAMES.search(self._heading) else ""
        elif len(stripped) > 2 and stripped[0] == stripped[-1] == "|":
            self._row(stripped[1:-1], stripped)
        elif _RULE.match(stripped):
            self.flush()
        elif mark := _BULLET.match(line):
            depth, text = len(mark.group(1).expandtabs(4)), line[mark.end() :].strip()
            if not mark.group(2) and text[:1].isdigit() and (inner := _BULLET.match(text)):
                # "• 1. …": a screen that was copied marks the first line only, and "2." stands where the "1." does.
                depth, mark, text = mark.end(), inner, text[inner.end() :]
            self._entry(depth, mark.group(2) or "", text)
        else:
            self._paragraph(line, stripped)

    def _paragraph(self, line: str, stripped: str) -> None:
        if not self._lines and not line.startswith(_INDENT) and len(self.found) > self._label_at:
            self._label = ""  # a paragraph behind the list or the paragraph that the label spoke of
        self._lines.append(stripped)

    def _entry(self, depth: int, number: str, text: str) -> None:
        """A list entry begins. One that stands deeper than the one before has that one for a heading."""
        above = plain(" ".join(self._lines)).strip() if self._listed else ""
        lead = _LEAD.match(self._lines[0]) if len(self._lines) == 1 and not self._listed else None
        before = self._depth
        self.flush()
        if lead:  # a line right above the list that begins in bold
            self._label, self._label_at = plain(lead[1]).strip(" :"), len(self.found)
        self._parents = [parent for parent in self._parents if parent[0] < depth]
        if above and before < depth:
            self._parents.append((before, above.rstrip(":")))
        self._listed, self._depth = True, depth
        self._number = number if depth <= _MARGIN_MAX or not self._parents else self._number
        self._lines.append(text)

    def _spoken_of(self) -> str:
        """The heading of the block under way."""
        if self._listed and self._parents:
            return self._short(self._parents[-1][1])
        return self._label or self._heading

    def _short(self, entry: str) -> str:
        """The beginning of an entry, of a long path in front its end; longer where another entry begins so, too, and
        whole where another begins with all of it.
        """
        path = re.match(_PATH, entry) if entry[:1] == "`" else None
        if path and len(path[0]) > _PARENT_CHARS_MAX:
            entry = f"`…{path['name']}{entry[path.end() - 1 :]}"
        chars = _PARENT_CHARS_MAX
        while self._told.setdefault(short := shorten(entry, chars), entry) != entry and chars < len(entry):
            chars = chars * 3 // 2
        return short

    def _titled(self, title: str) -> str:
        """A heading, with the one above it if it is one side of something: of what, "Cons" alone does not say."""
        if _SIDES.fullmatch(title) is None:
            self._whole = title
            return title
        above = self._whole if len(self._whole) <= _PARENT_CHARS_MAX else _TITLE_END.split(self._whole)[0]
        return f"{above}, {title}" if 0 < len(above) <= _PARENT_CHARS_MAX else title

    def flush(self) -> None:
        """End the block under way."""
        text = plain(" ".join(self._lines)).strip()
        self._lines.clear()
        label = ""
        if text.endswith(":") and not self._listed:
            *before, label = sentences(text)
            text = " ".join(before)
        if text:
            if self._named and (not self._listed or len(self._named) > self._label_chars_max):
                self.found.append(Block(self._named, self._named, False, section=self._heading))
            self._named = ""
            number = self._number if self._listed else ""
            self.found.append(Block(self._spoken_of(), text, self._listed, number, self._heading))
        if label:
            self._label, self._label_at = self._titled(label[:-1]), len(self.found)
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

    def _row(self, inside: str, line: str) -> None:
        self.flush()
        if not _RULE.match(line):
            cells = [plain(cell).strip() for cell in inside.split("|")]
            text = " · ".join(cell for cell in cells if cell)
            self.found.append(Block(self._label or self._heading, text, True, section=self._heading))
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
