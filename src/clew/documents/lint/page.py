"""A document prepared for rules: its blocks, what stands above each of them, and what it says of itself."""

import re
from collections.abc import Iterator
from typing import Final

from clew.core.tuples import NamedTuple
from clew.documents.lint.finding import Ground
from clew.documents.lint.genre import Genre, genre_of
from clew.documents.lint.standing import Standing, is_done, standing_of, status_of
from clew.documents.parse import vocabulary
from clew.documents.parse.inline import plain
from clew.documents.parse.markdown import Block, blocks
from clew.documents.parse.status import marked
from clew.documents.parsed import Parsed

LABEL_CHARS_MAX: Final = 120
_MARKDOWN: Final = frozenset(("clew", "markdown", "backlog"))
_MARK: Final = re.compile(r"<!--\s*[\w:. -]*\b(?:BEGIN|START|begin|start)\b")
_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)


class Place(NamedTuple):
    """A block with what stands above it.

    `headings` are those it is under, the outermost first, `label` the line that ends in a colon right before its list,
    `parents` the list entries that it is nested in. `nested`: other list entries are nested in it.
    """

    block: Block
    headings: tuple[str, ...]
    label: str
    parents: tuple[str, ...]
    nested: bool

    @property
    def above(self) -> str:
        """All of it on one line, without the document's title."""
        return " | ".join((*self.headings[1:], self.label, *self.parents))


class Section(NamedTuple):
    """A heading and all that stands under it, up to the next heading of its level. `at` and `end` index the places.

    `status` is what the heading says, `told_done` that a line "Status: …" right below it says it is done.
    """

    place: Place
    title: str
    status: str
    topic: str
    at: int
    end: int
    told_done: bool


class Page(NamedTuple):
    """A document, prepared, and the ground it stands on. `places` are empty where it is not Markdown."""

    parsed: Parsed
    source: str
    ground: Ground
    lines: tuple[str, ...]
    genre: Genre
    standing: Standing
    places: tuple[Place, ...]
    sections: tuple[Section, ...]

    def line(self, number: int) -> str:
        """The source line of that number, "" if there is none."""
        return self.lines[number - 1].strip() if 0 < number <= len(self.lines) else ""


def page_of(parsed: Parsed, source: str, ground: Ground) -> Page:
    """The document taken apart for rules."""
    text = source.replace("\r\n", "\n").replace("\r", "\n")
    lines = tuple(text.split("\n"))
    found = blocks(lines) if parsed.format in _MARKDOWN else []
    places = tuple(_placed(found))
    genre = genre_of(parsed, text, found, ground.path)
    standing = standing_of(lines if places else (), parsed.title, genre, ground.path)
    return Page(parsed, text, ground, lines, genre, standing, places, tuple(_sections(places)))


def _placed(found: list[Block]) -> Iterator[Place]:
    headings: list[tuple[int, str]] = []
    parents: list[tuple[int, str]] = []
    label = ""
    for index, block in enumerate(found):
        while parents and parents[-1][0] <= index:
            parents.pop()
        if block.form == "heading":
            while headings and headings[-1][0] >= block.level:
                headings.pop()
            label = ""
        nested = any(other.form == "item" for other in found[index + 1 : block.end])
        yield Place(block, tuple(text for _, text in headings), label, tuple(text for _, text in parents), nested)
        if block.form == "heading":
            headings.append((block.level, plain(block.text)))
        elif block.form == "item":
            parents.append((block.end, plain(block.text)))
        elif block.form == "text" and not parents:
            told = plain(block.text)
            is_label = len(told) <= LABEL_CHARS_MAX and told.rstrip("*_ ").endswith((":", "："))
            label = told if is_label else ""
        elif block.form == "rule":
            label = ""


def _sections(places: tuple[Place, ...]) -> Iterator[Section]:
    for at, place in enumerate(places):
        if place.block.form != "heading":
            continue
        level = place.block.level
        end = at + 1
        while end < len(places) and not (places[end].block.form == "heading" and places[end].block.level <= level):
            end += 1
        told = marked(plain(place.block.text))
        topic = vocabulary.topic(told.text)
        kind = topic.kind if topic else None
        status = told.status or _worded(place.block.text)
        yield Section(place, told.text, status, kind or "", at + 1, end, _is_told_done(places, at + 1, end))


def _is_told_done(places: tuple[Place, ...], at: int, end: int) -> bool:
    for place in places[at:end]:
        if place.block.form == "heading":
            return False
        if any(is_done(status_of(line)) for line in place.block.text.split("\n")):
            return True
    return False


_DONE_ALONE: Final = re.compile(r"\W*(?:completed?|done|finished)(?: this session| so far)?\W*", re.IGNORECASE)


def _worded(text: str) -> str:
    return "done" if _DONE_ALONE.fullmatch(text) else ""


def says_something(block: Block) -> bool:
    """Whether a reader sees words, code or a table there: no ruler, no comment. What a tool puts between marks of its
    own may have headings of any level.
    """
    if block.form in ("rule", "matter"):
        return False
    return block.form != "html" or bool(_COMMENT.sub("", block.text).strip()) or bool(_MARK.search(block.text))
