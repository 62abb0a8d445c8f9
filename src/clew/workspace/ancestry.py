"""By which way a command came: the processes above it, its terminal, its environment. Decides nothing.

What cannot be read is not there, and `core/state/authority.py` takes that for an agent's.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress

import psutil

from clew.core.state.authority import LOADING, Agents, Channel, Process


def channel(environment: Mapping[str, str], agents: Agents, above: int = 0) -> Channel:
    """What is seen of the channel of this process, whose environment is `environment`; agents' clients are known by
    `agents`. Never raises. `above` is the process that called the one whose work this one goes on with; 0: this one
    was called.
    """
    processes, complete = _ancestors(agents.marks, above)
    return Channel(
        processes=processes,
        complete=complete,
        leader=os.getsid(0) if hasattr(os, "getsid") else 0,
        marks=_marks(environment, agents.marks),
        reads=_listens(0) != 0,
        writes=_listens(1) != 0 or _listens(2) != 0,
        in_front=hasattr(os, "getpgrp") and _listens(0) == os.getpgrp(),
        clients=agents.programs,
        loads=tuple(sorted(name for name, value in environment.items() if value and name in LOADING)),
    )


def _marks(environment: Mapping[str, str], known: frozenset[str]) -> tuple[str, ...]:
    """The marks of agents' clients in an environment; a variable that is empty is none."""
    return tuple(sorted(known.intersection(name for name, value in environment.items() if value)))


def _ancestors(marks: frozenset[str], above: int) -> tuple[tuple[Process, ...], bool]:
    """This process and those above it, as far as they can be seen, and whether that is all of them."""
    found: list[Process] = []
    try:
        process: psutil.Process | None = psutil.Process()
        top = 0
        while process is not None:
            found.append(_read(process, marks))
            top = above if above and len(found) == 1 else process.ppid()
            process = psutil.Process(above) if above and len(found) == 1 else process.parent()
    except psutil.Error:
        return tuple(found), False
    return tuple(found), top == 0


def _read(process: psutil.Process, known: frozenset[str]) -> Process:
    argv, terminal = [], None
    marks: tuple[str, ...] = ()
    with suppress(psutil.Error, OSError):
        argv = process.cmdline()
    with suppress(psutil.Error, OSError, AttributeError):  # Windows has no terminals
        terminal = process.terminal()
    with suppress(psutil.Error, OSError):
        marks = _marks(process.environ(), known)
    return Process(
        pid=process.pid,
        name=process.name(),
        argv=tuple(argv),
        terminal=terminal or "",
        marks=marks,
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
