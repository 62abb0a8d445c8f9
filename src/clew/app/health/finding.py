"""A finding: what one check saw, how bad it is, and how to fix it; and how its figures are said."""

from typing import Literal, NamedTuple

# fine: as it should be. info: worth knowing. warn: something is not as it should be, work goes on. wrong: it does not.
Level = Literal["fine", "info", "warn", "wrong"]


class HealthFinding(NamedTuple):
    """`check` is a stable id (docs/reference/doctor.md). `said` is a clause with figures; `mend` what to do, ""
    nothing.
    """

    check: str
    level: Level
    said: str
    mend: str = ""


def count(number: int, noun: str) -> str:
    """`1 event`, `2 events`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def ago(seconds: float) -> str:
    """How long ago something was, in one unit."""
    for size, unit in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            return f"{count(int(seconds // size), unit)} ago"
    return "just now"


def size_of(number: int) -> str:
    """So many bytes as people say it."""
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if number >= size:
            return f"{number / size:.1f} {unit}"
    return f"{number} bytes"
