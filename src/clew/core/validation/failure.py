"""What went wrong first in a run of a project's checks, and the two values of a failed comparison, out of the words in
which a runner or a test tells it. Texts are as the runner printed them: untrusted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from clew.core.text.tokens import estimate

TOKENS_MAX = 400
_LINE_CHARS = 240
_TEST_CHARS = 200
_VALUE_CHARS = 160
_SAID_LINES = 6


class Failure(NamedTuple):
    """The first failure of a run.

    `runner` is who printed it ("" nobody that is known). `test` is the test as its runner takes it ("" it was none:
    a compiler's error, a broken build). `message` is the assertion or the error. `values` are the two that were
    compared, in the order of the assertion, () where it tells none. `frame` is "path:line" of the deepest place in the
    project's own code, "" unknown. `excerpt` is what stood around it.
    """

    runner: str
    test: str
    message: str
    values: tuple[str, ...] = ()
    frame: str = ""
    excerpt: tuple[str, ...] = ()


def told(failure: Failure, *, budget: int = TOKENS_MAX) -> tuple[str, ...]:
    """The failure in lines that have at most `budget` tokens: what failed, where, what it said, the values, and as much
    of the excerpt as there is room for.
    """
    said = [_cut(line, _LINE_CHARS) for line in failure.message.splitlines() if line.strip()]
    lines = [_cut(part, _TEST_CHARS) for part in (failure.test, failure.frame and f"at {failure.frame}") if part]
    lines += said[:_SAID_LINES]
    shown = "\n".join(said)
    values = [_cut(value, _VALUE_CHARS) for value in failure.values]
    if values and not all(value in shown for value in failure.values):
        lines += [f"left:  {values[0]}", f"right: {values[-1]}"]
    while len(lines) > 1 and estimate("\n".join(lines)) > budget:
        lines.pop()
    if estimate("\n".join(lines)) > budget:
        lines = [_cut(lines[0], budget)]
    known = {line.strip() for line in lines}
    for line in failure.excerpt:
        row = f"  {_cut(line.rstrip(), _LINE_CHARS)}"
        bare = line.lstrip().removeprefix("E ").removeprefix("E\t").strip()
        if bare and bare not in known:
            if estimate("\n".join([*lines, row])) > budget:
                break
            lines.append(row)
    return tuple(lines)


def _cut(text: str, chars: int) -> str:
    """At most `chars` characters, with the middle left out: both ends of a value tell it."""
    text = text.replace("\n", "\\n")
    if len(text) <= chars:
        return text
    head = (chars - 1) * 2 // 3
    return f"{text[:head]}…{text[len(text) - (chars - 1 - head) :]}"


_OPEN: Final = {"(": ")", "[": "]", "{": "}"}
_OPERATORS: Final = (
    " == ",
    " != ",
    " !== ",
    " === ",
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
        r"(?:=+|\bis) *(?P<got>[^=]+?)[,;] *\b(?:want(?:ed)?|expected):? *(?P<want>.+)$",
        r"\bexpected:? *<(?P<want>.*?)> but was: *<(?P<got>.*?)>",
        r"\bexpected:? *(?P<want>.+?)[,;]? *(?:\bbut )?\b(?:got|was|received|actual|found):? *(?P<got>.+)$",
        r"\bactual:? *(?P<got>.+?)[,;]? *\bexpected:? *(?P<want>.+)$",
        r"(?P<got>\S+) did not equal (?P<want>\S+)",
        r"\basserting that (?P<got>.+?) (?:is identical to|is equal to|matches expected) (?P<want>.+)$",
        r"(?:^|: )expected (?!values )(?P<got>.+?) to (?:be|(?:deeply |strictly )?equal) (?P<want>.+?)(?: // .*)?$",
    )
)
# A value behind its label, or on the line below it.
_GOT: Final = re.compile(
    r"^[\s#]*(?:left|received|got|actual)(?: value)? ?:(?: (.*))?$|^--(.*?)\s*\(Actual\)$", re.IGNORECASE
)
_WANT: Final = re.compile(
    r"^[\s#]*(?:right|expected|want)(?: value)? ?:(?: (.*))?$|^\+\+(.*?)\s*\(Expected\)$", re.IGNORECASE
)
_MINUS_IS_GOT: Final = re.compile(r"- (?:actual|got|received)|\[Diff\] actual|\+ expected", re.IGNORECASE)


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
    left, right = _labelled(lines, _GOT), _labelled(lines, _WANT)
    if left is not None and right is not None:
        return left, right
    for line in lines[:4]:
        for pattern in _WORDED:
            found = pattern.search(line.strip())
            if found:
                return found["got"].strip(), found["want"].strip().rstrip(".")
    signed = [line for line in lines[:8] if re.search(r" [!=]==? ", line)]
    return compared((signed or lines)[0]) if lines else ()


def _labelled(lines: list[str], label: re.Pattern[str]) -> str | None:
    for line, below in zip(lines, [*lines[1:], ""], strict=False):
        found = label.match(line)
        if found:
            return ((found[1] or found[2] or "").strip() or below.strip()).rstrip(",")
    return None


def differing(lines: Sequence[str]) -> tuple[str, ...]:
    """What came and what was wanted, in a difference of one line each; () where it is none. Its heading tells which is
    which: `+ expected - actual`, or `- Expected`, `+ Received`.
    """
    heading = next(
        (
            line
            for line in lines
            if re.search(r"^\s*[-+] ?(?:expected|actual|received)|Difference|\[Diff\]", line, re.I)
        ),
        "",
    )
    rows = [line.strip() for line in lines if line.strip() != heading.strip()]
    minus, plus = ([row[1:].strip() for row in rows if re.match(rf"[{sign}]\s*[^-+\s]", row)] for sign in ("-", "+"))
    minus, plus = ([row for row in side if row not in ("Expected", "Received")] for side in (minus, plus))
    if not heading or len(minus) != 1 or len(plus) != 1:
        return ()
    minus, plus = [minus[0].rstrip(",")], [plus[0].rstrip(",")]
    return (minus[0], plus[0]) if _MINUS_IS_GOT.search(heading) else (plus[0], minus[0])
