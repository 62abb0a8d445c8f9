"""A document prepared for rules: its blocks, what stands above each of them, and what it says of itself."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, islice
from typing import Final, NamedTuple

from clew.core.text.segments import Block, segments
from clew.core.text.tokens import estimate
from clew.documents.lint.genre import Genre, genre_of
from clew.documents.lint.standing import is_closed
from clew.documents.parse.inline import plain
from clew.documents.parse.reader import BLOCKS_MAX
from clew.documents.parsed import Parsed

LABEL_CHARS_MAX: Final = 120
_MARKDOWN: Final = frozenset(("clew", "markdown", "backlog"))


class Place(NamedTuple):
    """A block with what stands above it: `headings`, the outermost first, and `label`, the line that ends in a colon
    right before its list. `parent` is the list entry that it is nested in. `nested`: other entries are nested in it.

    """

    block: Block
    headings: tuple[str, ...]
    label: str
    parent: str
    nested: bool

    @property
    def above(self) -> str:
        """All of it on one line, without the document's title."""
        return " | ".join((*self.headings[1:], self.label, self.parent))


class Page(NamedTuple):
    """A document, prepared. `path` is its own, relative to the top of its repository, "" unknown. `places` are empty
    where it is not Markdown.
    """

    parsed: Parsed
    source: str
    path: str
    lines: tuple[str, ...]
    genre: Genre
    closed: bool
    places: tuple[Place, ...]

    def line(self, number: int) -> str:
        """The source line of that number, "" if there is none."""
        return self.lines[number - 1].strip() if 0 < number <= len(self.lines) else ""


def page_of(parsed: Parsed, source: str, path: str = "") -> Page:
    """The document taken apart for rules; of a very long one its front part."""
    text = source.replace("\r\n", "\n").replace("\r", "\n")
    lines = tuple(text.split("\n"))
    blocks = list(islice(segments(lines), BLOCKS_MAX)) if parsed.format in _MARKDOWN else []
    genre = genre_of(parsed, text, path)
    closed = is_closed(lines if blocks else (), parsed.title, genre, path)
    return Page(parsed, text, path, lines, genre, closed, tuple(_placed(blocks)))


def rows_of(block: Block) -> Iterator[tuple[int, str]]:
    """The rows of an entry, a paragraph, code or a row of a table, each with its line."""
    rows = (block.text or " | ".join(block.cells)).split("\n")
    for number, row in enumerate(rows, block.first + (block.form == "code")):
        yield min(number, block.last), row


def spent_at(page: Page, budget_tokens: int) -> int:
    """The line at which a budget is spent, or the last one."""
    spent = accumulate(estimate(f"{line}\n") for line in page.lines)
    return next((number for number, tokens in enumerate(spent, 1) if tokens > budget_tokens), len(page.lines))


def _placed(blocks: list[Block]) -> Iterator[Place]:
    headings: list[tuple[int, str]] = []
    label, parent, parent_level = "", "", 0
    for index, block in enumerate(blocks):
        behind = blocks[index + 1] if index + 1 < len(blocks) else None
        if block.form == "heading":
            while headings and headings[-1][0] >= block.level:
                headings.pop()
            label = parent = ""
        elif not block.level or (block.form == "item" and block.level <= parent_level):
            parent, parent_level = "", 0
        nested = block.form == "item" and behind is not None and behind.form == "item" and behind.level > block.level
        yield Place(block, tuple(text for _, text in headings), label, parent, nested)
        if block.form == "heading":
            headings.append((block.level, plain(block.text)))
        elif block.form == "item" and nested:
            parent, parent_level = plain(block.text), block.level
        elif block.form == "text" and not block.level:
            words = plain(block.text[: 2 * LABEL_CHARS_MAX])
            label = words if len(words) <= LABEL_CHARS_MAX and words.endswith((":", "：")) else ""
