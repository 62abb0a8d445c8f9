"""Usage and rate limits as clients and their providers word them: is a text one, and when does it let go. Pure.

Forms: docs/reference/headless.md, "Limits"; each has a text of ours in `tests/clients/limit_texts.py`.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Final
from zoneinfo import ZoneInfo

_LIMIT: Final = re.compile(
    r"\b(?:429|529)\b|rate.?limit|too many requests|resource.?exhausted|overloaded|quota"
    r"|\b(?:usage|session|weekly|monthly|daily|hour|hourly|spend|fast|requests?)[ _]limit|limit (?:was )?reached"
    r"|hit your [\w .'-]{0,40}limit|exhausted your|out of [\w ]{0,20}credits?",
    re.IGNORECASE,
)
_OFFLINE: Final = re.compile(
    r"ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|fetch failed|unable to connect"
    r"|connection (?:error|refused|reset|timed out)|network (?:error|is unreachable)|stream disconnected|dns error"
    r"|error sending request|socket hang up|could not resolve",
    re.IGNORECASE,
)

# Seconds (10 digits) or milliseconds (13) since 1970, behind a bar or a name of the field.
_EPOCH: Final = re.compile(r"(?:\||reset\w*[\"']?\s*[:=]\s*[\"']?)(\d{10}(?:\d{3})?)(?!\d)", re.IGNORECASE)
_UNITS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_PIECE: Final = re.compile(
    r"(\d+(?:\.\d+)?|\ban?(?=\s))\s*"
    r"(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)(?![a-z])",
    re.IGNORECASE,
)
_SPAN: Final = rf"(?:{_PIECE.pattern}[\s,]*(?:and\s+)?)+"
_AFTER: Final = re.compile(
    rf"(?:\b(?:in|after|another|retrying)|retry.?(?:after|delay)[\"']?\s*[:=]?\s*[\"']?)\s*(?:less than\s+)?({_SPAN})",
    re.IGNORECASE,
)
# The header, and fields that are named for it, tell seconds.
_BARE_SECONDS: Final = re.compile(
    r"(?:retry.?after|resets?.in.seconds)[\"']?\s*[:=]?\s*[\"']?(\d+(?:\.\d+)?)(?![\d.]|\s*[a-z])", re.IGNORECASE
)

# Of a daily quota Google tells no time: all of them begin again at midnight, Pacific time (its page on rate limits).
_DAILY: Final = re.compile(r"exhausted your daily quota", re.IGNORECASE)
_GOOGLES_ZONE: Final = "America/Los_Angeles"

# How long a time of day may be over and is still the one that is meant.
_JUST_OVER: Final = timedelta(minutes=5)
_MONTHS: Final = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_DAYS: Final = "mon tue wed thu fri sat sun".split()
_ZONE: Final = r"\(?(?P<zone>(?:GMT|UTC)(?:[+-]\d{1,2}(?::?\d{2})?)?|Z\b|[A-Z][A-Za-z_]+(?:/[A-Za-z_+-]+)+)\)?"
_CLOCK: Final = (
    r"(?:(?P<hour>\d{1,2})(?::(?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.\d+)?)?)?\s*(?P<half>[ap]\.?m\b\.?)?"
    r"|(?P<midnight>midnight))"
)
_DATE: Final = (
    r"(?:(?P<iso>\d{4}-\d{2}-\d{2})|(?P<month>" + "|".join(_MONTHS) + r")[a-z]*\.?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?"
    r"(?:,?\s+(?P<year>\d{4}))?|(?P<weekday>" + "|".join(_DAYS) + r")[a-z]*|(?P<tomorrow>tomorrow))"
)
_AT: Final = re.compile(
    r"(?:resets?|again|access|available|until|retry|regain access|renews?)(?:\s+(?:at|on|after))?\s+"
    rf"(?:{_DATE}(?:,?\s+(?:at\s+)?|T|\s*$|(?=\W)))?(?:{_CLOCK}\s*(?:{_ZONE})?)?",
    re.IGNORECASE,
)


def is_limit(text: str) -> bool:
    """Whether an error tells of a limit that lets go by itself, sooner or later."""
    return _LIMIT.search(text) is not None


def is_offline(text: str) -> bool:
    """Whether an error tells that the provider could not be reached."""
    return _OFFLINE.search(text) is not None


def resets_at(text: str, now: datetime) -> datetime | None:
    """When the limit that `text` tells of lets go, None where it does not say. `now` is aware, and in the zone that a
    time without one is meant in: the machine's.
    """
    if found := _EPOCH.search(text):
        digits = found[1]
        return datetime.fromtimestamp(int(digits[:10]), now.tzinfo)
    if found := _AFTER.search(text):
        return _later(now, _seconds(found[1]))
    if found := _BARE_SECONDS.search(text):
        return _later(now, float(found[1]))
    if _DAILY.search(text):
        text = f"resets at midnight {_GOOGLES_ZONE}"
    return next(filter(None, (_moment(found, now) for found in _AT.finditer(text))), None)


def _later(now: datetime, seconds: float) -> datetime | None:
    """So much later, whatever the clocks do meanwhile; None for what no calendar has."""
    try:
        return (now.astimezone(UTC) + timedelta(seconds=seconds)).astimezone(now.tzinfo)
    except OverflowError:
        return None


def _seconds(span: str) -> float:
    """The length of "2h 13m", "1 hour and 5 minutes", "34.07s", "a minute"."""
    total = 0.0
    for number, unit in _PIECE.findall(span):
        name = "ms" if unit.lower().startswith(("ms", "milli")) else unit[0].lower()
        total += (1.0 if number.lower() in ("a", "an") else float(number)) * _UNITS[name]
    return total


def _moment(found: re.Match[str], now: datetime) -> datetime | None:
    """The first moment from now on that a date, a time or both name."""
    told = found.groupdict()
    has_date = any(told[name] for name in ("iso", "month", "weekday", "tomorrow"))
    bare = told["hour"] and not (told["minute"] or told["half"])
    if not (has_date or told["midnight"] or (told["hour"] and not bare)):
        return None
    try:
        zone = _zone(told["zone"]) or now.tzinfo
        here = now.astimezone(zone)
        at = _clock(told, here)
        return _dated(told, at, here)
    except (ValueError, KeyError, OverflowError):  # no such day, hour or zone
        return None


def _zone(name: str | None) -> tzinfo | None:
    """A zone by its name; None for none. Raises `KeyError` for one that nobody here knows."""
    if not name:
        return None
    if name.upper() == "Z":
        return UTC
    if offset := re.fullmatch(r"(?:GMT|UTC)(?:([+-])(\d{1,2})(?::?(\d{2}))?)?", name, re.IGNORECASE):
        sign, hours, minutes = offset[1] or "+", int(offset[2] or 0), int(offset[3] or 0)
        return timezone((1 if sign == "+" else -1) * timedelta(hours=hours, minutes=minutes))
    return ZoneInfo(name)


def _clock(told: dict[str, str | None], here: datetime) -> datetime:
    """Today at the time that is told, midnight where none is."""
    hour, minute = int(told["hour"] or 0), int(told["minute"] or 0)
    if half := told["half"]:
        hour = hour % 12 + (12 if half[0].lower() == "p" else 0)
    return here.replace(hour=hour, minute=minute, second=int(told["second"] or 0), microsecond=0)


def _dated(told: dict[str, str | None], at: datetime, here: datetime) -> datetime:
    if iso := told["iso"]:
        year, month, day = map(int, iso.split("-"))
        return at.replace(year=year, month=month, day=day)
    if name := told["month"]:
        month, day = _MONTHS.index(name.lower()) + 1, int(told["day"] or 1)
        if told["year"]:
            return at.replace(year=int(told["year"]), month=month, day=day)
        dated = at.replace(month=month, day=day)
        # A day that is just over is not meant for the year to come.
        return dated if dated > here - timedelta(days=2) else dated.replace(year=dated.year + 1)
    if told["tomorrow"]:
        return at + timedelta(days=1)
    if name := told["weekday"]:
        return _next(at + timedelta(days=(_DAYS.index(name.lower()) - at.weekday()) % 7), here, timedelta(days=7))
    return _next(at, here, timedelta(days=1))


def _next(at: datetime, here: datetime, period: timedelta) -> datetime:
    """`at` the next time that it comes. One that is just over is told to the minute, or by another clock: it is not
    meant for a day or a week later, but ends with this minute.
    """
    if at > here:
        return at
    return here.replace(second=0, microsecond=0) + timedelta(minutes=1) if here - at < _JUST_OVER else at + period
