"""Running one short program: given arguments and environment, bounded in time and output. Knows nothing about git.

`subprocess` costs 6 ms to import, more than a git process costs to run; so POSIX uses `os.posix_spawn`.
"""

import os
import select
import signal
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Protocol

from clew.core.text.cleaning import clean, one_line, shorten

OUTPUT_BYTES_MAX = 64 << 20
_SAID_CHARS = 300
# The variable by which a client and all that it starts are found again (`process_tree.py`).
MARK = "CLEW_JOB"


class Finished(NamedTuple):
    """How a program ended. `code` is negative when a signal ended it."""

    code: int
    out: bytes
    err: bytes

    @property
    def said(self) -> str:
        """What a program that failed has to say, in one line: its errors, else what it printed, and the exit status
        where it printed nothing.
        """
        told = (one_line(clean(text.decode("utf-8", "replace"))) for text in (self.err, self.out))
        return shorten(next(filter(None, told), ""), _SAID_CHARS) or (
            f"it printed nothing, and ended with status {self.code}"
        )


class LimitExceeded(Exception):
    """The program took too long or said too much; it and its children have been killed."""


class ProgramRunner(Protocol):
    """Runs `argv` (its first word an absolute path) to its end without input and without a shell.

    Raises OSError when it cannot be started and `LimitExceeded` when it had to be killed.
    """

    def __call__(self, argv: Sequence[str], *, environment: Mapping[str, str], timeout_s: float) -> Finished: ...


def run(
    argv: Sequence[str], *, environment: Mapping[str, str], timeout_s: float, given: str = os.devnull, folder: str = ""
) -> Finished:
    """The `ProgramRunner` of this machine. `given` is a file that the program finds on its stdin, `folder` (absolute)
    where it runs, "" where we stand.
    """
    if hasattr(os, "posix_spawn") and hasattr(select, "poll"):
        there = ("/bin/sh", "-c", 'cd "$0" && exec "$@"', folder) if folder else ()
        return _run_posix([*there, *argv], environment, timeout_s, given)
    return _run_portable(argv, environment, timeout_s, given, folder)


def find_program(name: str, search_path: str, *, outside: Path) -> str:
    """An absolute path to the program `name`, "" without one. What lies in the folder `outside` (a work tree) is not
    that program, whatever its name.
    """
    names = (f"{name}.exe", name) if os.name == "nt" else (name,)
    for folder in map(Path, filter(None, search_path.split(os.pathsep))):
        if not folder.is_absolute() or folder.is_relative_to(outside):
            continue
        for one in names:
            program = folder / one
            if os.access(program, os.X_OK) and program.is_file():
                return str(program)
    return ""


def _run_posix(
    argv: Sequence[str], environment: Mapping[str, str], timeout_s: float, given: str = os.devnull
) -> Finished:
    out_read, out_write = os.pipe()
    err_read, err_write = os.pipe()
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, given, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, out_write, 1),
        (os.POSIX_SPAWN_DUP2, err_write, 2),
    ]
    try:
        try:
            # A group of its own, so that killing it takes its children along. Python ignores SIGPIPE; others must not.
            pid = os.posix_spawn(
                argv[0], list(argv), environment, file_actions=actions, setpgroup=0, setsigdef=[signal.SIGPIPE]
            )
        finally:
            os.close(out_write)
            os.close(err_write)
        try:
            out, err = _drain(out_read, err_read, timeout_s)
        except BaseException:
            _kill(pid)
            raise
    finally:
        os.close(out_read)
        os.close(err_read)
    _, status = os.waitpid(pid, 0)
    return Finished(os.waitstatus_to_exitcode(status), out, err)


def _kill(group: int) -> None:
    with suppress(OSError):  # macOS answers EPERM when the leader has ended and only waits to be reaped
        os.killpg(group, signal.SIGKILL)
    os.waitpid(group, 0)


def _drain(out: int, err: int, timeout_s: float) -> tuple[bytes, bytes]:
    """Read both pipes to their ends."""
    deadline = time.monotonic() + timeout_s
    chunks: dict[int, list[bytes]] = {out: [], err: []}
    poll = select.poll()
    for pipe in chunks:
        poll.register(pipe, select.POLLIN)
    open_pipes = len(chunks)
    size = 0
    while open_pipes:
        left_s = deadline - time.monotonic()
        if left_s <= 0:
            raise LimitExceeded(f"no end after {timeout_s:g} s")
        for pipe, _ in poll.poll(left_s * 1000):
            chunk = os.read(pipe, 1 << 16)
            if not chunk:
                poll.unregister(pipe)
                open_pipes -= 1
            chunks[pipe].append(chunk)
            size += len(chunk)
            if size > OUTPUT_BYTES_MAX:
                raise LimitExceeded(f"more than {OUTPUT_BYTES_MAX >> 20} MiB of output")
    return b"".join(chunks[out]), b"".join(chunks[err])


def _run_portable(
    argv: Sequence[str], environment: Mapping[str, str], timeout_s: float, given: str = os.devnull, folder: str = ""
) -> Finished:
    import subprocess

    try:
        with open(given, "rb") as stdin:  # noqa: PTH123
            done = subprocess.run(
                argv,
                env=dict(environment),
                stdin=stdin,
                capture_output=True,
                timeout=timeout_s,
                check=False,
                cwd=folder or None,
            )
    except subprocess.TimeoutExpired as error:
        raise LimitExceeded(f"no end after {timeout_s:g} s") from error
    return Finished(done.returncode, done.stdout, done.stderr)
