"""Lines that something broke at a width, as `fold -w 80`, terminals and mail do, so that words go on in the next line.

Knows where lines were broken, nothing about secrets.
"""

from collections.abc import Iterator

# Widths of terminals and of mail.
WIDTHS = frozenset((70, 72, 78, 79, 80, 100, 120, 132, 160))


class Folded:
    """Some lines of a text put together again: `text` without the breaks."""

    def __init__(self, lines: list[str], start: int, newline: str) -> None:
        self.text = "".join(lines)
        self._start, self._gap = start, len(newline)
        self._ends: list[int] = []
        end = 0
        for line in lines[:-1]:
            end += len(line)
            self._ends.append(end)

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Where a span of `text` stands in the whole."""
        before = sum(limit <= start for limit in self._ends)
        until = sum(limit < end for limit in self._ends)
        return self._start + start + before * self._gap, self._start + end + until * self._gap


def folded(text: str) -> Iterator[Folded]:
    """Yield the stretches of a text whose lines go on in the next one: if no line is longer, those that are full."""
    newline = "\n" if "\n" in text else "\\n"
    lines = text.split(newline)
    # The first line of an escaped text has the opening quote of its string before it.
    head = lines[0].rfind('"') + 1 if newline != "\n" else 0
    last = lines.pop()
    if not lines:
        return
    width = max(map(len, lines)) if not head else max(len(lines[0]) - head, *map(len, lines[1:]), 0)
    if width not in WIDTHS:
        return
    lines.append(last)
    at = first = 0
    for number, line in enumerate(lines):
        size = len(line) - (head if number == 0 else 0)
        if size == width and number + 1 < len(lines):
            continue
        if number > first:
            yield Folded(lines[first : number + 1], at, newline)
        at += sum(map(len, lines[first : number + 1])) + len(newline) * (number + 1 - first)
        first = number + 1
