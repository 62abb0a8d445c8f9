"""Which processes stand in a folder: their working folder, program, root or an open file lies inside of it.

Linux: `/proc` (proc(5)), no process started; what another user's processes do there cannot be seen. Elsewhere `lsof`,
where it is installed, tells their working folders. Windows refuses to move a folder that is in use by itself.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, NamedTuple

from clew.workspace.process import LimitExceeded, run

_PROC: Final = Path("/proc")
_LSOF: Final = ("/usr/sbin/lsof", "/usr/bin/lsof", "/bin/lsof")
_LSOF_S: Final = 10.0
_MOST: Final = 20


class Occupant(NamedTuple):
    """A process; `name` is the one that the system has for it."""

    pid: int
    name: str


def occupants(folder: Path, *, proc: Path = _PROC) -> tuple[Occupant, ...]:
    """The processes that stand in `folder`, by pid, 20 at most. Never raises."""
    top = os.path.realpath(folder)
    if (proc / "self" / "stat").exists():
        return tuple(_by_proc(top, proc))
    return tuple(_by_lsof(top))


def _by_proc(top: str, proc: Path) -> list[Occupant]:
    found = []
    for pid in sorted(int(name) for name in os.listdir(proc) if name.isdigit()):  # noqa: PTH208 - names alone
        if _stands_in(f"{proc}/{pid}", top):
            found.append(Occupant(pid, _name(f"{proc}/{pid}/comm")))
            if len(found) == _MOST:
                break
    return found


def _stands_in(process: str, top: str) -> bool:
    if any(_is_below(_link(f"{process}/{name}"), top) for name in ("cwd", "exe", "root")):
        return True
    try:
        files = os.listdir(f"{process}/fd")  # noqa: PTH208
    except OSError:  # it has ended, or is another user's
        return False
    return any(_is_below(_link(f"{process}/fd/{name}"), top) for name in files)


def _link(path: str) -> str:
    try:
        return os.readlink(path)  # noqa: PTH115 - what it names need not be there
    except OSError:
        return ""


def _is_below(path: str, top: str) -> bool:
    return path == top or path.startswith(top + os.sep)


def _name(path: str) -> str:
    try:
        return Path(path).read_text("utf-8", "replace").strip()
    except OSError:
        return ""


def _by_lsof(top: str) -> list[Occupant]:
    program = next((path for path in _LSOF if os.access(path, os.X_OK)), "")
    if os.name != "posix" or not program:
        return []
    try:
        done = run((program, "-n", "-P", "-d", "cwd", "-F", "pcn"), environment={"LC_ALL": "C"}, timeout_s=_LSOF_S)
    except (OSError, LimitExceeded):
        return []
    return _from_fields(os.fsdecode(done.out), top)


def _from_fields(out: str, top: str) -> list[Occupant]:
    """What `lsof -F pcn` writes: a line a field, `p` begins a process (lsof(8), "OUTPUT FOR OTHER PROGRAMS")."""
    found: dict[int, Occupant] = {}
    pid, name = 0, ""
    for line in out.split("\n"):
        sort, value = line[:1], line[1:]
        if sort == "p":
            pid, name = int(value) if value.isdigit() else 0, ""
        elif sort == "c":
            name = value
        elif sort == "n" and pid and _is_below(value, top):
            found[pid] = Occupant(pid, name)
    return [found[pid] for pid in sorted(found)][:_MOST]
