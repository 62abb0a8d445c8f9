"""The pipe to the client: lines on what were stdin and stdout. Knows nothing about MCP.

While it is open nothing else in the process reads or writes there: stdin is empty, and what is printed goes to stderr.
"""

from __future__ import annotations

import os
import select
from contextlib import suppress
from threading import Lock
from typing import Final

# Far more than any client sends. What is longer is read to its end and thrown away.
LINE_BYTES_MAX: Final = 16 << 20
_BLOCK_BYTES: Final = 1 << 16
# So often it is looked whether the client is still there. Its end closes the pipe, unless a child of its own holds it.
_LOOK_S: Final = 2.0


class Pipe:
    """Lines from and to the client. One thread reads, any writes. Open once in a process.

    `gone`: it was seen that nobody reads any more.
    """

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
        self._writing = Lock()
        self.gone = False

    def line(self) -> bytes | None:
        """The next line without its end; None when the client closed the pipe or is gone."""
        skips = False
        while (end := self._held.find(b"\n")) < 0 or skips:
            if end >= 0:  # the end of a line that was too long
                del self._held[: end + 1]
                skips = False
                continue
            if skips or len(self._held) > LINE_BYTES_MAX:
                self._held.clear()
                skips = True
            if not (block := self._read()):
                rest, self._held = bytes(self._held), bytearray()
                return rest or None
            self._held += block
        line = bytes(self._held[:end])
        del self._held[: end + 1]
        return line

    def write(self, line: bytes) -> None:
        """Send a line, its end included. To a client that is gone nothing is sent, and `line` ends."""
        with self._writing:
            try:
                while line:
                    line = line[os.write(self._out, line) :]
            except OSError:
                self.gone = True

    def _read(self) -> bytes:
        """What is there, waiting for it; b"" at the end."""
        # On Windows only sockets can be waited for.
        while os.name == "posix" and not self.gone and not select.select([self._in], [], [], _LOOK_S)[0]:
            if os.getppid() != self._parent:
                self.gone = True
        if not self.gone:
            with suppress(OSError):
                return os.read(self._in, _BLOCK_BYTES)
        return b""
