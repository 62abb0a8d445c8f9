"""Looking for needles in the texts of a record, one text after the other: none of them stays in memory. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
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
# What stands in front of the number of a pull request or an issue, and of the whole that a part is of.
_REFERRING: Final = re.compile(
    r"(?:[#!]|pull/|pulls/|issues/|merge_requests/|\bprs? ?#?|\bmrs? ?#?|(?:request|issue|ticket)s? ?#?)$"
)
_PART_OF: Final = re.compile(r"(?<![\d.])(\d+)\s?(?:of|out of|/)\s?(?:the |all )?$")
# How far from a number the words may stand that say what it is of; how much of a line is looked at; at how many places.
_NEAR_CHARS: Final = 120
_BESIDE_CHARS: Final = 28
_LINE_CHARS: Final = 400
_PLACES_MAX: Final = 500
_BETWEEN: Final = r"[^\d\n]{0,14}?"
_BEHIND: Final = {units: re.compile(rf"{_BETWEEN}(?:{words})") for units, words in _UNITS.items()}
_BEFORE: Final = {units: re.compile(rf"(?:{words}){_BETWEEN}$") for units, words in _UNITS.items()}
# Texts of one source are looked through together once they have so many characters.
_BATCH_CHARS: Final = 1 << 18
_PARTING: Final = "\n\0\n"


class Scan:
    """Which needles were seen so far, and in whose words."""

    def __init__(self, needles: Iterable[Needle]) -> None:
        self._seen: dict[Needle, set[Source]] = {needle: set() for needle in needles}
        self._held: dict[Source, list[str]] = {}
        self._chars: dict[Source, int] = {}

    def look(self, text: str, source: Source) -> None:
        """Take in one text. What words of this source held already is not looked for again."""
        if not text:
            return
        self._held.setdefault(source, []).append(text)
        self._chars[source] = self._chars.get(source, 0) + len(text)
        if self._chars[source] >= _BATCH_CHARS:
            self._look_through(source)

    def seen(self) -> dict[Needle, frozenset[Source]]:
        """What was found."""
        for source in list(self._held):
            self._look_through(source)
        return {needle: frozenset(sources) for needle, sources in self._seen.items() if sources}

    def _look_through(self, source: Source) -> None:
        wanted = [needle for needle, sources in self._seen.items() if source not in sources]
        lines = plain(_PARTING.join(self._held.pop(source)))
        self._chars[source] = 0
        flat = " ".join(lines.split())
        for needle in wanted:
            if needle.text in flat if needle.how == "part" else _is_in(needle, lines):
                self._seen[needle].add(source)


def _is_in(needle: Needle, lines: str) -> bool:
    if needle.how == "line":
        return any(all(word in _line_at(lines, at) for word in needle.beside) for at in _places(needle.text, lines))
    size = len(needle.text)
    if needle.how == "name":
        return any(_is_word(lines, at, at + size) for at in _places(needle.text, lines))
    return any(
        _is_number(lines, at, at + size) and _fits(needle, lines, at, at + size) for at in _places(needle.text, lines)
    )


def _places(word: str, lines: str) -> Iterator[int]:
    at = lines.find(word)
    for _ in range(_PLACES_MAX):
        if at < 0:
            return
        yield at
        at = lines.find(word, at + len(word))


def _line_at(lines: str, at: int) -> str:
    """The line around a place, of a very long one a part."""
    start = max(lines.rfind("\n", 0, at), at - _LINE_CHARS)
    end = lines.find("\n", at, at + _LINE_CHARS)
    return lines[start + 1 : end if end >= 0 else at + _LINE_CHARS]


def _is_word(lines: str, start: int, end: int) -> bool:
    """Whether a word stands by itself there."""
    return not (lines[max(0, start - 1) : start].isalpha() or lines[end : end + 1].isalpha())


def _is_number(lines: str, start: int, end: int) -> bool:
    """Whether a number stands by itself there, and is no part of a longer one."""
    before, behind = lines[start - 1 : start] if start else "", lines[end : end + 2]
    return not (
        before.isdigit() or before == "." or behind[:1].isdigit() or (behind[:1] == "." and behind[1:].isdigit())
    )


def _fits(needle: Needle, lines: str, start: int, end: int) -> bool:
    """Whether what stands around a number is what the needle asks for."""
    if needle.how == "word":
        return True
    if needle.how == "near":
        around = lines[max(0, start - _NEAR_CHARS) : end + _NEAR_CHARS]
        return not needle.beside or any(word in around for word in needle.beside)
    before = lines[max(0, start - _BESIDE_CHARS) : start]
    if needle.how == "ref":
        return _REFERRING.search(before) is not None
    if needle.how == "ratio":
        part = _PART_OF.search(before)
        return part is not None and (not needle.beside or part[1] == needle.beside[0])
    return _BEHIND[needle.how].match(lines, end) is not None or _BEFORE[needle.how].search(before) is not None


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
