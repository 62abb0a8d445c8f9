"""A failure of clew in a hook, as the shim leaves word of it: client, event, type and place in the code."""

from __future__ import annotations

from typing import Final

from clew.core.runtime_dir import NO_WORD

_AGAIN: Final = "Python does not find what clew needs: run `clew init` again, from an installation that is whole."
_LEDGER: Final = "The ledger could not be opened, read or written: see `ledger`, `writable` and `room`."
_DISK: Final = "A file could not be read or written: see `writable`, `rights` and `room`."
_SETTINGS: Final = "A setting or a file of clew's cannot be used: `clew settings` and `clew status` say which."
_CUT_OFF: Final = "It was interrupted; once is nothing to mend."
_FAULT: Final = "Report it with this line: it is a fault of clew."
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
