"""A finding: what one check saw, how bad it is, and how to fix it; and what to do about a failure of clew in a hook.

The shim leaves word of such a failure: client, event, type and place in the code.
"""

from typing import Final, Literal, NamedTuple

from clew.core.runtime_dir import NO_WORD

# fine: as it should be. info: worth knowing. warn: something is not as it should be, work goes on. wrong: it does not.
Level = Literal["fine", "info", "warn", "wrong"]


_AGAIN: Final = "Python does not find what clew needs: run `clew init` again, from an installation that is whole."
_LEDGER: Final = "The ledger could not be opened, read or written: see `ledger`, `writable` and `room`."
_DISK: Final = "A file could not be read or written: see `writable`, `rights` and `room`."
_SETTINGS: Final = "A setting or a file of clew's cannot be used: `clew settings` and `clew status` say which."
_CUT_OFF: Final = "It was interrupted; once is nothing to fix."
_FAULT: Final = "Report it with this line: it is a bug in clew."
# By the name of the type: nothing else of the failure is kept.
_MENDS: Final = {
    "ModuleNotFoundError": _AGAIN,
    "ImportError": _AGAIN,
    "LedgerError": _LEDGER,
    "OSError": _DISK,
    "PermissionError": _DISK,
    "FileNotFoundError": _DISK,
    "NotADirectoryError": _DISK,
    "InputError": _SETTINGS,
    "KeyboardInterrupt": _CUT_OFF,
    "MemoryError": "The machine had no memory left.",
}


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


def hook_of(word: str) -> tuple[str, str]:
    """The client and the event in whose hook it failed, ("", "") if the word does not say."""
    words = word.split() if word != NO_WORD else []
    return (words[0], words[1]) if len(words) > 2 else ("", "")


def mend_of(word: str) -> str:
    """What to do about it, a sentence."""
    if word == NO_WORD:
        return _DISK
    words = word.split()
    return _MENDS.get(words[2], _FAULT) if len(words) > 2 else _FAULT
