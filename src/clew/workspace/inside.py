"""Reading what a repository brought along: regular files inside of it, and no larger than a limit."""

import os
from pathlib import Path
from typing import NamedTuple

from clew.workspace.disk import Disk
from clew.workspace.fingerprint import UnfitFile, content_of


class FileLook(NamedTuple):
    """What was found at a path. `data` is None where nothing was read; `problem` is then a clause that says why, or ""
    if there is no such file."""

    data: bytes | None
    problem: str


def read(disk: Disk, path: str, *, limit_bytes: int) -> FileLook:
    """The file at the clean relative `path` under the disk's root.

    No link is followed that leads out of the root, nor one in place of the file itself.
    """
    place = disk.locate(path)
    if place is None:
        return FileLook(None, "it is outside the project")
    try:
        return FileLook(content_of(place, limit_bytes=limit_bytes), "")
    except (FileNotFoundError, NotADirectoryError):
        return FileLook(None, "")
    except UnfitFile as error:
        return FileLook(None, error.strerror)
    except (OSError, ValueError) as error:
        return FileLook(None, f"it cannot be read ({getattr(error, 'strerror', None) or 'no path'})")


def names(disk: Disk, folder: str, *, ending: str, deep: bool, limit: int) -> list[str]:
    """Relative paths of the entries of `folder` whose names end so, sorted; with `deep`, of its folders as well.

    At most `limit` of them. Folders that are links are not entered; hidden entries are passed over.
    """
    found: list[str] = []
    waiting = [folder]
    while waiting and len(found) < limit:
        inside = waiting.pop()
        place = disk.locate(f"{inside}/{ending}")  # for the folder alone: what stands last is not resolved
        if place is None:
            continue
        try:
            with os.scandir(Path(place).parent) as entries:
                rows = sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries)
        except OSError:
            continue
        for name, is_folder in rows:
            if name.startswith("."):
                continue
            if is_folder and deep:
                waiting.append(f"{inside}/{name}")
            elif not is_folder and name.endswith(ending):
                found.append(f"{inside}/{name}")
    return sorted(found)[:limit]
