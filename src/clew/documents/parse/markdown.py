"""Text to neutral blocks with source lines. Knows the shape of Markdown and of text files that look like it; knows
nothing of what a block means.

Only the block rules of markdown-it run. Indented text is never code here: in what people write it is a list that was
indented too far.
"""

import re
from functools import cache
from typing import TYPE_CHECKING, Literal

from clew.core.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it import MarkdownIt
    from markdown_it.token import Token

Form = Literal["heading", "item", "text", "row", "code", "html", "rule", "matter"]


class Block(NamedTuple):
    """A piece of a document.

    `first` and `last` are its lines, from 1, with all that is nested in it; `end` is the index after its last nested
    block. `own_last` is the last line of its own text. `level` is that of a heading, and how deep a list entry is
    nested (from 1). `text` is as written, with line breaks; of code what stands between its fences. `box` is what
    stands between the brackets of a checkbox, "" without one. `number` is that of a numbered entry. `header` and
    `cells` are those of a table's row. `info` is the language of code. `quoted`: it stands in a block quote.
    """

    form: Form
    first: int
    last: int
    end: int = 0
    own_last: int = 0
    level: int = 0
    text: str = ""
    box: str = ""
    number: str = ""
    header: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()
    info: str = ""
    quoted: bool = False


# Deeper nesting stays unread and becomes a note: the parser recurses for each level.
_NESTING_MAX = 40
_TITLE_CHARS_MAX = 120
_BOX = re.compile(r"\[([ xX✓✔~/>!?-]?)\][ \t]+")
_RULER_SIGNS = frozenset("=#*_+-")
_RULER_CHARS_MIN = 5
_ATX = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
# "##Results", "##. Results": a slip that people read as a heading.
_SLIP = re.compile(r"(#{2,6})[.:]?[ \t]*(?=\w)")
_ENTRY = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+\S")
_CODE_COLUMNS = 4
_SPACES = frozenset(" \t")
# A list that is drawn as a tree: "├─ Parser", "│  └─ Tests". In a drawn table no words stand behind a branch.
_BRANCH = re.compile(r"([ \t│┃]*)([├└┣┗╰][─━╴╌┄]{0,2}[ \t]*)(?=[^\s─━┄┬┼┴┤┐┘])")
_BRANCHES = frozenset("├└┣┗╰")
# So begins what goes on below an entry of a drawn tree.
_DRAWN = frozenset("│┃ \t")
_TRUNKS = str.maketrans("│┃", "  ")
_MATTER_LINES_MAX = 200
_MATTER_LINE = re.compile(r"[A-Za-z_][\w .-]*:(?:\s|$)|\s+\S|-\s|#|\s*$")


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    from clew.documents.parse.paragraph import paragraph

    parser = MarkdownIt("commonmark", {"maxNesting": _NESTING_MAX}).enable("table")
    parser.disable(["code", "reference", "lheading"]).block.ruler.at("paragraph", paragraph)
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def blocks(lines: "Sequence[str]") -> list[Block]:
    """The blocks of a document's lines, a list entry before what is nested in it."""
    skip, matter = _front_matter(lines)
    readable = _readable(_undrawn(lines), skip)
    found = _Reader(readable).read(_parser().parse("\n".join(readable)))
    return matter + [block._replace(end=block.end + len(matter)) for block in found] if matter else found


def _front_matter(lines: "Sequence[str]") -> tuple[int, list[Block]]:
    """How many lines of front matter there are, and a block for each of its parts."""
    at, found = 0, []
    while at < len(lines) and lines[at].rstrip() == "---":
        end = next((i for i in range(at + 1, min(len(lines), at + _MATTER_LINES_MAX)) if lines[i].rstrip() == "---"), 0)
        inside = lines[at + 1 : end]
        if not end or not all(map(_MATTER_LINE.match, inside)) or not any(line.strip() for line in inside):
            break
        found.append(Block("matter", at + 1, end + 1, text="\n".join(inside)))
        at = end + 1
        while at < len(lines) and not lines[at].strip():
            at += 1
    for index, block in enumerate(found):
        found[index] = block._replace(end=index + 1, own_last=block.last)
    return (found[-1].last if found else 0), found


def _undrawn(lines: "Sequence[str]") -> "Sequence[str]":
    """The lines with trees that are drawn outside of code written as lists, each entry as deep as it was drawn."""
    source = "\n".join(lines)
    if not any(branch in source for branch in _BRANCHES):
        return lines
    out, fence, drawn = [], "", False
    for line in lines:
        start = line.lstrip()[:3]
        if start in ("```", "~~~"):
            fence = "" if fence == start else fence or start
        branch = None if fence else _BRANCH.match(line)
        if branch:
            # The words stay in their column, where what is nested in them begins.
            mark = f"-{' ' * (len(branch[2]) - 1)}" if branch[2][-1] == " " else "- "
            out.append(branch[1].translate(_TRUNKS) + mark + line[branch.end() :])
        else:
            out.append(line.translate(_TRUNKS) if drawn and line.lstrip()[:1] in ("│", "┃") else line)
        drawn = branch is not None or (drawn and line[:1] in _DRAWN)
    return out


def _readable(lines: "Sequence[str]", skip: int) -> list[str]:
    """The lines with front matter and rulers blanked, so that a ruler around a title is not read as a title's line, and
    with lists that stand too far to the right moved to the left, where they are no part of the paragraph above.
    """
    out = [""] * skip
    before, shift, listed = "", 0, False
    for line in lines[skip:]:
        if line[:1] in _SPACES and line.strip():
            indent = len(line) - len(line.lstrip())
            is_entry = _ENTRY.match(line) is not None
            if is_entry and not shift and not listed and indent >= _CODE_COLUMNS:
                shift = indent
            shift = min(shift, indent)
            listed = listed or (is_entry and not shift)
            out.append(line[shift:])
        else:
            sign = line[:1]
            is_ruler = sign in _RULER_SIGNS and len(line) >= _RULER_CHARS_MIN and not line.strip(sign + " \t")
            underlines = is_ruler and sign in "=-" and before.strip() and not _ATX.match(before)
            out.append("" if is_ruler and not underlines else _SLIP.sub(r"\1 ", line, count=1) if sign == "#" else line)
            if line.strip():
                shift, listed = 0, _ENTRY.match(line) is not None or (listed and bool(before.strip()))
        before = out[-1]
    return out


class _Reader:
    """Walks the tokens once. `open` holds the indices of the list entries that are open."""

    def __init__(self, lines: "Sequence[str]") -> None:
        self.lines = lines
        self.found: list[Block] = []
        self.open: list[int] = []
        self.quotes = 0
        self.fresh = False
        self.header: tuple[str, ...] = ()

    def read(self, tokens: "list[Token]") -> list[Block]:
        at = 0
        while at < len(tokens):
            at = self._token(tokens, at)
        return _renumbered(self.found)

    def _token(self, tokens: "list[Token]", at: int) -> int:
        token = tokens[at]
        kind = token.type
        first, last = (token.map[0] + 1, token.map[1]) if token.map else (0, 0)
        if kind == "paragraph_open":
            self._text(tokens[at + 1].content, first, last)
            return at + 3
        if kind == "heading_open":
            self._heading(token, tokens[at + 1].content, first, last)
            return at + 3
        if kind == "list_item_open":
            number = token.info if token.info.isdigit() else ""
            self.open.append(len(self.found))
            entry = Block(
                "item", first, self._trimmed(first, last), own_last=first, level=len(self.open), number=number
            )
            self._add(entry)
            self.fresh = True
        elif kind == "list_item_close":
            index = self.open.pop()
            self.found[index] = self.found[index]._replace(end=len(self.found))
            self.fresh = False
        elif kind in ("fence", "html_block", "hr"):
            form: Form = "code" if kind == "fence" else "html" if kind == "html_block" else "rule"
            self._add(Block(form, first, self._trimmed(first, last), text=token.content, info=token.info.strip()))
        elif kind == "blockquote_open":
            self.quotes += 1
        elif kind == "blockquote_close":
            self.quotes -= 1
        elif kind == "tr_open":
            return self._row(tokens, at, first)
        elif kind == "thead_open":
            self.header = ()
        return at + 1

    def _add(self, block: Block) -> None:
        self.fresh = False
        own_last = block.own_last or block.last
        self.found.append(block._replace(end=len(self.found) + 1, own_last=own_last, quoted=self.quotes > 0))

    def _trimmed(self, first: int, last: int) -> int:
        while last > first and not self.lines[last - 1].strip():
            last -= 1
        return last

    def _text(self, text: str, first: int, last: int) -> None:
        if not self.fresh:
            self._add(Block("text", first, last, text=text))
            return
        # The first paragraph of a list entry is the entry's own text.
        box = _BOX.match(text)
        index = self.open[-1]
        self.found[index] = self.found[index]._replace(
            text=text[box.end() :] if box else text, box=(box[1] or " ") if box else "", own_last=last
        )
        self.fresh = False

    def _heading(self, token: "Token", text: str, first: int, last: int) -> None:
        underlined = token.markup in ("=", "-")
        if underlined and ("\n" in text or len(text) > _TITLE_CHARS_MAX):
            # A paragraph with a ruler under it.
            self._text(text, first, last - 1)
            self._add(Block("rule", last, last))
        else:
            self._add(Block("heading", first, last, text=text, level=int(token.tag[1])))

    def _row(self, tokens: "list[Token]", at: int, first: int) -> int:
        cells: list[str] = []
        head = False
        while tokens[at].type != "tr_close":
            if tokens[at].type == "inline":
                cells.append(tokens[at].content.strip())
            head = head or tokens[at].type == "th_open"
            at += 1
        if head:
            # The header and the line below it are a row of their own without cells.
            self.header = tuple(cells)
            self._add(Block("row", first, first + 1, header=self.header))
        else:
            self._add(Block("row", first, first, header=self.header, cells=tuple(cells)))
        return at + 1


def _renumbered(found: list[Block]) -> list[Block]:
    """Runs of top-level titles without a blank between are comments of a text file, all but the document's first."""
    first = next((i for i, block in enumerate(found) if block.form == "heading"), -1)
    for i, block in enumerate(found):
        if block.form != "heading" or i == first or block.level != 1:
            continue
        beside = (found[j] for j in (i - 1, i + 1) if 0 <= j < len(found))
        if any(
            other.level == 1 and abs(other.first - block.first) == 1 and "\n" not in other.text
            for other in beside
            if other.form in ("heading", "text")
        ):
            found[i] = block._replace(form="text")
    return found
