"""Other processes of this user: whether one still is who it was, and how it is ended with all that it started.

A process is told from a later one of the same number by when it was started, in the system's own words: the boot and the
ticks since then from `/proc` (proc(5)), elsewhere what `ps -o lstart` says.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

_PROC: Final = Path("/proc")
# No search along PATH: the project may have put a `ps` there.
_PS: Final = ("/bin/ps", "/usr/bin/ps")
_PS_SECONDS: Final = 5.0
_GRACE_S: Final = 2.0
_ENVIRONMENT_BYTES_MAX: Final = 1 << 20


def started_at(pid: int) -> str:
    """When the process was started; "" where there is none, or where it only waits to be reaped."""
    if (_PROC / "self" / "stat").exists():
        fields = _stat(pid)
        return f"{_boot()}-{fields[19]}" if len(fields) > 19 and fields[0] not in "ZX" else ""
    return _ps("-o", "lstart=", "-p", str(pid)).strip()


@cache
def _boot() -> str:
    """Which boot of the machine it is: numbers and ticks begin anew with each."""
    try:
        return (_PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()[:8]
    except (OSError, ValueError):
        return ""


def _stat(pid: int) -> list[str]:
    """What the system says of a process behind its name: state, parent, group …; [] where there is none."""
    try:
        text = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return text.rpartition(")")[2].split()


def is_alive(pid: int, started: str) -> bool:
    """Whether the process that was started then under this number still runs."""
    return pid > 0 and bool(started) and started_at(pid) == started


def end_all(group: int, started: str, mark: str) -> int:
    """End what is left of a client: the processes of the group that its first process led, which was started then, and
    those whose environment holds `mark` (`NAME=VALUE`), in whatever group they are. How many were met.

    They are asked first, and killed after two seconds. A group whose number was given to somebody else is left alone.
    """
    met: set[int] = set()
    for sign, patience_s in ((signal.SIGTERM, _GRACE_S), (signal.SIGKILL, _GRACE_S)):
        limit = time.monotonic() + patience_s
        left = _left(group, started, mark)
        met.update(left)
        for pid in left:
            with suppress(OSError):
                os.kill(pid, sign)
        while left and time.monotonic() < limit:
            time.sleep(0.02)
            left = _left(group, started, mark)
        if not left:
            break
    return len(met)


def _left(group: int, started: str, mark: str) -> list[int]:
    """The processes that are to be ended, never this one."""
    leader = started_at(group) if group > 0 else ""
    is_others = bool(leader) and leader != started
    found = set() if is_others or group <= 0 else set(_of_group(group))
    found |= set(_marked(mark)) if mark else set()
    return sorted(found - {os.getpid()})


def _of_group(group: int) -> Iterable[int]:
    if (_PROC / "self" / "stat").exists():
        for pid in _pids():
            fields = _stat(pid)
            if len(fields) > 2 and fields[0] not in "ZX" and fields[2] == str(group):
                yield pid
        return
    for row in _ps("-A", "-o", "pid=,pgid=,stat=").splitlines():
        pid_text, group_text, status = [*row.split(), "", "", ""][:3]
        if group_text == str(group) and not status.startswith("Z"):
            yield int(pid_text)


def _marked(mark: str) -> Iterable[int]:
    """Where the system shows environments of other processes (Linux) those with the mark."""
    wanted = mark.encode()
    for pid in _pids():
        with suppress(OSError), (_PROC / str(pid) / "environ").open("rb") as file:
            if wanted in file.read(_ENVIRONMENT_BYTES_MAX).split(b"\0"):
                yield pid


def _pids() -> list[int]:
    try:
        return [int(one.name) for one in _PROC.iterdir() if one.name.isdecimal()]
    except OSError:
        return []


def _ps(*arguments: str) -> str:
    program = next((one for one in _PS if os.access(one, os.X_OK)), "")
    if not program:
        return ""
    try:
        done = subprocess.run(
            [program, *arguments], capture_output=True, text=True, timeout=_PS_SECONDS, check=False, env={"LC_ALL": "C"}
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout
