"""Running a program whose output is read while it runs, and which is ended with all that it started: by lines
(`stream`), or a project's own command whose output is kept (`run_command`).

Knows nothing of what the program is, what its output means, nor whether anybody trusts it: who calls this has asked.
"""

from __future__ import annotations

import os
import selectors
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, NamedTuple, Protocol

from clew.workspace.process import MARK
from clew.workspace.process_tree import Watch, end, started

if TYPE_CHECKING:
    import subprocess

LINE_BYTES_MAX: Final = 32 << 20
# So much is kept of the beginning and of the end of an output: a runner tells its first failure at one of them.
KEPT_BYTES: Final = 2 << 20
_CUT: Final = b"\n[... the middle of the output was left out ...]\n"
# How long a client, or a command, may take to end when it is asked to.
_GRACE_S: Final = 5.0
_COMMAND_GRACE_S: Final = 2.0
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


class EndedCommand(NamedTuple):
    """How a command ended. `code` is that of the shell, negative when a signal ended it. `output` is what it and all
    that it started wrote to stdout and stderr, in order. `timed_out`: it was ended since it took too long.
    """

    code: int
    output: bytes
    seconds: float
    timed_out: bool


class _Sink(Protocol):
    def add(self, block: bytes) -> None: ...

    def close(self) -> None: ...


class _KeptOutput:
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

    def close(self) -> None:
        """Nothing waits for the end of a line."""


class _LineSplitter:
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
    out, err = _LineSplitter(on_out), _LineSplitter(on_err)
    code, stopped, clean = _carry(process, mark, on_started, given.encode("utf-8", "replace"), (out, err), until)
    return Streamed(code, stopped, clean)


@contextmanager
def converse(
    argv: Sequence[str], *, environment: Mapping[str, str], folder: Path | None = None, ends: bool = False
) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """A program with which one talks: what it reads (stdin) and what it says (stdout). Behind the block it is waited
    for. With `ends` nobody hears its errors, and it is ended then, with all that it started. Raises `OSError` where it
    cannot be started.
    """
    import subprocess  # here: as above

    process = subprocess.Popen(
        argv,
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL if ends else None,
        start_new_session=ends and os.name == "posix",
    )
    assert process.stdin is not None and process.stdout is not None
    try:
        yield process.stdin, process.stdout
    finally:
        if ends:
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL) if hasattr(os, "killpg") else process.kill()
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):
                pipe.close()
        process.wait()


def run_command(
    line: str,
    *,
    folder: Path,
    environment: Mapping[str, str],
    timeout_s: float,
    stopped: Callable[[], bool] = lambda: False,
) -> EndedCommand:
    """Run a shell line in `folder`, without input. Raises `OSError` where no shell can be started.

    It gets a process group of its own; when its time is up, when nobody waits for it any more (`stopped`), or when it
    has ended and left something running, the whole group is ended: asked first, then killed.
    """
    import subprocess  # here: as above

    begun = time.monotonic()
    process = subprocess.Popen(
        ["/bin/sh", "-c", line] if os.name == "posix" else line,
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        shell=os.name != "posix",
        start_new_session=os.name == "posix",
    )
    kept = _KeptOutput()

    def until() -> str:
        return "over" if stopped() or time.monotonic() >= begun + timeout_s else ""

    code, over, _ = _carry(process, "", lambda _pid, _when: None, b"", (kept,), until, _COMMAND_GRACE_S)
    return EndedCommand(code, kept.whole(), time.monotonic() - begun, bool(over))


def _carry(
    process: subprocess.Popen[bytes],
    mark: str,
    on_started: Callable[[int, str], None],
    given: bytes,
    sinks: Sequence[_Sink],
    until: Callable[[], str],
    grace_s: float = _GRACE_S,
) -> tuple[int, str, bool]:
    """Attend a process to its end, whatever happens here: its exit code, why it was ended, whether nothing is left."""
    watch: Watch | None = None
    stopped = ""
    try:
        when = started(process.pid)
        watch = Watch(process.pid, when, mark)
        on_started(process.pid, when)
        stopped = _attend(process, given, sinks, until)
    finally:
        clean = end(process.pid, mark, grace_s=grace_s)
        for pipe in (process.stdin, process.stdout, process.stderr):
            with suppress(OSError):
                if pipe is not None:
                    pipe.close()
        code = process.wait()
        if watch is not None:
            watch.close()
    return code, stopped, clean


def _attend(process: subprocess.Popen[bytes], given: bytes, sinks: Sequence[_Sink], until: Callable[[], str]) -> str:
    """Give what is given, read what comes, until it has ended; why it is to be ended, "" if it did so by itself."""
    left = memoryview(given)
    reads = dict(zip(filter(None, (process.stdout, process.stderr)), sinks, strict=True))
    with selectors.DefaultSelector() as waiting:
        for pipe in filter(None, (process.stdin, *reads)):
            os.set_blocking(pipe.fileno(), False)
            waiting.register(pipe, selectors.EVENT_READ if pipe in reads else selectors.EVENT_WRITE)
        silent_since = 0.0
        while reads:
            if reason := until():
                return reason
            if process.poll() is not None:
                silent_since = silent_since or time.monotonic()
                if time.monotonic() - silent_since > _LEFT_S:
                    break
            for key, _ in waiting.select(_TICK_S):
                if process.stdin is not None and key.fileobj is process.stdin:
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
