"""The two values of a failed comparison, out of the words in which a runner or a test tells it."""

from __future__ import annotations

import re
from typing import Final

_OPEN: Final = {"(": ")", "[": "]", "{": "}"}
_OPERATORS: Final = (
    " == ",
    " != ",
    " is not ",
    " is ",
    " not found in ",
    " not in ",
    " in ",
    " >= ",
    " <= ",
    " > ",
    " < ",
)
# How people word it in a message of their own. The first value is what came, the second what was wanted.
_WORDED: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\bgot:? *(?P<got>.+?)[,;]? *\bwant(?:ed)?:? *(?P<want>.+)$",
        r"\bwant(?:ed)?:? *(?P<want>.+?)[,;]? *\bgot:? *(?P<got>.+)$",
        r"=+ *(?P<got>[^=]+?)[,;] *\b(?:want(?:ed)?|expected):? *(?P<want>.+)$",
        r"\bexpected:? *<(?P<want>.*?)> but was: *<(?P<got>.*?)>",
        r"\bexpected:? *(?P<want>.+?)[,;]? *(?:\bbut )?\b(?:got|was|received|actual|found):? *(?P<got>.+)$",
        r"\bactual:? *(?P<got>.+?)[,;]? *\bexpected:? *(?P<want>.+)$",
        r"^expected (?P<got>.+?) to (?:be|equal|deeply equal|strictly equal) (?P<want>.+?)(?: // .*)?$",
    )
)
_LABELS: Final = (
    (r"^\s*left: ?(.*)$", r"^\s*right: ?(.*)$"),
    (r"^\s*Received(?: value)?: +(.*)$", r"^\s*Expected(?: value)?: +(.*)$"),
    (r"^\s*got ?: *(.*)$", r"^\s*want ?: *(.*)$"),
    (r"^\s*actual ?: *(.*)$", r"^\s*expected ?: *(.*)$"),
)


def compared(text: str) -> tuple[str, ...]:
    """The two sides of a comparison written as code: `[1, 2] == [1]`. () if it is none."""
    text = text.strip()
    at, operator = _operator(text)
    if at < 0:
        return ()
    left, right = text[:at].strip(), text[at + len(operator) :].strip()
    return (left.removeprefix("not "), right) if left and right else ()


def _operator(text: str) -> tuple[int, str]:
    """The first comparison that stands in no brackets and no quotes."""
    closing: list[str] = []
    quote = ""
    at = 0
    while at < len(text):
        sign = text[at]
        if quote:
            if sign == "\\":
                at += 1
            elif sign == quote:
                quote = ""
        elif sign in "'\"" and (at == 0 or not text[at - 1].isalnum() or text[at - 1] in "bru"):
            quote = sign
        elif sign in _OPEN:
            closing.append(_OPEN[sign])
        elif closing and sign == closing[-1]:
            closing.pop()
        elif not closing and sign == " ":
            for operator in _OPERATORS:
                if text.startswith(operator, at):
                    return at, operator
        at += 1
    return -1, ""


def worded(lines: list[str]) -> tuple[str, ...]:
    """The values (what came, what was wanted) in the message of a test, () where it tells none."""
    for first, second in _LABELS:
        left = next((found[1].strip() for line in lines if (found := re.match(first, line))), None)
        right = next((found[1].strip() for line in lines if (found := re.match(second, line))), None)
        if left is not None and right is not None:
            return left, right
    for line in lines[:4]:
        for pattern in _WORDED:
            found = pattern.search(line.strip())
            if found:
                return found["got"].strip(), found["want"].strip().rstrip(".")
    return compared(lines[0]) if lines else ()
