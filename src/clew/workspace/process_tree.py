"""Processes with all that they started: found again, and ended, by whoever started them or after his death.

A process that is to be found whole gets a group of its own and a word in its environment (`MARK`), which what it starts
inherits. Linux shows both in `/proc` (proc(5)); elsewhere `ps` shows groups and parents alone.

Run as a program (`watch`), it stays beside such a process, and ends it all when the one who started it is gone. It
imports nothing but the standard library: it is started by its path.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Final, NamedTuple

MARK: Final = "CLEW_JOB"
_PROC: Final = "/proc"
_PS: Final = ("/bin/ps", "/usr/bin/ps")
_ROUNDS: Final = 20
_DONE: Final = b"done\n"


class _Seen(NamedTuple):
    pid: int
    parent: int
    group: int
    session: int
    ended: bool


def started(pid: int) -> str:
    """When a process was started, as a word that no other process with its number ever has; "" for none there is."""
    if os.path.isdir(f"{_PROC}/self"):  # noqa: PTH112 - started by its path, without pathlib
        fields = _stat(pid)
        # The count of ticks since the machine was started, and which start that was.
        return f"{fields[19]}@{_start_of_machine()}" if len(fields) > 19 and fields[0] not in ("Z", "X") else ""
    state, _, when = " ".join(_ps("-o", "stat=,lstart=", "-p", str(pid)).split()).partition(" ")
    return "" if state.startswith("Z") else when


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
            [sys.executable, "-I", "-S", __file__, str(pid), when, mark],
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
    if not os.path.isdir(f"{_PROC}/self"):  # noqa: PTH112
        for line in _ps("-A", "-o", "pid=,ppid=,pgid=,stat=").split("\n"):
            words = line.split()
            if len(words) >= 4 and all(word.isdigit() for word in words[:3]):
                yield _Seen(int(words[0]), int(words[1]), int(words[2]), 0, words[3].startswith("Z"))
        return
    for name in os.listdir(_PROC):  # noqa: PTH208
        if name.isdigit() and len(fields := _stat(int(name))) > 3:
            yield _Seen(int(name), int(fields[1]), int(fields[2]), int(fields[3]), fields[0] in ("Z", "X"))


def _stat(pid: int) -> list[str]:
    """State, parent, group, session and so on: what stands behind the name, which may hold anything."""
    return _text(f"{_PROC}/{pid}/stat").rpartition(")")[2].split()


def _has_mark(pid: int, mark: str) -> bool:
    return f"{MARK}={mark}" in _text(f"{_PROC}/{pid}/environ").split("\0")


def _start_of_machine() -> str:
    return _text(f"{_PROC}/sys/kernel/random/boot_id").strip()[:8]


def _above(pid: int, parents: dict[int, int]) -> Iterator[int]:
    while pid > 0:
        yield pid
        pid = parents.get(pid, 0)


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123
            return file.read()
    except OSError:
        return ""


def _ps(*arguments: str) -> str:
    import subprocess  # here: as above

    program = next((path for path in _PS if os.access(path, os.X_OK)), "")
    if not program:
        return ""
    done = subprocess.run([program, *arguments], capture_output=True, check=False, env={"LC_ALL": "C"})
    return done.stdout.decode("utf-8", "replace")


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
