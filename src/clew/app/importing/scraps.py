"""Scraps: words of a document that are no item, cut and joined to pieces that an item of kind `note` can hold."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from clew.core.text.cleaning import one_line
from clew.documents.entry import Lines, ParsedNote

# What one note holds: a screenful.
CHARS_MAX: Final = 2_000


class Scrap(NamedTuple):
    """Words with their line breaks, the heading they stand under ("" none), and their lines there."""

    text: str
    under: str
    lines: Lines

    @property
    def parts(self) -> tuple[str, str]:
        """Its beginning on one line (the first line, up to the first one that says something), and what stands behind
        that.
        """
        rows = self.text.strip("\n").split("\n")
        first = next((at for at, row in enumerate(rows, 1) if any(map(str.isalnum, row))), 1)
        return one_line(" ".join(rows[:first]))[:CHARS_MAX], "\n".join(rows[first:]).strip("\n")


def scraps_of(notes: Iterable[ParsedNote]) -> Iterator[Scrap]:
    """The paragraphs of notes, those of more than `CHARS_MAX` characters in pieces: together all of their words. One
    without a letter or digit (a ruler) says nothing.
    """
    for note in notes:
        for start, rows in _paragraphs(note.text):
            if any(map(str.isalnum, "".join(rows))):
                first, last = (min(note.lines.first + at, note.lines.last) for at in (start, start + len(rows) - 1))
                yield from (Scrap(piece, note.under, Lines(first, last)) for piece in _pieces(rows))


def joined(scraps: Iterable[Scrap]) -> list[Scrap]:
    """Neighbours under the same heading made one, as far as `CHARS_MAX` goes."""
    made: list[Scrap] = []
    for scrap in scraps:
        last = made[-1] if made else None
        if last and last.under == scrap.under and len(last.text) + len(scrap.text) + 2 <= CHARS_MAX:
            lines = Lines(last.lines.first, max(last.lines.last, scrap.lines.last))
            made[-1] = Scrap(f"{last.text}\n\n{scrap.text}", scrap.under, lines)
        else:
            made.append(scrap)
    return made


def paragraphs(first: str, rest: str) -> set[str]:
    """Each paragraph, on one line, of a note that was kept as its first line and the rest."""
    texts = (first, rest, f"{first}\n{rest}")
    return {one_line("\n".join(rows)) for text in texts for _, rows in _paragraphs(text)} - {""}


def _paragraphs(text: str) -> Iterator[tuple[int, list[str]]]:
    """The paragraphs, each with the index of its first row."""
    block: list[str] = []
    for at, row in enumerate((*text.split("\n"), "")):
        if row.strip():
            block.append(row)
        elif block:
            yield at - len(block), block
            block = []


def _pieces(rows: Sequence[str]) -> Iterator[str]:
    """The rows in pieces that are short enough, cut between rows, else between words, else anywhere."""
    piece: list[str] = []
    chars = 0
    for part in (part for row in rows for part in _parts(row)):
        if piece and chars + len(part) > CHARS_MAX:
            yield "\n".join(piece)
            piece, chars = [], 0
        piece.append(part)
        chars += len(part) + 1
    if piece:
        yield "\n".join(piece)


def _parts(row: str) -> Iterator[str]:
    while len(row) > CHARS_MAX:
        cut = row.rfind(" ", CHARS_MAX // 2, CHARS_MAX) + 1 or CHARS_MAX
        yield row[:cut].rstrip()
        row = row[cut:]
    yield row
