"""What git ignores and a new work tree needs all the same: environment files, copied with ports of their own."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from clew.app.project.location import PROJECT_FOLDER
from clew.app.project.settings import PROJECT_FILE
from clew.workspace.disk import Disk
from clew.workspace.git import Git
from clew.workspace.inside import read

FILE_BYTES_MAX: Final = 1 << 20
# The project's settings and checks, and what tells git to leave them out.
_OURS: Final = (PROJECT_FILE, f"{PROJECT_FOLDER}/.gitignore")
_FILES_MAX: Final = 100
_LOOKED_MAX: Final = 10_000
PORT_MAX: Final = 65_535
_PORT: Final = re.compile(rb"(?m)^(\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)=)([\"']?)(\d{2,5})(\3[ \t]*(?:#.*)?\r?)$")


def wanted(git: Git, globs: Sequence[str]) -> dict[str, tuple[bytes, int]]:
    """The ignored files of a work tree that the globs name, by path, with content and rights; at most 100. What clew
    itself keeps in `.clew` for the whole project is among them.

    A glob without "/" is about the name of a file anywhere, one with "/" about the whole path. Links, and files over
    1 MiB, are left out.
    """
    disk = Disk(git.repository.top)
    found: dict[str, tuple[bytes, int]] = {}
    globs = (*_OURS, *globs)
    for path in _ignored(git, globs):
        if len(found) == _FILES_MAX:
            break
        if path not in found and any(
            fnmatchcase(path if "/" in glob else path.rpartition("/")[2], glob) for glob in globs
        ):
            data = read(disk, path, limit_bytes=FILE_BYTES_MAX).data
            if data is not None:
                found[path] = (data, stat.S_IMODE((git.repository.top / path).stat().st_mode))
    return found


def _ignored(git: Git, globs: Sequence[str]) -> Iterator[str]:
    """Ignored files; those in folders that are ignored whole only where a glob names such a folder."""
    top = git.repository.top
    looked = 0
    listed = sorted(git.ignored())
    # Named outright: no folder is gone through for it.
    yield from (glob for glob in globs if "/" in glob and any(f"{glob}/".startswith(f"{path}/") for path in listed))
    for path in listed:
        if not (top / path).is_dir() or (top / path).is_symlink():
            yield path
            continue
        if not any(
            fnmatchcase(path, "/".join(glob.split("/")[: path.count("/") + 1])) for glob in globs if "/" in glob
        ):
            continue
        for folder, folders, names in os.walk(top / path):
            folders[:] = [name for name in folders if not os.path.lexists(f"{folder}/{name}/.git")]
            looked += len(names)
            if looked > _LOOKED_MAX:
                return
            yield from (os.path.relpath(f"{folder}/{name}", top) for name in sorted(names))


def with_ports(path: str, data: bytes, names: Sequence[str], offset: int) -> bytes:
    """An environment file in which the ports of the variables that the globs `names` name are `offset` higher."""
    if not Path(path).name.startswith(".env"):
        return data

    def moved(found: re.Match[bytes]) -> bytes:
        port = int(found[4]) + offset
        name = found[2].decode("ascii")
        if port > PORT_MAX or not any(fnmatchcase(name, glob) for glob in names):
            return found[0]
        return b"%s%s%d%s" % (found[1], found[3], port, found[5])

    return _PORT.sub(moved, data)
