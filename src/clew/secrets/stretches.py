"""Parts of a text as somebody would read them: lines that a width broke put together, escapes undone.

Knows how texts are broken and escaped, nothing about secrets.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from html import unescape

# Widths of terminals and of mail.
WIDTHS = frozenset((70, 72, 78, 79, 80, 100, 120, 132, 160))

# Escapes by the sign that each has to have, which is looked for first: printable ASCII, percent-encoded, as HTML, as
# `\u` and `\x` (by however many writers); colours of a terminal; and what is not seen: zero-width spaces and joiners,
# the word joiner, the byte order mark, the soft hyphen.
_HEX = r"(?P<hex>[2-7][0-9a-fA-F])"
_ESCAPES = (
    ("%", rf"%(?:25)*{_HEX}"),
    ("&", r"&(?:amp;)*(?P<html>quot|apos|lt|gt|\#\d{2,3}|\#[xX][2-7][0-9a-fA-F]);"),
    ("\\", rf"u(?<=\\u)00(?:{_HEX}|1[bB]\[[0-9;]{{0,16}}m)"),
    ("\\", rf"x(?<=\\x)(?:{_HEX}|1[bB]\[[0-9;]{{0,16}}m)"),
    ("\x1b", r"\x1b\[[0-9;]{0,16}m"),
    *((sign, sign) for sign in "\u200b\u200c\u200d\u2060\ufeff\u00ad"),
)
# So much is read before and behind an escape: a name and what leads to it, a value.
_BEFORE, _BEHIND = 80, 600


class Stretch:
    """Some of a text's pieces put together in `text`. A piece is its text and where it starts and ends in the whole,
    which may be a stretch itself (`outer`).
    """

    def __init__(self, pieces: list[tuple[str, int, int]], outer: "Stretch | None" = None) -> None:
        self._outer = outer
        self.text = "".join(text for text, _, _ in pieces)
        self._pieces = pieces
        self._starts: list[int] = []
        at = 0
        for text, _, _ in pieces:
            self._starts.append(at)
            at += len(text)

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Where a span of `text`, which is not empty, stands in the whole."""
        first, last = self._at(start)[0], self._at(end - 1)[1]
        return self._outer.place(first, last) if self._outer else (first, last)

    def _at(self, place: int) -> tuple[int, int]:
        """Where one character of `text` starts and ends in the whole."""
        number = bisect_right(self._starts, place) - 1
        text, start, end = self._pieces[number]
        if len(text) != end - start:  # an escape, which stands for one character
            return start, end
        at = start + place - self._starts[number]
        return at, at + 1


def stretches(text: str) -> Iterator[Stretch]:
    """Yield what else there is to be read in a text, of which it shows no more than a disguise."""
    for stretch in folded(text):
        yield stretch
        yield from unescaped(stretch.text, stretch)
    yield from unescaped(text)


def folded(text: str) -> Iterator[Stretch]:
    """Yield the stretches of a text whose lines go on in the next one: if no line is longer, those that are full."""
    newline = "\n" if "\n" in text else "\\n"
    lines = text.split(newline)
    # The first line of an escaped text has the opening quote of its string before it.
    head = lines[0].rfind('"') + 1 if newline != "\n" else 0
    last = lines.pop()
    if not lines:
        return
    sizes = [*map(len, lines)]
    sizes[0] -= head
    width = max(sizes)
    if width not in WIDTHS:
        return
    lines.append(last)
    at = 0
    pieces: list[tuple[str, int, int]] = []
    for number, line in enumerate(lines):
        pieces.append((line, at, at + len(line)))
        at += len(line) + len(newline)
        if len(line) - (head if number == 0 else 0) == width and number + 1 < len(lines):
            continue
        if len(pieces) > 1:
            yield Stretch(pieces)
        pieces = []


@cache
def _escapes() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((sign, re.compile(pattern)) for sign, pattern in _ESCAPES)


def unescaped(text: str, outer: Stretch | None = None) -> Iterator[Stretch]:
    """Yield the stretches of a text that hold escapes and signs which are not seen, without them."""
    found = [one for sign, pattern in _escapes() if sign in text for one in pattern.finditer(text)]
    if not found:
        return
    pieces: list[tuple[str, int, int]] = []
    until = 0
    for escape in sorted(found, key=re.Match.start):
        at, end = escape.span()
        while text[at - 1] == "\\" and at > until and text[at] in "ux\\":
            at -= 1
        if at < until:
            continue  # part of another one
        if not pieces or at - _BEFORE > until + _BEHIND:
            if pieces:
                yield Stretch([*pieces, _piece(text, until, until + _BEHIND)], outer)
            pieces, until = [], max(0, at - _BEFORE)
        pieces += (_piece(text, until, at), (_character(escape), at, end))
        until = end
    yield Stretch([*pieces, _piece(text, until, until + _BEHIND)], outer)


def _piece(text: str, start: int, end: int) -> tuple[str, int, int]:
    cut = text[start:end]
    return cut, start, start + len(cut)


def _character(escape: re.Match[str]) -> str:
    """What an escape stands for; "" for what is not seen."""
    named = escape.groupdict()
    if code := named.get("hex"):
        return chr(int(code, 16))
    return unescape(f"&{html};") if (html := named.get("html")) else ""
