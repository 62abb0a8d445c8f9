"""Whose text is a line: a line of a file held against the texts that edits put there. Pure.

An edit wrote a line if the line lies in a stretch of the file that the edit's text holds as well, from the beginning of
a line of that text to the end of one; if the stretch is long enough to be nobody else's, and does not stand in the file
more often than in that text; and if the line was new with it: it stood neither in what the edit replaced nor in what
its session had read of the file before. White space, quotes, commas before a bracket and semicolons do not count, so
that formatters do not.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from operator import itemgetter
from typing import Final, NamedTuple

# A stretch of fewer signs could be anybody's.
_LEAST: Final = 20
# So far before and behind a line is looked; so far to find its place, and that of a short one.
_REACH: Final = 2000
_AROUND: Final = 60
_NEAR: Final = 8
_QUOTES: Final = str.maketrans({"'": '"', "`": '"'})
_CLOSING: Final = frozenset(")]}")


class NormalText(NamedTuple):
    """A text without what formatters change; `lines` are where each line of it begins and ends in `text`."""

    text: str
    lines: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, text: str) -> NormalText:
        pieces = ["".join(line.split()).replace(";", "").translate(_QUOTES) for line in text.split("\n")]
        behind = ""
        for number in range(len(pieces) - 1, -1, -1):
            piece = pieces[number]
            for bracket in _CLOSING:
                piece = piece.replace("," + bracket, bracket)
            if piece.endswith(",") and behind in _CLOSING:
                piece = piece[:-1]
            pieces[number] = piece
            behind = piece[:1] or behind
        ends, at = [], 0
        for piece in pieces:
            ends.append((at, at + len(piece)))
            at += len(piece)
        return cls("".join(pieces), tuple(ends))


class WrittenText(NamedTuple):
    """What an edit left: `text`, of which the parts between `fresh` (begin, end) are new."""

    text: NormalText
    fresh: tuple[tuple[int, int], ...]
    removed: str

    @classmethod
    def of(cls, removed: str, added: str) -> WrittenText:
        text, before = NormalText.of(added), NormalText.of(removed)
        old = [before.text[begin:end] for begin, end in before.lines]
        new = [text.text[begin:end] for begin, end in text.lines]
        changes = (
            SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
            if removed
            else [("insert", 0, 0, 0, len(new))]
        )
        fresh = [
            (text.lines[first][0], text.lines[last - 1][1])
            for kind, _, _, first, last in changes
            if kind in ("insert", "replace")
        ]
        return cls(text, tuple(fresh), before.text)

    def wrote(self, line: tuple[int, int], file: NormalText, read: Iterable[str]) -> bool:
        """Whether the edit wrote what stands between the places `line` of the file; `read` are normal texts that its
        session had read of it.
        """
        text, length = self.text.text, line[1] - line[0]
        for at in _places(text, line, file.text):
            end = at + length
            if any(one[0] <= at and end <= one[1] for one in self.fresh):
                begin, end = self._shared(at, end, file.text, line[0])
                stretch = text[begin:end]
                if len(stretch) >= _LEAST and file.text.count(stretch) <= text.count(stretch):
                    return not any(self._stood_in(old, at, length) for old in (self.removed, *read))
        return False

    def _shared(self, at: int, end: int, other: str, place: int) -> tuple[int, int]:
        """The stretch of whole lines around [at, end) that `other` holds around `place` as well; (0, 0) where those do
        not hold all of it.
        """
        text = self.text.text
        behind, lines = place + end - at, self.text.lines
        begin = at - _common(text[max(0, at - _REACH) : at][::-1], other[max(0, place - _REACH) : place][::-1])
        last = end + _common(text[end : end + _REACH], other[behind : behind + _REACH])
        first, beyond = bisect_left(lines, (begin, 0)), bisect_right(lines, last, key=itemgetter(1))
        if first >= beyond or lines[first][0] > at or lines[beyond - 1][1] < end:
            return 0, 0
        return lines[first][0], lines[beyond - 1][1]

    def _stood_in(self, old: str, at: int, length: int) -> bool:
        """Whether what stands at `at` here stood in `old`: a long line, or a short one beside the same neighbour."""
        target, place = self.text.text[at : at + length], -1
        while (place := old.find(target, place + 1)) >= 0:
            begin, end = self._shared(at, at + length, old, place)
            if end - begin >= _LEAST or end - begin > length:
                return True
        return False


def _places(text: str, line: tuple[int, int], file: str) -> Iterator[int]:
    """Where in `text` the line of the file may stand: first where all around it is the same. A short line stands in
    many places: only those are looked at where a few signs before or behind it are the same as well.
    """
    begin, end = line
    reach = _NEAR if end - begin < _LEAST else 0
    for before, behind in ((min(_AROUND, begin), _AROUND), (min(reach, begin), 0), (0, reach)):
        at = -1
        anchor = file[begin - before : end + behind]
        while (at := text.find(anchor, at + 1)) >= 0:
            yield at + before
        if not reach and behind == 0:
            return


def _common(one: str, other: str) -> int:
    """How many signs two texts begin with alike."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def normal_reads(texts: Sequence[str]) -> list[str]:
    """What a session has read, as normal texts, without the numbers that clients put before lines."""
    return [NormalText.of("\n".join(_unnumbered(line) for line in text.split("\n"))).text for text in texts]


def _unnumbered(line: str) -> str:
    for mark in ("→", "\t", "|", ":"):
        number, found, rest = line.partition(mark)
        if found and number.strip().isdigit():
            return rest
    return line
