"""Output: lines that edits added, and how many of them are still there. Pure."""

from __future__ import annotations

from collections import Counter


def telling(text: str) -> Counter[str]:
    """How often each line stands in a text. Lines without a letter or a digit tell nothing and count for nothing."""
    lines = (line.strip() for line in text.splitlines())
    return Counter(line for line in lines if any(mark.isalnum() for mark in line))


class Added:
    """The lines that edits of one file added: those that were not there before."""

    def __init__(self) -> None:
        self.lines: Counter[str] = Counter()
        self.is_whole = False

    def edit(self, removed: str, added: str) -> None:
        """Take in an edit. A file that is written whole again (`removed` is "") adds only what it did not before."""
        if removed:
            self.lines += telling(added) - telling(removed)
        else:
            self.is_whole = True
            self.lines |= telling(added)

    @property
    def count(self) -> int:
        """How many lines."""
        return self.lines.total()


def surviving(added: Counter[str], there: Counter[str]) -> int:
    """How many of the lines that were added are still `there`, from which they are taken: a line counts once."""
    found = added & there
    there.subtract(found)
    return found.total()


def per_thousand(count: float, tokens: int) -> float:
    """`count` for each 1,000 tokens, 0 where there are none."""
    return round(1000 * count / tokens, 4) if tokens else 0.0
