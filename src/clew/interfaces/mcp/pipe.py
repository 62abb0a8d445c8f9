"""The pipe to the client: one JSON message a line on what were stdin and stdout. Knows nothing about MCP.

While it is open nothing else in the process reads or writes there: stdin is empty, and what is printed goes to stderr.
"""

from __future__ import annotations

import json
import os
import re
import select
from contextlib import suppress
from typing import Final

# Far more than any client sends. What is longer is read to its end and thrown away.
LINE_BYTES_MAX: Final = 16 << 20
_BLOCK_BYTES: Final = 1 << 16
# So often it is looked whether the client is still there. Its end closes the pipe, unless a child of its own holds it.
_LOOK_S: Final = 2.0
# Half a character (a surrogate), which JSON can write and UTF-8 cannot.
_ESCAPED_HALF: Final = re.compile(r"\\u[dD][89a-fA-F]")
_HALF: Final = re.compile("[\ud800-\udfff]")


class Pipe:
    """Lines from and to the client. One thread reads, one writes. Open once in a process."""

    def __init__(self) -> None:
        self._in, self._out = os.dup(0), os.dup(1)
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        try:
            os.dup2(2, 1)
        except OSError:  # stderr is closed
            os.dup2(nothing, 1)
        os.close(nothing)
        self._parent = os.getppid()
        self._held = bytearray()
        self._gone = False

    def line(self) -> bytes | None:
        """The next line without its end, in UTF-8 and with nothing in it that could not be said again in UTF-8; None
        when the client closed the pipe or is gone.
        """
        while True:
            end = self._held.find(b"\n")
            if end >= 0:
                line = bytes(self._held[:end])
                del self._held[: end + 1]
                return _whole(line)
            if len(self._held) > LINE_BYTES_MAX:
                if not self._skip():
                    return None
            elif not self._more():
                line, self._held = bytes(self._held), bytearray()
                return _whole(line) or None

    def write(self, line: bytes) -> None:
        """Send a line, its end included. To a client that is gone nothing is sent, and `line` ends."""
        try:
            while line:
                line = line[os.write(self._out, line) :]
        except OSError:
            self._gone = True

    @property
    def gone(self) -> bool:
        """Whether it was seen that nobody reads any more."""
        return self._gone

    def _more(self) -> bool:
        """Read what is there, waiting for it; whether there was anything."""
        block = self._read()
        self._held += block
        return bool(block)

    def _skip(self) -> bool:
        """Drop the rest of a line that is too long; whether another one follows."""
        while True:
            end = self._held.find(b"\n")
            if end >= 0:
                del self._held[: end + 1]
                return True
            self._held.clear()
            if not self._more():
                return False

    def _read(self) -> bytes:
        while not self._gone and not self._is_ready():
            if os.getppid() != self._parent:
                self._gone = True
        if self._gone:
            return b""
        with suppress(OSError):
            return os.read(self._in, _BLOCK_BYTES)
        return b""

    def _is_ready(self) -> bool:
        if os.name != "posix":  # where only sockets can be waited for
            return True
        return bool(select.select([self._in], [], [], _LOOK_S)[0])


def _whole(line: bytes) -> bytes:
    """A line with U+FFFD in place of what is no UTF-8 and of each half of a character. A message with one could not be
    answered, and the SDK would drop it.
    """
    text = line.decode("utf-8", "replace")
    if _ESCAPED_HALF.search(text):
        with suppress(ValueError, RecursionError):
            text = _HALF.sub("\ufffd", json.dumps(json.loads(text), ensure_ascii=False))
    return text.encode()
