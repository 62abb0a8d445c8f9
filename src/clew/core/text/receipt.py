"""The receipt of a document: a mark made from its own bytes. In a text for agents it is the delimiter of the data
block; in one for people it stands in a comment at the end, which no reader of Markdown shows.

Nothing inside a document can forge its end: it would have to hold its own hash. The mark is found again in a
transcript, so that a document that was pasted or injected is known for what it is. A prompt of clew's own has such a
mark, too: nobody said it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from hashlib import blake2b
from itertools import islice

MARK_CHARS = 6
# Each costs what the text is long; nobody is given so many.
_DOCUMENTS_MAX = 200
OPENING = "<clew-data "
_BLOCK = r"<clew-data ([0-9a-f]{6})>\n"  # compiled where there is one
_SIGNING = "<!-- clew "
_SIGNED = r"<!-- clew ([0-9a-f]{6}) -->"  # as above
_PROMPT = r"<!-- clew prompt ([0-9a-f]{6}) (\d{1,6}) -->"  # as above; how many words stand before it


def mark_of(text: str) -> str:
    """Six characters that only this text has."""
    return blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()[:MARK_CHARS]


def wrapped(text: str) -> str:
    """A document's text (it ends with a newline) between its delimiters."""
    mark = mark_of(text)
    return f"{opening(mark)}\n{text}</clew-data {mark}>\n"


def wrapped_pieces(pieces: Sequence[str]) -> tuple[str, ...]:
    """The same of a text in pieces, which stay apart: joined, one rare sign makes all of it four times as large."""
    digest = blake2b(digest_size=8)
    for piece in pieces:
        digest.update(piece.encode("utf-8", "replace"))
    mark = digest.hexdigest()[:MARK_CHARS]
    return (f"{opening(mark)}\n", *pieces, f"</clew-data {mark}>\n")


def signed(text: str) -> str:
    """A document for people (it ends with a newline): no delimiters, and its mark in a comment at its end."""
    return f"{text}{_SIGNING}{mark_of(text)} -->\n"


def as_prompt(text: str) -> str:
    """A prompt by which clew itself asks an agent, with its mark in a comment at its end. It is that of its words,
    since clients change blanks and ends of lines.
    """
    words = text.split()
    return f"{text.rstrip()}\n\n<!-- clew prompt {mark_of(' '.join(words))} {len(words)} -->\n"


def rewrapped(document: str, change: Callable[[str], str]) -> str:
    """A document as an agent is given it, with its text changed, between delimiters with the mark of what it holds now:
    so it is still known for what it is. What is no document of ours is changed and nothing else.
    """
    first, line, rest = document.partition("\n")
    if line and re.match(_BLOCK, f"{first}\n"):
        return wrapped(change(rest.rpartition("</clew-data ")[0]))
    end = re.search(f"{_SIGNED}\n$", document)
    return wrapped(change(document[: end.start()])) if end else change(document)


def changed_throughout(text: str, change: Callable[[str], str]) -> str:
    """`text` with everything changed, and the documents of clew's own in it as `rewrapped` gives them."""
    parts: list[str] = []
    at = 0
    for start, after in _documents(text) if OPENING in text or _SIGNING in text else ():
        if start >= at:
            parts += [change(text[at:start]), rewrapped(f"{text[start:after]}\n", change).removesuffix("\n")]
            at = after
    return "".join([*parts, change(text[at:])])


def opening(mark: str) -> str:
    """How the data block with this mark begins."""
    return f"{OPENING}{mark}>"


def without_documents(text: str) -> str:
    """`text` without the documents and prompts of clew's own that stand in it whole: they were given to the agent, not
    said.

    A document counts only if its mark is that of what it holds.
    """
    if OPENING not in text and _SIGNING not in text:
        return text
    kept: list[str] = []
    at = 0
    for start, after in _documents(text):
        if start >= at:
            kept.append(text[at:start])
            at = after
    kept.append(text[at:])
    return "".join(kept).strip()


def _documents(text: str) -> list[tuple[int, int]]:
    """Where documents of ours begin and end in a text, by their beginning."""
    found = []
    at = 0
    for block in islice(re.finditer(_BLOCK, text), _DOCUMENTS_MAX):
        closing = f"</clew-data {block[1]}>"
        end = text.find(closing, block.end()) if block.start() >= at else -1
        if end >= 0 and mark_of(text[block.end() : end]) == block[1]:
            at = end + len(closing)
            found.append((block.start(), at))
    for signature in islice(re.finditer(_SIGNED, text), _DOCUMENTS_MAX):
        # Nothing in a document begins a line as its title does.
        start = text.rfind("\n# ", 0, signature.start()) + 1
        if mark_of(text[start : signature.start()]) == signature[1]:
            found.append((start, signature.end()))
    for signature in islice(re.finditer(_PROMPT, text), _DOCUMENTS_MAX):
        count = int(signature[2])
        before, *words = text[: signature.start()].rsplit(None, count) if count else [""]
        if len(words) < count:  # nothing stands before it
            before, words = "", [before, *words]
        if mark_of(" ".join(words)) == signature[1]:
            found.append((len(before), signature.end()))
    return sorted(found)
