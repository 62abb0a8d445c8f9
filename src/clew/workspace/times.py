"""RFC 3339 text and nanoseconds since 1970."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
# Apart stands what has no place in `datetime`: digits beyond microseconds, and the second of a leap.
_TIME: Final = re.compile(r"(\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d):(\d\d)(?:\.(\d*))?(?:[Zz]|([+-]\d\d:\d\d))?", re.ASCII)


def nanoseconds(text: str) -> int | None:
    """Nanoseconds since 1970 of an RFC 3339 time, None for anything else (transcripts hold what they like).

    `Z`, `±HH:MM` and a missing offset (taken as UTC) are understood; digits beyond nanoseconds are cut.
    """
    found = _TIME.fullmatch(text)
    if found is None or found[2] > "60":
        return None
    try:
        moment = datetime.fromisoformat(f"{found[1]}{found[4] or 'Z'}")
    except ValueError:
        return None
    seconds = (moment - _EPOCH) // timedelta(seconds=1) + int(found[2])
    return seconds * 1_000_000_000 + int((found[3] or "")[:9].ljust(9, "0"))


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
