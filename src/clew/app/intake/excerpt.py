"""Head and tail of a long text, cut where no secret is parted from what gives it away."""

from __future__ import annotations

from typing import Final

from clew.core.text.cleaning import shorten

# What stands behind a private key. Its lines without its header look like any other base64.
_KEY_ENDS: Final = ("-----END ", "---- END ", "Private-MAC:")
# So much of the words that are looked for: items are cut, and markup is taken out of them.
_KNOWN_BY_CHARS: Final = 40
_KEY_HEADS: Final = ("-BEGIN ", "- BEGIN ")


def excerpt(text: str, chars: int) -> str:
    """`text` if it has at most `chars` characters; else its head and its tail, joined by a line "…".

    Both are whole lines, or whole words of one endless line. The tail begins behind the end of a private key that
    began before it, else after an empty line, else with any line. A name on the line before may still be cut off from
    its value: who redacts takes an excerpt of more than is kept, redacts, and takes the excerpt of that.
    """
    if len(text) <= chars:
        return text
    head, tail = text[: chars // 2], text[-(chars // 2) :]
    head = head[: max(head.rfind("\n"), 0)] or head[: max(head.rfind(" "), 0)]
    return f"{head}\n…\n{tail[_beginning(tail) :]}"


def around(text: str, words: str, chars: int) -> str:
    """At most `chars` characters of `text`, those around `words` if they stand there; "…" marks what is left out.

    What is cut was redacted before.
    """
    start = max(0, text.find(words[:_KNOWN_BY_CHARS]) - chars // 6)
    lead = "…" if start else ""
    return lead + shorten(text[start:], chars - len(lead))


def _beginning(tail: str) -> int:
    """Where the text that may be kept begins: in the first half if anything there allows it."""
    half = len(tail) // 2
    ends = [end for mark in _KEY_ENDS if (end := tail.find(mark, 0, half)) >= 0]
    if ends and not any(head in tail[: min(ends)] for head in _KEY_HEADS):
        return _after(tail, "\n", min(ends), len(tail)) or len(tail)
    for mark, end in (("\n\n", half), ("\n", len(tail)), (" ", len(tail))):
        if beginning := _after(tail, mark, 0, end):
            return beginning
    return len(tail)


def _after(text: str, mark: str, start: int, end: int) -> int:
    """The place behind `mark`, 0 if it is not there."""
    found = text.find(mark, start, end)
    return found + len(mark) if found >= 0 else 0
