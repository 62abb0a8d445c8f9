"""Processes with all that they started: found again, and ended, by whoever started them or after his death.

A process that is to be found whole gets a group of its own and a word in its environment (`process.MARK`), which what
it starts inherits.

Run as a program (`watch`), it stays beside such a process, and ends it all when the one who started it is gone. It
imports nothing of clew's: it is started by its path.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

import psutil

# As in `workspace/process.py`, which a program that is started by its path cannot import.
_MARK: Final = "CLEW_JOB"
_BOOT: Final = Path("/proc/sys/kernel/random/boot_id")
_ROUNDS: Final = 20
_DONE: Final = b"done\n"
_ENDED: Final = (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)


class _Seen(NamedTuple):
    pid: int
    parent: int
    group: int
    session: int
    ended: bool


def started(pid: int) -> str:
    """When a process was started, as a word that no other process with its number ever has; "" for none there is."""
    try:
        process = psutil.Process(pid)
        if process.status() in _ENDED:
            return ""
        if _BOOT.exists():
            # The ticks since the machine was started, and which start that was: a clock that is set changes neither.
            fields = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
            return f"{fields[19]}@{_BOOT.read_text('ascii')[:8]}"
        return str(process.create_time())
    except (psutil.Error, OSError):
        return ""


def members(pid: int, mark: str) -> set[int]:
    """What runs of the process `pid`, which leads a group, and of all that it started: as far as it is of its group, a
    child of a child, or has the `mark` ("" none). Without this process and what it descends from.
    """
    seen = list(_all())
    parents = {one.pid: one.parent for one in seen}
    running = {one.pid for one in seen if not one.ended}
    found = {one.pid for one in seen if one.pid == pid or pid in (one.group, one.session)}
    found |= {one for one in running if mark and _has_mark(one, mark)}
    grew = True
    while grew:
        more = {child for child, parent in parents.items() if parent in found} - found
        found |= more
        grew = bool(more)
    return (found & running) - set(_above(os.getpid(), parents))


def end(pid: int, mark: str, *, grace_s: float = 5.0) -> bool:
    """End a process with all that it started: asked once (SIGTERM), after `grace_s` killed. Whether nothing is left.

    The process itself may have to be waited for by who started it; one that only waits for that is ended.
    """
    limit = time.monotonic() + grace_s
    known = _words(members(pid, mark))
    _signal(known, signal.SIGTERM)
    while (left := _left(pid, mark, known)) and time.monotonic() < limit:
        time.sleep(0.05)
    for _ in range(_ROUNDS):
        if not left:
            return True
        _signal(left, signal.SIGKILL)
        time.sleep(0.05)
        left = _left(pid, mark, known)
    return not left


def _left(pid: int, mark: str, known: dict[int, str]) -> set[int]:
    """What is there now, and of those that were there before: one whose parent is gone is no child of it any more."""
    known |= _words(members(pid, mark) - set(known))
    return {one for one, when in known.items() if when and started(one) == when}


def _words(pids: set[int]) -> dict[int, str]:
    return {pid: started(pid) for pid in pids}


def end_orphan(pid: int, when: str, mark: str, *, grace_s: float = 5.0) -> bool:
    """End what is left of a process that somebody else started, with the word `when` of `started`: its number may be
    another's by now. Whether nothing is left.
    """
    return end(pid if when and started(pid) == when else -1, mark, grace_s=grace_s)


class Watch:
    """Stays beside a process while this one lives; when this one is gone, however it ended, it ends the other."""

    def __init__(self, pid: int, when: str, mark: str) -> None:
        import subprocess  # here: hooks import this module's neighbours

        self._process = subprocess.Popen(
            [sys.executable, "-I", __file__, str(pid), when, mark],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=os.name == "posix",
        )

    def close(self) -> None:
        """Nothing is left to be ended."""
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.write(_DONE)
            self._process.stdin.close()
        self._process.wait()


def _all() -> Iterator[_Seen]:
    for process in psutil.process_iter(("ppid", "status")):
        group = session = 0
        with suppress(OSError, AttributeError):
            group, session = os.getpgid(process.pid), os.getsid(process.pid)
        yield _Seen(process.pid, process.info["ppid"] or 0, group, session, process.info["status"] in _ENDED)


def _has_mark(pid: int, mark: str) -> bool:
    try:
        return psutil.Process(pid).environ().get(_MARK) == mark
    except (psutil.Error, OSError):
        return False


def _above(pid: int, parents: dict[int, int]) -> Iterator[int]:
    while pid > 0:
        yield pid
        pid = parents.get(pid, 0)


def _signal(pids: Iterable[int], sign: signal.Signals) -> None:
    for pid in pids:
        with suppress(OSError):
            os.kill(pid, sign)


def _watch(pid: int, when: str, mark: str) -> None:
    """Until stdin ends. A word says that all is done; without one, who started us is gone."""
    if sys.stdin.buffer.read() != _DONE:
        end_orphan(pid, when, mark)


if __name__ == "__main__":
    _watch(int(sys.argv[1]), sys.argv[2], sys.argv[3])
