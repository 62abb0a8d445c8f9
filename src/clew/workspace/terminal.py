"""The person at the controlling terminal: shown what a deed is about and a short code, and asked to type it.

The code is written to the terminal alone: who reads what the command prints, or types ahead, does not know it.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from clew.core.text.cleaning import clean, one_line

_LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"
_CODE_CHARS: Final = 4
_TRIES: Final = 3
_SECONDS: Final = 300.0
_LINE_BYTES_MAX: Final = 256

# A process is one command: who has shown once that somebody sits there is not asked again for the same words.
_shown: set[str] = set()


class _NoTerminal(Exception):
    """Nobody can be shown anything; the text is a clause that says why."""


@contextmanager
def _terminal() -> Iterator[int]:
    """The controlling terminal, open to read and write. Raises `_NoTerminal`."""
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except (OSError, AttributeError):
        raise _NoTerminal("the command has no terminal to ask at") from None
    try:
        if os.tcgetpgrp(terminal) != os.getpgrp():
            raise _NoTerminal("the command runs in the background")
        yield terminal
    except OSError:
        raise _NoTerminal("its terminal cannot be read") from None
    finally:
        os.close(terminal)


def shown_code(deed: str, about: str) -> str:
    """Have the code typed for a deed (completes "only a person may …") on the words that it is `about`, which are shown
    ("" there are none but those that were typed); why it was not, a clause, "" if it was.
    """
    if about in _shown or (_shown and not about):
        return ""
    try:
        with _terminal() as terminal:
            _write(terminal, "".join(f"  | {clean(line)}\n" for line in about.split("\n") if about))
            for left in reversed(range(_TRIES)):
                code = "".join(_LETTERS[byte % len(_LETTERS)] for byte in os.urandom(_CODE_CHARS))
                _write(terminal, f"Only a person may {one_line(clean(deed))}. Type {code} to go on: ")
                typed = _line(terminal)
                if typed is None:
                    break
                if typed.strip().lower() == code:
                    _shown.add(about)
                    return ""
                if left:
                    _write(terminal, "That is not the code.\n")
    except _NoTerminal as why:
        return str(why)
    return "the code that the terminal showed was not typed"


def show_line(text: str) -> bool:
    """Write a line to the controlling terminal alone; whether this process is in its foreground, so that it could."""
    try:
        with _terminal() as terminal:
            _write(terminal, f"{one_line(clean(text))}\n")
    except _NoTerminal:
        return False
    return True


def _write(terminal: int, text: str) -> None:
    data = text.encode("utf-8", "replace")
    while data:
        data = data[os.write(terminal, data) :]


def _line(terminal: int) -> str | None:
    """What is typed up to the end of the line; None at the end of the input, and when nobody types for long."""
    typed, limit = b"", time.monotonic() + _SECONDS
    while not typed.endswith(b"\n"):
        ready, _, _ = select.select([terminal], [], [], max(limit - time.monotonic(), 0))
        block = os.read(terminal, 1) if ready else b""
        if not block or len(typed) > _LINE_BYTES_MAX:
            return None
        typed += block
    return typed.decode("utf-8", "replace")
