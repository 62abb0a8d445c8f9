"""What a review says of one thing, by the mark in front: that it is well, or that it is not."""

from typing import Literal

Verdict = Literal["", "approved", "doubted"]

APPROVING = ("✅", "✓", "✔", "☑")
_DOUBTING = ("⚠", "❌", "✗", "🔴", "🟡", "🚨", "❗")
# A mark stands in front, behind a number at most.
_HEAD_CHARS = 8
# What is well stays as it is: the rest is what somebody has to know.
WEIGHTS: dict[Verdict, float] = {"approved": 0.4, "doubted": 1.5, "": 1.0}


def is_review(text: str) -> bool:
    """Whether a message has marks of both kinds: with the one kind alone it tells what was done, or what is left."""
    return _has(text, APPROVING) and _has(text, _DOUBTING)


def verdict_of(text: str) -> Verdict:
    """The verdict that the mark in front of a statement gives; "" without one."""
    head = text[:_HEAD_CHARS]
    if _has(head, APPROVING):
        return "approved"
    return "doubted" if _has(head, _DOUBTING) else ""


def _has(text: str, marks: tuple[str, ...]) -> bool:
    return not text.isascii() and any(mark in text for mark in marks)
