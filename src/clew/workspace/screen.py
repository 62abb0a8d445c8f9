"""The first look at many files: which of them do the saved stats not vouch for? Opens no file and starts nothing.

It imports only `os` (already loaded at start-up), so that a check before every prompt costs little more than the
system calls: `typing` and `pathlib` together cost as much as the look at 5,000 files.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # the name that type checkers know, without importing `typing` for it
if TYPE_CHECKING:
    from collections.abc import Iterable

# A file changed again within one tick of its file system's clock keeps its time. FAT has ticks of two seconds, and
# a session's own clock (a transcript's times) may differ from the file system's by some more.
RACY_NS = 2_000_000_000
_NEVER = float("-inf")
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)  # without it, so on Windows, no folder can be opened


def suspects(
    root: str, paths: Iterable[str], stats: Iterable[tuple[int, int, int] | None], seen_ns: Iterable[int | None]
) -> list[int]:
    """Positions of the files, in order, that need a closer look. All others are unchanged.

    The three series run in step: a path relative to `root`, its saved size, time in nanoseconds and inode (None:
    none saved), and when they were saved in nanoseconds since 1970 (None: unknown). Git's rule for its index holds:
    a file that was changed at about the time it was looked at, or later than that (its clock was ahead, or went back
    since), may have been changed again without a trace. Folders are not resolved: no file is opened, and an equal
    inode says that it is the file that was seen. Where the root cannot be opened, every file needs a closer look.
    """
    series = enumerate(zip(paths, stats, seen_ns, strict=True))
    try:
        # The kernel walks from here, not from "/" for every file.
        folder = os.open(root, _FOLDER)
    except (OSError, ValueError):
        return [position for position, _ in series]
    lstat = os.lstat
    found = []
    last, trusted_ns = None, _NEVER
    try:
        for position, (path, saved, moment) in series:
            if moment is not last:  # thousands of files share a few
                last, trusted_ns = moment, _NEVER if moment is None else moment - RACY_NS
            try:
                if saved is not None and saved[1] < trusted_ns and ".." not in path:
                    now = lstat(path, dir_fd=folder)
                    if (now.st_size, now.st_mtime_ns, now.st_ino) == saved and path[0] != "/":
                        continue
            except (OSError, ValueError):
                pass
            found.append(position)
    finally:
        os.close(folder)
    return found
