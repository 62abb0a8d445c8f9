"""The ground: the folder of this disk that a session's files are compared with. Apart from the comparing, which a
session of another machine does not need.
"""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterable
from pathlib import Path

from clew.core.state.items import Origin
from clew.workspace.repository import find


def root_to_compare(folder: Path, origin: Origin, paths: Iterable[str]) -> Path | None:
    """The folder to compare with: the work tree that we are in, if it is the session's project, else the session's own.

    A session file brought here from another machine names a folder that does not exist; then the work tree at hand
    counts as the same project when it holds at least half of `paths`, the files that the session worked on. None if
    there is nothing to compare with.
    """
    here = find(folder)
    cwd = Path(origin.cwd) if origin.cwd else None
    if cwd is not None and _is(cwd, stat.S_ISDIR):
        there = find(cwd)
        if here and there and here.common_dir == there.common_dir:
            return here.top
        return there.top if there else cwd
    wanted = list(paths)
    top = here.top if here else folder
    present = sum(_is(top / path, stat.S_ISREG) for path in wanted)
    return top if wanted and present * 2 >= len(wanted) else None


def _is(place: Path, kind: Callable[[int], bool]) -> bool:
    """Whether there is a file of this kind. A record can name what no system takes for a path."""
    try:
        return kind(place.stat().st_mode)
    except (OSError, ValueError):
        return False
