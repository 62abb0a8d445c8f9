"""By which way a command came: the processes above it, its terminal, its environment. Decides nothing.

What cannot be read is not there, and `core/state/authority.py` takes that for an agent's.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress

import psutil

from clew.core.state.authority import LOADING, Channel, Process, marks_in


def channel(environment: Mapping[str, str], above: int = 0) -> Channel:
    """What is seen of the channel of this process, whose environment is `environment`. Never raises. `above` is the
    process that called the one whose work this one goes on with; 0: this one was called.
    """
    processes, complete = _ancestors(above)
    return Channel(
        processes=processes,
        complete=complete,
        leader=os.getsid(0) if hasattr(os, "getsid") else 0,
        marks=marks_in(name for name, value in environment.items() if value),
        reads=_listens(0) != 0,
        writes=_listens(1) != 0 or _listens(2) != 0,
        in_front=hasattr(os, "getpgrp") and _listens(0) == os.getpgrp(),
        loads=tuple(sorted(name for name, value in environment.items() if value and name in LOADING)),
    )


def _ancestors(above: int) -> tuple[tuple[Process, ...], bool]:
    """This process and those above it, as far as they can be seen, and whether that is all of them."""
    found: list[Process] = []
    try:
        process: psutil.Process | None = psutil.Process()
        top = 0
        while process is not None:
            found.append(_read(process))
            top = above if above and len(found) == 1 else process.ppid()
            process = psutil.Process(above) if above and len(found) == 1 else process.parent()
    except psutil.Error:
        return tuple(found), False
    return tuple(found), top == 0


def _read(process: psutil.Process) -> Process:
    argv, terminal, names = [], None, []
    with suppress(psutil.Error, OSError):
        argv = process.cmdline()
    with suppress(psutil.Error, OSError, AttributeError):  # Windows has no terminals
        terminal = process.terminal()
    with suppress(psutil.Error, OSError):
        names = [name for name, value in process.environ().items() if value]
    return Process(
        pid=process.pid,
        name=process.name(),
        argv=tuple(argv),
        terminal=terminal or "",
        marks=marks_in(names),
        fed=bool(terminal) and _is_fed(process.pid, terminal or ""),
    )


def _is_fed(pid: int, terminal: str) -> bool:
    """Whether the stdin of a process is seen not to be its terminal. Linux alone shows it."""
    try:
        return os.readlink(f"/proc/{pid}/fd/0") not in {terminal, "/dev/tty"}  # noqa: PTH115
    except OSError:
        return False  # another user's, or closed


def _listens(descriptor: int) -> int:
    """The process group that an open file listens to if it is the controlling terminal, else 0."""
    try:
        return os.tcgetpgrp(descriptor)
    except (OSError, AttributeError):
        return 0
