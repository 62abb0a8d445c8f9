"""Running a project's own command: a shell line, bounded in time and output, ended with all that it started.

Knows nothing of what the command is for, nor whether anybody trusts it: who calls this has asked.
"""

from __future__ import annotations

import os
import selectors
import signal
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    import subprocess

# So much of an output's beginning and of its end is kept: a runner tells its first failure at one of them.
KEPT_BYTES: Final = 2 << 20
_CUT: Final = b"\n[... the middle of the output was left out ...]\n"
_GRACE_S: Final = 2.0
# A program that has ended may leave others behind that hold its output open. They get so long to end by themselves.
_LEFT_S: Final = 0.5


class Ended(NamedTuple):
    """How a command ended. `code` is that of the shell, negative when a signal ended it. `output` is what it and all
    that it started wrote to stdout and stderr, in order. `timed_out`: it was ended since it took too long.
    """

    code: int
    output: bytes
    seconds: float
    timed_out: bool


class _Kept:
    """The beginning and the end of what is written."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self._lost = False

    def add(self, block: bytes) -> None:
        room = KEPT_BYTES - len(self._head)
        self._head += block[: max(0, room)]
        self._tail += block[max(0, room) :]
        if len(self._tail) > 2 * KEPT_BYTES:
            del self._tail[:-KEPT_BYTES]
            self._lost = True

    def whole(self) -> bytes:
        if len(self._tail) > KEPT_BYTES:
            return bytes(self._head) + _CUT + bytes(self._tail[-KEPT_BYTES:])
        return bytes(self._head) + (_CUT if self._lost else b"") + bytes(self._tail)


def run_command(
    line: str,
    *,
    folder: Path,
    environment: Mapping[str, str],
    timeout_s: float,
    stopped: Callable[[], bool] = lambda: False,
) -> Ended:
    """Run a shell line in `folder`, without input. Raises `OSError` where no shell can be started.

    It gets a process group of its own; when its time is up, when nobody waits for it any more (`stopped`), or when it
    has ended and left something running, the whole group is ended: asked first, then killed.
    """
    import subprocess  # here: hooks import this module's neighbours, and few of them run anything

    begun = time.monotonic()
    shell = ["/bin/sh", "-c", line] if os.name == "posix" else line
    process = subprocess.Popen(
        shell,
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        shell=isinstance(shell, str),
        start_new_session=os.name == "posix",
    )
    kept = _Kept()
    timed_out = False
    try:
        timed_out = not _read(process, kept, begun + timeout_s, stopped)
    finally:
        _end(process)
        code = process.wait()
        if process.stdout is not None:
            process.stdout.close()
    return Ended(code, kept.whole(), time.monotonic() - begun, timed_out)


def _read(process: subprocess.Popen[bytes], kept: _Kept, deadline: float, stopped: Callable[[], bool]) -> bool:
    """Read until the output is closed, or the command has ended and what it left is silent; False at the deadline, and
    when it is to stop.
    """
    assert process.stdout is not None
    os.set_blocking(process.stdout.fileno(), False)
    with selectors.DefaultSelector() as waiting:
        waiting.register(process.stdout, selectors.EVENT_READ)
        left_since = 0.0
        while True:
            now = time.monotonic()
            if now >= deadline or stopped():
                return False
            if process.poll() is not None:
                left_since = left_since or now
                if now - left_since > _LEFT_S:
                    return True
            if waiting.select(min(0.1, deadline - now)):
                block = process.stdout.read(1 << 16)
                if block == b"":
                    return _ended(process, deadline, stopped)
                kept.add(block or b"")


def _ended(process: subprocess.Popen[bytes], deadline: float, stopped: Callable[[], bool]) -> bool:
    """Whether a command that closed its output ends before the deadline."""
    while process.poll() is None:
        if time.monotonic() >= deadline or stopped():
            return False
        time.sleep(0.01)
    return True


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the whole group, whatever of it is still there."""
    if os.name != "posix":
        if process.poll() is None:
            process.kill()
        return
    for sign, patience in ((signal.SIGTERM, _GRACE_S), (signal.SIGKILL, _GRACE_S)):
        try:
            os.killpg(process.pid, sign)
        except OSError:  # nobody is left; macOS answers EPERM when all of them wait to be reaped
            return
        limit = time.monotonic() + patience
        while time.monotonic() < limit:
            process.poll()
            try:
                os.killpg(process.pid, 0)
            except OSError:
                return
            time.sleep(0.02)
