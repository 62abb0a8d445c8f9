"""The receipt of a document: a mark made from its own bytes, which is also the delimiter of the data block.

Nothing inside a document can forge its end: it would have to hold its own hash. The mark is found again in a
transcript, so that a document that was pasted or injected is known for what it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import blake2b

MARK_CHARS = 6
_OPENING = "<clew-data "
_BLOCK = r"<clew-data ([0-9a-f]{6})>\n"  # compiled where there is one


def mark_of(text: str) -> str:
    """Six characters that only this text has."""
    return blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()[:MARK_CHARS]


def wrapped(text: str) -> str:
    """A document's text (it ends with a newline) between its delimiters."""
    mark = mark_of(text)
    return f"{opening(mark)}\n{text}</clew-data {mark}>\n"


def rewrapped(document: str, change: Callable[[str], str]) -> str:
    """A document with its text changed, under the mark of what it holds now: so it is still known for what it is."""
    opening, line, rest = document.partition("\n")
    if not line or not re.match(_BLOCK, f"{opening}\n"):
        return change(document)
    return wrapped(change(rest.rpartition("</clew-data ")[0]))


def opening(mark: str) -> str:
    """How the data block with this mark begins."""
    return f"{_OPENING}{mark}>"


def without_documents(text: str) -> str:
    """`text` without the documents of clew's own that stand in it whole: they were given to the agent, not said.

    A block counts only if its mark is that of what it holds.
    """
    if _OPENING not in text:
        return text
    kept: list[str] = []
    at = 0
    for opening in re.finditer(_BLOCK, text):
        closing = f"</clew-data {opening[1]}>"
        end = text.find(closing, opening.end()) if opening.start() >= at else -1
        if end >= 0 and mark_of(text[opening.end() : end]) == opening[1]:
            kept.append(text[at : opening.start()])
            at = end + len(closing)
    kept.append(text[at:])
    return "".join(kept).strip()
