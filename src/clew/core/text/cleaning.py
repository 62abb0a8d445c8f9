"""Text from outside made safe and short. Transcripts, files and servers are untrusted: see docs/ARCHITECTURE.md.

Every text that is read or shown passes here, so the common case is a look-up and no regular expression is compiled
before a text needs one.
"""

from __future__ import annotations

import re
from functools import cache

# Escape sequences go as a whole (ECMA-48: CSI, OSC up to its terminator, two-character escapes), because what is left
# of one after its ESC is stripped is litter such as "[31m".
_ESCAPES = r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-_])|\x9b[0-?]*[ -/]*[@-~]"

# A joiner or an emoji selector between ASCII characters draws nothing, and hides a word from whoever searches for it.
_IDLE_JOINERS = r"(?:(?<=[\x00-\x7f])|\A)[\u200d\ufe0f]+(?=[\x00-\x7f]|\Z)"

_ASCII_CONTROLS = bytes([*range(0x09), *range(0x0B, 0x20), 0x7F])  # C0 but tab and newline, and DEL

# First and last of what is invisible or changes the direction of a line. The zero-width joiner (200D) and the emoji
# selector (FE0F) are not among them: emoji are made with them.
_HIDDEN = (
    (0x00, 0x08), (0x0E, 0x1F), (0x7F, 0x84), (0x86, 0x9F),  # C0 and C1 but tab, newline and the line ends below
    (0xAD, 0xAD), (0x034F, 0x034F), (0x061C, 0x061C),        # soft hyphen, grapheme joiner, Arabic letter mark
    (0x115F, 0x1160), (0x3164, 0x3164), (0xFFA0, 0xFFA0),    # Hangul fillers
    (0x180B, 0x180F),                                        # Mongolian selectors and vowel separator
    (0x200B, 0x200C), (0x200E, 0x200F), (0x202A, 0x202E),    # zero-width space, left/right marks, bidi embeddings
    (0x2060, 0x206F),                                        # invisible operators, bidi isolates, old format marks
    (0xD800, 0xDFFF),                                        # lone surrogates: no encoder takes them
    (0xFE00, 0xFE0E), (0xFEFF, 0xFEFF), (0xFFF9, 0xFFFB),    # selectors, byte order mark, interlinear marks
    (0xE0000, 0xE007F), (0xE0100, 0xE01EF),                  # tags and selectors: both can carry a hidden text
)  # fmt: skip
_LINE_ENDS = "\r\x0b\x0c\x85\u2028\u2029"


def clean(text: str) -> str:
    """`text` without terminal escapes, control, bidi and invisible characters; all line ends are "\\n"."""
    if text.isascii():
        if len(text.encode().translate(None, _ASCII_CONTROLS)) == len(text):
            return text
    elif _suspects().isdisjoint(text):
        return text
    text = text.replace("\r\n", "\n")
    if "\x1b" in text or "\x9b" in text:
        text = _replace(_ESCAPES, text)
    text = text.translate(_replacements())
    if "\u200d" in text or "\ufe0f" in text:
        text = _replace(_IDLE_JOINERS, text)
    return text


@cache
def _suspects() -> frozenset[str]:
    """The characters that make a text worth a closer look."""
    hidden = {*_LINE_ENDS, "\u200d", "\ufe0f"}
    for first, last in _HIDDEN:
        hidden.update(map(chr, range(first, last + 1)))
    return frozenset(hidden)


@cache
def _replacements() -> dict[int, str | None]:
    """What `str.translate` puts for each character that does not stay."""
    table: dict[int, str | None] = {code: None for first, last in _HIDDEN for code in range(first, last + 1)}
    return table | dict.fromkeys(map(ord, _LINE_ENDS), "\n")


def _replace(pattern: str, text: str) -> str:
    return re.sub(pattern, "", text)


def one_line(text: str) -> str:
    """`text` on one line, runs of white space folded to one space, no space at the ends."""
    return " ".join(text.split())


def in_columns(*parts: str) -> str:
    """The parts that say something, clean and on one line, with two spaces between them."""
    return "  ".join(word for part in parts if (word := one_line(clean(part))))


def shorten(text: str, chars: int) -> str:
    """At most `chars` characters of it, cut at the end of a clause if one is near, else between words; "…" marks it.

    A back-quote left open by the cut is closed.
    """
    if len(text) <= chars:
        return text
    if chars < 2:
        return "…"[:chars]
    room = chars - 1
    head = text[: room + 1]
    cut = max(head.rfind(mark, room // 2) for mark in (". ", "; ", ", ", ": ", " — ", " – "))
    if cut < room * 2 // 3:
        cut = max(head.rfind(" "), 0)
    head = head[: cut or room].rstrip(" ,;:.–—(")
    if head.count("`") % 2:
        head = head[: room - 1].rstrip()
        if head.count("`") % 2:
            head = head[:-1].rstrip() if head.endswith("`") else head + "`"
    return head + "…"


def shorten_code(text: str, chars: int) -> str:
    """At most `chars` characters of a command or a path, cut anywhere: its front part is what tells it."""
    return text if len(text) <= chars else text[: chars - 1].rstrip() + "…"
