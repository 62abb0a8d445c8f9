"""Scraps: words of a document that are no item, cut and joined to pieces that an item of kind `note` can hold."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from clew.core.text.cleaning import one_line
from clew.documents.entry import Lines
from clew.documents.parsed import Note

# What one note holds: a screenful.
CHARS_MAX: Final = 2_000


class Scrap(NamedTuple):
    """Words with their line breaks, the heading they stand under ("" none), and their lines there."""

    text: str
    under: str
    lines: Lines

    @property
    def first(self) -> str:
        """Its beginning on one line: the first line, up to the first one that says something."""
        rows = self._rows()
        return one_line(" ".join(rows[: _telling(rows)]))[:CHARS_MAX]

    @property
    def rest(self) -> str:
        """What stands behind that."""
        rows = self._rows()
        return "\n".join(rows[_telling(rows) :]).strip("\n")

    def _rows(self) -> list[str]:
        return self.text.strip("\n").split("\n")


def _telling(rows: Sequence[str]) -> int:
    """How many rows there are up to the first that holds a letter or digit."""
    return next((at for at, row in enumerate(rows, 1) if any(map(str.isalnum, row))), 1)


def scraps_of(notes: Iterable[Note]) -> Iterator[Scrap]:
    """The paragraphs of notes, those of more than `CHARS_MAX` characters in pieces: together all of their words. One
    without a letter or digit (a ruler) says nothing.
    """
    for note in notes:
        rows = note.text.split("\n")
        start = 0
        for at in range(len(rows) + 1):
            if at == len(rows) or not rows[at].strip():
                if any(sign.isalnum() for row in rows[start:at] for sign in row):
                    lines = _between(note.lines, start, at - 1)
                    yield from (Scrap(piece, note.under, lines) for piece in _pieces(rows[start:at]))
                start = at + 1


def joined(scraps: Sequence[Scrap]) -> list[Scrap]:
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


def words_of(text: str) -> str:
    """What tells one paragraph from another."""
    return one_line(text)


def paragraphs(first: str, rest: str) -> set[str]:
    """`words_of` each paragraph of a note that was kept as its first line and the rest."""
    texts = (first, rest, f"{first}\n{rest}")
    found = (words_of("\n".join(rows)) for text in texts for rows in _blocks(text.split("\n")))
    return {words for words in found if words}


def _blocks(rows: Sequence[str]) -> Iterator[list[str]]:
    block: list[str] = []
    for row in (*rows, ""):
        if row.strip():
            block.append(row)
        elif block:
            yield block
            block = []


def _between(lines: Lines, first: int, last: int) -> Lines:
    return Lines(min(lines.first + first, lines.last), min(lines.first + last, lines.last))


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
