"""RFC 3339 text and nanoseconds since 1970, without `datetime` (2 ms of a start-up that is a budget)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_SECOND_NS = 1_000_000_000
_DAYS_BEFORE = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)


def nanoseconds(text: str) -> int | None:
    """Nanoseconds since 1970 of an RFC 3339 time, None for anything else (transcripts hold what they like).

    `Z`, `±HH:MM` and a missing offset (taken as UTC) are understood; digits beyond nanoseconds are cut.
    """
    day, separator, clock = text[:10], text[10:11], text[11:]
    if separator not in {"T", "t", " "} or day[4:5] != "-" or day[7:8] != "-" or not text.isascii():
        return None
    clock, offset_s = _split_offset(clock)
    whole, _, fraction = clock.partition(".")
    parts = whole.split(":")
    if offset_s is None or len(parts) != 3 or not all(len(part) == 2 and part.isdigit() for part in parts):
        return None
    if not (day[:4].isdigit() and day[5:7].isdigit() and day[8:10].isdigit()) or (fraction and not fraction.isdigit()):
        return None
    hour, minute, second = map(int, parts)
    days = _days(int(day[:4]), int(day[5:7]), int(day[8:10]))
    if days is None or hour > 23 or minute > 59 or second > 60:  # 60: a leap second
        return None
    seconds = ((days * 24 + hour) * 60 + minute) * 60 + second - offset_s
    return seconds * _SECOND_NS + int(fraction[:9].ljust(9, "0") if fraction else 0)


def rfc3339(seconds: int) -> str:
    """RFC 3339 in UTC of whole seconds since 1970; "" for what no calendar holds (a commit may claim any number)."""
    try:
        moment = time.gmtime(seconds)
    except (OverflowError, OSError, ValueError):
        return ""
    if not 0 < moment.tm_year <= 9999:
        return ""
    return f"{moment.tm_year:04}-{moment.tm_mon:02}-{moment.tm_mday:02}T" + time.strftime("%H:%M:%SZ", moment)


def written_s(path: Path) -> float:
    """When the file at `path` was last written, in seconds since 1970; 0 for one that is not there."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _split_offset(clock: str) -> tuple[str, int | None]:
    """The clock without its offset, and the offset in seconds (None: not an offset)."""
    if clock[-1:] in {"Z", "z"}:
        return clock[:-1], 0
    sign = clock[-6:-5]
    if sign not in {"+", "-"}:
        return clock, 0
    hours, colon, minutes = clock[-5:].partition(":")
    if not (colon and hours.isdigit() and minutes.isdigit()):
        return clock, None
    offset_s = (int(hours) * 60 + int(minutes)) * 60
    return clock[:-6], -offset_s if sign == "-" else offset_s


def _days(year: int, month: int, day: int) -> int | None:
    """Days since 1970-01-01 in the Gregorian calendar, None for a date that is none."""
    if not (1 <= month <= 12 and 1 <= day <= 31 and year >= 1):
        return None
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    before = year - 1
    day_of_year = _DAYS_BEFORE[month - 1] + day - 1 + (1 if leap and month > 2 else 0)
    return before * 365 + before // 4 - before // 100 + before // 400 + day_of_year - 719_162
