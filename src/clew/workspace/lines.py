"""How many lines were added and removed between two contents: exact for small changes, a lower bound for others."""

from typing import NamedTuple

UNKNOWN = (-1, -1)
# Steps of the exact search that one `Counter` spends over all files (about half a second), then it estimates.
_STEPS_MAX = 500_000
_BINARY_HEAD_BYTES = 8000


class LineCounts(NamedTuple):
    """Line counts of a change; -1 where unknown (binary content)."""

    added: int
    removed: int


class LineCounter:
    """Counts changed lines of many files within one bound of work, so that a thousand do not take a thousand times."""

    def __init__(self, steps: int = _STEPS_MAX) -> None:
        self._steps = steps

    def count(self, old: bytes, new: bytes) -> LineCounts:
        """Lines added to and removed from `old` to get `new`. CRLF is LF here, and the last line may lack its end."""
        if b"\0" in old[:_BINARY_HEAD_BYTES] or b"\0" in new[:_BINARY_HEAD_BYTES]:
            return LineCounts(*UNKNOWN)
        before, after = _trim(_lines(old), _lines(new))
        edits = self._distance(before, after)
        if edits is None:
            return _by_multiset(before, after)
        # Edits are additions and removals; their difference is the difference of the lengths.
        added = (edits + len(after) - len(before)) // 2
        return LineCounts(added, edits - added)

    def _distance(self, before: list[bytes], after: list[bytes]) -> int | None:
        """The least number of added and removed lines (Myers 1986, greedy), None when it takes too many steps."""
        if not before or not after:
            return len(before) + len(after)
        reach = {1: 0}
        for edits in range(len(before) + len(after) + 1):
            for diagonal in range(-edits, edits + 1, 2):
                down = diagonal == -edits or (diagonal != edits and reach[diagonal - 1] < reach[diagonal + 1])
                x = reach[diagonal + 1] if down else reach[diagonal - 1] + 1
                start = x
                while x < len(before) and x - diagonal < len(after) and before[x] == after[x - diagonal]:
                    x += 1
                self._steps -= 1 + x - start
                if x >= len(before) and x - diagonal >= len(after):
                    return edits
                reach[diagonal] = x
            if self._steps < 0:
                return None
        return None


def _lines(content: bytes) -> list[bytes]:
    lines = content.replace(b"\r\n", b"\n").split(b"\n")
    if not lines[-1]:
        lines.pop()
    return lines


def _trim(before: list[bytes], after: list[bytes]) -> tuple[list[bytes], list[bytes]]:
    """Both without the lines that they share at the start and at the end."""
    short = min(len(before), len(after))
    head = 0
    while head < short and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < short - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    return before[head : len(before) - tail], after[head : len(after) - tail]


def _by_multiset(before: list[bytes], after: list[bytes]) -> LineCounts:
    """Lines that the other side has fewer of. Moved lines are not seen, so this is a lower bound."""
    surplus: dict[bytes, int] = {}
    for line in after:
        surplus[line] = surplus.get(line, 0) + 1
    for line in before:
        surplus[line] = surplus.get(line, 0) - 1
    return LineCounts(sum(n for n in surplus.values() if n > 0), -sum(n for n in surplus.values() if n < 0))
