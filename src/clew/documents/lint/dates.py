"""The dates that a document tells, and which of them are its own. Knows no rules."""

import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import date
from typing import Final

from clew.core.tuples import NamedTuple
from clew.documents.lint.page import Page
from clew.documents.parse import stamps

_FRONT_CHARS: Final = 2000
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH: Final = (
    r"(?P<{}>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DATE: Final = re.compile(
    r"(?<![\w/.-])(?P<year>20\d\d)-(?P<month>\d\d)-(?P<day>\d\d)(?:(?=T\d)|(?![\w/-])(?!\.\w))"
    rf"|(?<![\w/-])(?:(?P<front>\d\d?)(?:st|nd|rd|th)?\.?(?: of)? )?{_MONTH.format('name')} "
    r"(?:(?P<back>\d\d?)(?:st|nd|rd|th)?,? )?(?P<said>20\d\d)\b",
    re.IGNORECASE,
)


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
    match = re.match(r"(20\d\d)-(\d\d)-(\d\d)(?!\d)", path.rpartition("/")[2])
    try:
        return [Dated(date(*map(int, match.groups())), f"{match[0]} (in its name)", 1, own=True)] if match else []
    except ValueError:
        return []


def code_lines(page: Page) -> frozenset[int]:
    """The lines of blocks of code."""
    blocks = [place.block for place in page.places if place.block.form == "code"]
    return frozenset(line for block in blocks for line in range(block.first, block.last + 1))


def _dates(page: Page) -> Iterator[Dated]:
    code = code_lines(page)
    above = ""
    for number, line in enumerate(page.lines, 1):
        if number in code:
            continue
        is_own = bool(stamps.LINE.match(line) or stamps.HEADING.match(above))
        for match in _DATE.finditer(line):
            if day := _day(match):
                yield Dated(day, match[0], number, is_own)
        above = line if line.strip() else above


def _day(match: re.Match[str]) -> date | None:
    try:
        if match["year"]:
            return date(int(match["year"]), int(match["month"]), int(match["day"]))
        year, month = int(match["said"]), _MONTHS.index(match["name"][:3].lower()) + 1
        number = match["front"] or match["back"]
        return date(year, month, int(number) if number else monthrange(year, month)[1])
    except ValueError:
        return None
