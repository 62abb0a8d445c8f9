"""Which processes stand in a folder: their working folder, program, root or an open file lies inside of it.

Linux: `/proc` (proc(5)), which shows every open file of a process, folders too; elsewhere what psutil sees. What
another user's processes do there cannot be seen. Windows refuses to move a folder that is in use by itself.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, NamedTuple

import psutil

_PROC: Final = Path("/proc")
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
    return tuple(_by_psutil(top))


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


def _by_psutil(top: str) -> list[Occupant]:
    """Working folders, programs and open files as far as the system shows them."""
    found = []
    for process in psutil.process_iter(("pid", "name", "cwd", "exe", "open_files")):
        seen = process.info
        places = (seen["cwd"] or "", seen["exe"] or "", *(file.path for file in seen["open_files"] or ()))
        if any(_is_below(place, top) for place in places):
            found.append(Occupant(seen["pid"], seen["name"] or ""))
    return sorted(found)[:_MOST]
