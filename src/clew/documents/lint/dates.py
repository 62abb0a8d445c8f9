"""The dates that a document tells, and which of them are its own. Knows no rules."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import date
from itertools import islice
from typing import Final

from clew.core.tuples import NamedTuple
from clew.documents.lint.page import Page
from clew.documents.parse import stamps

_IN_A_LINE_MAX: Final = 20
_FRONT_CHARS: Final = 2000
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH: Final = (
    r"(?P<name>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DATE: Final = re.compile(
    r"(?<![\w/.-])(?P<year>20\d\d)-(?P<month>\d\d)-(?P<day>\d\d)(?:(?=T\d)|(?![\w/-])(?!\.\w))"
    rf"|(?<![\w/-])(?:(?P<front>\d\d?)(?:st|nd|rd|th)?\.?(?: of)? )?{_MONTH} "
    r"(?:(?P<back>\d\d?)(?:st|nd|rd|th)?,? )?(?P<said>20\d\d)\b",
    re.IGNORECASE,
)
_NAMED: Final = re.compile(r"(20\d\d)-(\d\d)-(\d\d)(?!\d)")


class Dated(NamedTuple):
    """A date as it stands in line `line`. Of a month, the day is its last one. `own`: it tells the document's age."""

    day: date
    written: str
    line: int
    own: bool


def dates(page: Page) -> list[Dated]:
    """The dates in a document, in order, without those in code and in names of files. Its own are in its headings,
    right below a heading such as "Last updated", in lines such as "Date: …", or else all in its front part.
    """
    found = list(_dates(page))
    if any(one.own for one in found):
        return found
    front = page.source[:_FRONT_CHARS].count("\n") + 1
    return [one._replace(own=one.line <= front) for one in found]


def named_day(path: str) -> list[Dated]:
    """The date in a file's name, as in "2026-03-14-cents.md"; it has no line of its own and is told of the first."""
    match = _NAMED.match(path.rpartition("/")[2])
    day = _made(*map(int, match.groups())) if match else None
    return [Dated(day, f"{match[0]} (in its name)", 1, own=True)] if match and day else []


def _dates(page: Page) -> Iterator[Dated]:
    code = {
        line
        for place in page.places
        if place.block.form == "code"
        for line in range(place.block.first, place.block.last + 1)
    }
    above = ""
    for number, line in enumerate(page.lines, 1):
        if "20" in line and number not in code:
            is_own = bool(stamps.LINE.match(line) or stamps.HEADING.match(above))
            for match in islice(_DATE.finditer(line), _IN_A_LINE_MAX):
                if day := _day(match):
                    yield Dated(day, match[0], number, is_own)
        above = line if line.strip() else above


def _day(match: re.Match[str]) -> date | None:
    if match["year"]:
        return _made(int(match["year"]), int(match["month"]), int(match["day"]))
    year, month = int(match["said"]), _MONTHS.index(match["name"][:3].lower()) + 1
    number = match["front"] or match["back"]
    return _made(year, month, int(number) if number else monthrange(year, month)[1])


def _made(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
