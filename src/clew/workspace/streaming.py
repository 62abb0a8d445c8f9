"""Running a program whose output is read line by line while it runs, and which is ended with all that it started.

Knows nothing of what the program is, nor of what its lines mean.
"""

from __future__ import annotations

import os
import selectors
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple

from clew.workspace.process_tree import MARK, Watch, end, started

if TYPE_CHECKING:
    import subprocess

LINE_BYTES_MAX: Final = 32 << 20
_TICK_S: Final = 0.1
# A program that has ended may leave others behind that hold its output open. They get so long to say more.
_LEFT_S: Final = 0.5


class Streamed(NamedTuple):
    """How it ended: the exit code (negative: the signal), and why it was ended, "" if it ended by itself. `clean`:
    nothing that it started is left.
    """

    code: int
    stopped: str
    clean: bool


class _Lines:
    """Whole lines out of pieces. A line that is longer than anybody's is dropped."""

    def __init__(self, on_line: Callable[[str], None]) -> None:
        self._on_line = on_line
        self._rest = bytearray()
        self._dropping = False

    def add(self, block: bytes) -> None:
        *whole, rest = block.split(b"\n")
        for piece in whole:
            self._rest += piece
            if not self._dropping:
                self._on_line(self._rest.decode("utf-8", "replace"))
            self._rest.clear()
            self._dropping = False
        self._rest += rest
        if len(self._rest) > LINE_BYTES_MAX:
            self._rest.clear()
            self._dropping = True

    def close(self) -> None:
        if self._rest and not self._dropping:
            self._on_line(self._rest.decode("utf-8", "replace"))


def stream(
    argv: Sequence[str],
    *,
    folder: str,
    environment: Mapping[str, str],
    given: str,
    mark: str,
    on_started: Callable[[int, str], None],
    on_out: Callable[[str], None],
    on_err: Callable[[str], None],
    until: Callable[[], str],
) -> Streamed:
    """Run `argv` in `folder` to its end. Its pid and the word of its start are handed to `on_started`, and only then it
    gets `given` on its stdin. Each line of its stdout goes to `on_out`, of its stderr to `on_err`. `until` is asked
    often, and after each line; when it gives a reason, the program is ended with all that it started.

    Whatever happens here, also an exception of one of these, and the death of this process: nothing of it stays.
    Raises `OSError` where it cannot be started.
    """
    import subprocess  # here: hooks import this module's neighbours

    process = subprocess.Popen(
        argv,
        cwd=folder,
        env={**environment, MARK: mark},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=os.name == "posix",
    )
    watch: Watch | None = None
    stopped = ""
    clean = False
    try:
        when = started(process.pid)
        watch = Watch(process.pid, when, mark)
        on_started(process.pid, when)
        stopped = _attend(process, given.encode("utf-8", "replace"), (_Lines(on_out), _Lines(on_err)), until)
    finally:
        clean = end(process.pid, mark)
        for pipe in (process.stdin, process.stdout, process.stderr):
            with suppress(OSError):
                pipe.close()  # type: ignore[union-attr]
        code = process.wait()
        if watch is not None:
            watch.close()
    return Streamed(code, stopped, clean)


def _attend(
    process: subprocess.Popen[bytes], given: bytes, lines: tuple[_Lines, _Lines], until: Callable[[], str]
) -> str:
    """Give what is given, read what comes, until it has ended; why it is to be ended, "" if it did so by itself."""
    left = memoryview(given)
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    with selectors.DefaultSelector() as waiting:
        for pipe, event in (
            (process.stdin, selectors.EVENT_WRITE),
            (process.stdout, selectors.EVENT_READ),
            (process.stderr, selectors.EVENT_READ),
        ):
            os.set_blocking(pipe.fileno(), False)
            waiting.register(pipe, event)
        reads = {process.stdout: lines[0], process.stderr: lines[1]}
        silent_since = 0.0
        while reads:
            if reason := until():
                return reason
            if process.poll() is not None:
                silent_since = silent_since or time.monotonic()
                if time.monotonic() - silent_since > _LEFT_S:
                    break
            for key, _ in waiting.select(_TICK_S):
                if key.fileobj is process.stdin:
                    left = _write(process, left)
                    if not left:
                        waiting.unregister(process.stdin)
                        process.stdin.close()
                elif block := os.read(key.fd, 1 << 16):
                    reads[key.fileobj].add(block)  # type: ignore[index]
                else:
                    waiting.unregister(key.fileobj)
                    reads.pop(key.fileobj).close()  # type: ignore[call-overload]
        for rest in reads.values():
            rest.close()
    return _wait(process, until)


def _wait(process: subprocess.Popen[bytes], until: Callable[[], str]) -> str:
    """Wait for the end of a program that says no more; why it is to be ended, "" if it did so by itself."""
    while process.poll() is None:
        if reason := until():
            return reason
        time.sleep(_TICK_S)
    return ""


def _write(process: subprocess.Popen[bytes], left: memoryview) -> memoryview:
    """Give a piece; what is left of it, nothing where nobody reads any more."""
    assert process.stdin is not None
    try:
        return left[os.write(process.stdin.fileno(), left[: 1 << 16]) :] if left else left
    except BlockingIOError:
        return left
    except OSError:
        return left[:0]
