"""A stack as one text: sections of what sources gave, each with where it is from. Pure.

Every piece ends with a newline and the next begins with a sign that is none of a word, a space or a slash: tokenizers
of the o200k family cut there, so that the tokens of pieces add up to those of the whole.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from clew.core.text.cleaning import clean
from clew.core.text.receipt import wrapped_pieces
from clew.documents.escaping import broken_up, claimed, inert, safe
from clew.documents.frame import LEGENDS

_FENCE: Final = re.compile("`{3,}")
_LEGEND: Final = f"{LEGENDS[0]} Each part is fenced, and says where it is from; nobody reviewed it."


def content(text: str) -> str:
    """Text of a source as it may stand behind a fence: nothing hidden in it, and no mark that a client or we give
    data. It ends with a newline.
    """
    tidy = broken_up(clean(text))
    return tidy if tidy.endswith("\n") else f"{tidy}\n"


def block(name: str, text: str, language: str) -> str:
    """One part, as `content` made its text, fenced so that nothing in it ends the fence; "" is not a name."""
    longest = max((len(run) for run in _FENCE.findall(text)), default=2) if "```" in text else 2
    fence = "`" * (longest + 1)
    head = f"### {line(name)}\n\n" if name else ""
    return f"{head}{fence}{language}\n{text}{fence}\n\n"


def section_head(number: int, name: str, provenance: str, notes: Sequence[str]) -> str:
    """How a source's section begins: its name, where it is from, and what the reader may not expect."""
    told = "".join(f"- {inert(line(note))}\n" for note in notes)
    return f"## {number}. {line(name)}\n\nFrom: {line(provenance)}\n{told}\n"


def own_words(text: str) -> str:
    """A text of the user's own, which is to be read as such: not fenced, and before the data. A slash does not begin
    it: what stands before it would be cut into other tokens, and a client would take it for a command.
    """
    said = clean(text).strip()
    return f"{' ' * said.startswith('/')}{said}\n\n"


def title_block(title: str, missing: Sequence[str], left_out: Sequence[str]) -> str:
    """The first lines: title, how to read it, and which sources are not in it (`missing` could not be had)."""
    rows = [f"# Stack: {line(title)}\n\n{_LEGEND}\n"]
    rows += [f"Missing: {line(one)}\n" for one in missing]
    if left_out:
        rows.append(f"Left out for want of room: {', '.join(map(line, left_out))}.\n")
    return "".join((*rows, "\n"))


def document(own: Sequence[str], pieces: Sequence[str]) -> tuple[str, ...]:
    """The whole, in pieces: the user's own words, then the data between delimiters."""
    return (*own, *wrapped_pieces(pieces))


def line(text: str) -> str:
    """Text from outside on one line."""
    return claimed(safe(text))
