"""What is left of a document when its entries are taken out: notes, so that nothing is dropped."""

from __future__ import annotations

import re
from collections.abc import Sequence

from clew.documents.entry import Lines
from clew.documents.parse.draft import Draft
from clew.documents.parsed import Heading, Note

_WORD = re.compile(r"[^\W_]")
# What a line is part of.
_QUOTED, _HEADING = 1, 2


class Rest:
    """Goes over the lines once. `unseen` are lines that are not blank though nothing on them can be seen."""

    def __init__(self, lines: Sequence[str], draft: Draft, unseen: set[int]) -> None:
        self.lines = ["·" if at in unseen else line for at, line in enumerate(lines, 1)] if unseen else lines
        self.draft = draft
        self.headings = sorted(draft.headings, key=lambda heading: heading.lines)
        self.notes: list[Note] = []
        size = len(lines) + 2
        self.said = bytearray(size)
        # The entry that spans a line, by its index from 1.
        self.spanned = [0] * size
        self.starts: dict[int, int] = {}

    def read(self) -> tuple[tuple[Heading, ...], tuple[Note, ...]]:
        """The headings, and a note for each run of lines that no entry quotes, in the order of the source.

        Lines that an entry spans without quoting them are in a note as well. Lines without a letter or digit (rulers,
        brackets) say nothing: they go with the heading behind them, else with what stands in front of them.
        """
        self._mark()
        under, at = -1, 1
        while at <= len(self.lines):
            under = self.starts.get(at, under)
            if self.said[at] or not self.lines[at - 1].strip():
                at += 1
                continue
            end = self._end(at)
            inside = self.lines[at - 1 : end]
            if any(_WORD.search(line) for line in inside):
                text = "\n".join(line.rstrip() for line in inside)
                self.notes.append(Note(text, self.headings[under].text if under >= 0 else "", Lines(at, end)))
            elif not all(self.spanned[at : end + 1]):
                self._attach(at, end, under)
            at = end + 1
        return tuple(self.headings), tuple(self.notes)

    def _mark(self) -> None:
        for first, last in (lines for told in self.draft.told.values() for lines in told):
            self.said[first : last + 1] = bytes([_QUOTED]) * (last + 1 - first)
        for at in self.draft.untold:
            self.said[at] = 0
        for index, entry in enumerate(self.draft.entries, 1):
            self.spanned[entry.lines.first : entry.lines.last + 1] = [index] * (
                entry.lines.last + 1 - entry.lines.first
            )
        for index, heading in enumerate(self.headings):
            self.starts.setdefault(heading.lines.first, index)
            for at in range(heading.lines.first, heading.lines.last + 1):
                self.said[at] = _HEADING

    def _end(self, at: int) -> int:
        """The last line of the run that begins at a line: up to what is said elsewhere, without blanks at its end."""
        end = at
        while at < len(self.lines) and not self.said[at + 1]:
            at += 1
            if self.lines[at - 1].strip():
                end = at
        return end

    def _attach(self, first: int, last: int, under: int) -> None:
        """Lines that say nothing become part of their neighbour."""
        behind, before = last + 1, first - 1
        while behind <= len(self.lines) and not self.lines[behind - 1].strip():
            behind += 1
        while before > 0 and not self.lines[before - 1].strip():
            before -= 1
        if (index := self.starts.get(behind)) is not None:
            heading = self.headings[index]
            self.headings[index] = heading._replace(lines=Lines(first, heading.lines.last))
        elif before == 0:
            self.notes.append(Note("", "", Lines(first, last)))
        elif self.said[before] == _HEADING:
            heading = self.headings[under]
            self.headings[under] = heading._replace(lines=Lines(heading.lines.first, last))
        elif self.spanned[before]:
            self.draft.stretch(self.spanned[before] - 1, last)
        else:
            self.notes[-1] = self.notes[-1]._replace(lines=Lines(self.notes[-1].lines.first, last))
