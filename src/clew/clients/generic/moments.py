"""Times as formats outside of clients write them, as RFC 3339 in UTC."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any, Final

_TIME: Final = re.compile(
    r"(\d{4}-\d\d-\d\d)[T_ ](\d\d)[:-](\d\d)(?:[:-](\d\d)(?:\.(\d{1,6})\d*)?)?\s?(Z|UTC|[+-]\d\d:?\d\d)", re.ASCII
)
_SECONDS_MAX: Final = 1 << 36  # the year 4147; above that it is milliseconds


def moment(text: str) -> str:
    """The first time in `text` that says where on earth it holds, "" if there is none."""
    found = _TIME.search(text)
    if not found:
        return ""
    day, hour, minute, second, fraction, zone = found.groups()
    zone = "+00:00" if zone in ("Z", "UTC") else zone
    try:
        time = datetime.fromisoformat(f"{day}T{hour}:{minute}:{second or '00'}{zone}").astimezone(UTC)
    except (ValueError, OverflowError):
        return ""
    return time.strftime("%Y-%m-%dT%H:%M:%S") + (f".{fraction}" if fraction else "") + "Z"


def moment_of(value: Any) -> str:
    """The time in a JSON value: a text, or seconds (or milliseconds) since 1970. "" if it is none."""
    if isinstance(value, str):
        return moment(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
        return ""
    seconds = value / 1000 if value >= _SECONDS_MAX else value
    try:
        time = datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return ""
    return time.strftime("%Y-%m-%dT%H:%M:%S") + f".{time.microsecond // 1000:03}Z"
