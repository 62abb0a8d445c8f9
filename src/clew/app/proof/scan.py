"""Looking for needles in the texts of a record, one text after the other: none of them stays in memory. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
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
_BETWEEN: Final = r"[^\d\n]{0,24}?"


class Scan:
    """Which needles were seen so far, and in whose words."""

    def __init__(self, needles: Iterable[Needle]) -> None:
        self._seen: dict[Needle, set[Source]] = {needle: set() for needle in needles}
        self._patterns = {needle: _pattern(needle) for needle in self._seen if needle.how != "part"}

    def look(self, text: str, source: Source) -> None:
        """Look through one text. What words of this source held already is not looked for again."""
        wanted = [needle for needle, sources in self._seen.items() if source not in sources]
        if not text or not wanted:
            return
        lines = plain(text)
        flat = " ".join(lines.split())
        for needle in wanted:
            if needle.how == "part":
                found = needle.text in flat
            else:
                found = needle.text in lines and self._patterns[needle].search(lines) is not None
            if found:
                self._seen[needle].add(source)

    def seen(self) -> dict[Needle, frozenset[Source]]:
        """What was found."""
        return {needle: frozenset(sources) for needle, sources in self._seen.items() if sources}


def _pattern(needle: Needle) -> re.Pattern[str]:
    number = re.escape(needle.text)
    if needle.how == "ref":
        return re.compile(rf"{_REFERENCE}{number}(?!\d)")
    if needle.how == "word":
        return re.compile(rf"(?<![\d.]){number}(?![\d]|\.\d)")
    units = _UNITS[needle.how]
    return re.compile(
        rf"(?<![\d.]){number}(?![\d]|\.\d){_BETWEEN}(?:{units})|(?:{units}){_BETWEEN}(?<![\d.]){number}(?!\d)"
    )


def counts_in(text: str, group: str) -> tuple[int, ...]:
    """The numbers that a command's output gives for what is counted ("passed", "failed" …), and the sum of those of its
    lines, as of several suites.
    """
    units = _UNITS[group]
    found = [
        int(one or other)
        for one, other in re.findall(
            rf"(?<![\d.])(\d{{1,7}})(?!\d|\.\d)[ \t]+(?:tests? |of \d+ )?(?:{units})"
            rf"|(?:{units})\w*[:=( ]+(\d{{1,7}})(?!\d|\.\d)",
            plain(text),
        )
    ]
    return (*found, sum(found)) if len(found) > 1 else tuple(found)
