"""Where a file went that is no longer at its path, found by its content. Git's rename detection comes first."""

import os
import stat
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from clew.core.records.files import Seen
from clew.workspace.disk import Disk
from clew.workspace.screen import RACY_NS

ENTRIES_MAX = 20_000
COMPARISONS_MAX = 500
# Two small files are easily equal by chance; under another name this much has to agree.
_BYTES_MIN_RENAMED = 64
_SKIPPED_FOLDERS = frozenset({".git", ".hg", ".svn", ".venv", "venv", "node_modules", "__pycache__", ".tox", ".cache"})


class GoneFile(NamedTuple):
    """A file that is missing from its clean path. `seen_ns`: when it was seen (None unknown).

    `copies`: clean paths at which its content is said to lie now.
    """

    path: str
    seen: Seen
    seen_ns: int | None
    copies: tuple[str, ...] = ()


class _File(NamedTuple):
    path: str
    name: str
    facts: os.stat_result


def find(
    gone: Sequence[GoneFile],
    disk: Disk,
    *,
    starts: Sequence[str],
    taken: frozenset[str],
    equal: Callable[[Seen, str], bool],
) -> dict[str, str]:
    """Old to new path of files whose very content one of their copies has, or a file below `starts`.

    Starts are clean paths; "" is the root.

    `taken` are paths that are known to hold something else. At most `ENTRIES_MAX` entries are listed and
    `COMPARISONS_MAX` files opened: who hides better than that is gone.
    """
    searched = [one for one in gone if _size(one.seen) != 0 and (one.seen.blob or one.seen.content is not None)]
    if not searched:
        return {}
    names = {one.path.rpartition("/")[2] for one in searched}
    sizes = {size for one in searched if (size := _size(one.seen)) is not None and size >= _BYTES_MIN_RENAMED}
    by_name: dict[str, list[_File]] = {}
    by_size: dict[int, list[_File]] = {}
    for file in _files(disk, starts):
        if file.path in taken:
            continue
        if file.name in names:
            by_name.setdefault(file.name, []).append(file)
        elif file.facts.st_size in sizes:
            by_size.setdefault(file.facts.st_size, []).append(file)
    found: dict[str, str] = {}
    left = COMPARISONS_MAX
    for one in searched:
        copies = [copy for path in one.copies if path not in taken and (copy := _file(disk, path, names))]
        for file in (*copies, *by_name.get(one.path.rpartition("/")[2], ()), *by_size.get(_size(one.seen) or 0, ())):
            place = disk.locate(file.path)
            if left <= 0 or place is None or file.facts.st_size == 0 or not _arrived(file.facts, one.seen_ns):
                continue
            left -= 1
            if equal(one.seen, place):
                found[one.path] = file.path
                break
    return found


def _file(disk: Disk, path: str, names: set[str]) -> _File | None:
    """The file at this path, None if there is none, or one under a new name that is too small to be told by content."""
    place = disk.locate(path)
    try:
        facts = os.lstat(place) if place else None
    except (OSError, ValueError):
        return None
    name = path.rpartition("/")[2]
    if facts is None or not stat.S_ISREG(facts.st_mode) or (facts.st_size < _BYTES_MIN_RENAMED and name not in names):
        return None
    return _File(path, name, facts)


def _size(seen: Seen) -> int | None:
    if seen.stat is not None:
        return seen.stat.size
    return None if seen.content is None else len(seen.content)


def _arrived(facts: os.stat_result, seen_ns: int | None) -> bool:
    """Whether a file may have come to its place after `seen_ns`: on POSIX a rename sets the time of status change.

    So a copy that lay there all the time is not taken for the moved file.
    """
    return os.name != "posix" or seen_ns is None or facts.st_ctime_ns + RACY_NS >= seen_ns


def _files(disk: Disk, starts: Sequence[str]) -> Iterator[_File]:
    """Regular files at or below the start paths, near ones first; links are not followed."""
    left = ENTRIES_MAX
    folders = deque(dict.fromkeys(starts))
    visited: set[str] = set()
    while folders and left > 0:
        folder = folders.popleft()
        if folder in visited:
            continue
        visited.add(folder)
        try:
            with os.scandir(disk.root / folder) as entries:
                for entry in entries:
                    left -= 1
                    if left <= 0:
                        break
                    path = f"{folder}/{entry.name}" if folder else entry.name
                    if entry.is_dir(follow_symlinks=False):
                        if entry.name not in _SKIPPED_FOLDERS:
                            folders.append(path)
                    elif entry.is_file(follow_symlinks=False):
                        yield _File(path, entry.name, entry.stat(follow_symlinks=False))
        except OSError:
            continue
