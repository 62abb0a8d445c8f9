"""Looking for needles in the texts of a record, one text after the other: none of them stays in memory. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Final

from clew.app.proof.anchors import plain
from clew.app.proof.facts import Needle, Source

# What stands beside a number that counts these.
_UNITS: Final[Mapping[str, str]] = {
    "passed": r"test|pass|ok\b|ran\b|collected|spec|example|case|total|assert|suite|check|succe",
    "failed": r"fail|error|problem|issue|violation|✗|✖",
    "warned": r"warn",
    "skipped": r"skip|xfail|ignored|pending|deselect",
}
_REFERENCE: Final = (
    r"(?:[#!]|pull/|pulls/|issues/|merge_requests/|\bprs? ?#?|\bmrs? ?#?|(?:request|issue|ticket)s? ?#?)"
)
# How far from a number the words may stand that say what it is of; how much of a line is looked at; at how many places.
_NEAR_CHARS: Final = 120
_LINE_CHARS: Final = 400
_PLACES_MAX: Final = 200
_BETWEEN: Final = r"[^\d\n]{0,14}?"


class Scan:
    """Which needles were seen so far, and in whose words."""

    def __init__(self, needles: Iterable[Needle]) -> None:
        self._seen: dict[Needle, set[Source]] = {needle: set() for needle in needles}
        self._patterns = {needle: _pattern(needle) for needle in self._seen if needle.how not in ("part", "line")}

    def look(self, text: str, source: Source) -> None:
        """Look through one text. What words of this source held already is not looked for again."""
        wanted = [needle for needle, sources in self._seen.items() if source not in sources]
        if not text or not wanted:
            return
        lines = plain(text)
        flat = " ".join(lines.split())
        for needle in wanted:
            if self._is_in(needle, lines, flat):
                self._seen[needle].add(source)

    def _is_in(self, needle: Needle, lines: str, flat: str) -> bool:
        if needle.how == "part":
            return needle.text in flat
        if needle.text not in lines:
            return False
        if needle.how == "line":
            return _in_one_line(needle, lines)
        found = self._patterns[needle].finditer(lines)
        if needle.how != "near" or not needle.beside:
            return next(found, None) is not None
        return any(_has_beside(needle, lines, one) for one in islice(found, _PLACES_MAX))

    def seen(self) -> dict[Needle, frozenset[Source]]:
        """What was found."""
        return {needle: frozenset(sources) for needle, sources in self._seen.items() if sources}


def _in_one_line(needle: Needle, lines: str) -> bool:
    """Whether a line, of a very long one some part, holds all the words of a needle."""
    at = lines.find(needle.text)
    for _ in range(_PLACES_MAX):
        if at < 0:
            return False
        start = max(lines.rfind("\n", 0, at), at - _LINE_CHARS)
        end = lines.find("\n", at, at + _LINE_CHARS)
        line = lines[start + 1 : end if end >= 0 else at + _LINE_CHARS]
        if all(word in line for word in needle.beside):
            return True
        at = lines.find(needle.text, at + len(needle.text))
    return False


def _has_beside(needle: Needle, lines: str, found: re.Match[str]) -> bool:
    around = lines[max(0, found.start() - _NEAR_CHARS) : found.end() + _NEAR_CHARS]
    return any(word in around for word in needle.beside)


def _pattern(needle: Needle) -> re.Pattern[str]:
    number = re.escape(needle.text)
    if needle.how == "ref":
        return re.compile(rf"{_REFERENCE}{number}(?!\d)")
    if needle.how == "ratio":
        some = re.escape(needle.beside[0]) if needle.beside else r"\d+"
        return re.compile(rf"(?<![\d.]){some}\s?(?:of|out of|/)\s?(?:the |all )?{number}(?!\d|\.\d)")
    if needle.how in ("word", "near"):
        return re.compile(rf"(?<![\d.]){number}(?![\d]|\.\d)")
    units = _UNITS[needle.how]
    return re.compile(
        rf"(?<![\d.]){number}(?![\d]|\.\d){_BETWEEN}(?:{units})|(?:{units}){_BETWEEN}(?<![\d.]){number}(?!\d)"
    )


# A line of a run that tells each test: "--- PASS: TestA (0.00s)", "ok 1 - it adds".
_EACH: Final[Mapping[str, str]] = {
    "passed": r"(?m)^\s*(?:--- pass:|ok \d+\b)",
    "failed": r"(?m)^\s*(?:--- fail:|not ok \d+\b)",
}


def counts_in(text: str, group: str) -> tuple[int, ...]:
    """The numbers that a command's output gives for what is counted ("passed", "failed" …), the sum of those of its
    lines, as of several suites, and how many tests it tells one by one.
    """
    units, lines = _UNITS[group], plain(text)
    found = [
        int(one or other)
        for one, other in re.findall(
            rf"(?<![\d.])(\d{{1,7}})(?!\d|\.\d)[ \t]+(?:tests? |of \d+ )?(?:{units})"
            rf"|(?:{units})\w*[:=( ]+(\d{{1,7}})(?!\d|\.\d)",
            lines,
        )
    ]
    if group in _EACH and (each := re.findall(_EACH[group], lines)):
        nested = sum(one[:1].isspace() and one.strip() != one for one in each)
        found += [len(each), nested, len(each) - nested]
    return (*found, sum(found)) if len(found) > 1 else tuple(found)
