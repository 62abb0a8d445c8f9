"""Places in a work tree: from a path that a transcript names to a file that may be opened, or to a refusal."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from clew.workspace.fingerprint import UnfitFile, content_of


def clean(path: str) -> str | None:
    """`path` without "." and empty parts; None if it is absolute, climbs with ".." or is not a path at all."""
    if not path or "\0" in path or path[0] == "/" or (os.name == "nt" and Path(path).drive):
        return None
    fenced = f"/{path}/"
    if "//" not in fenced and "/./" not in fenced and "/../" not in fenced:
        return path
    parts = [part for part in path.split("/") if part not in {"", "."}]
    return None if not parts or ".." in parts else "/".join(parts)


class Disk:
    """One root folder. Nothing outside it is ever located, not even through a symbolic link."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self._folders: dict[str, str | None] = {"": str(self.root)}

    def locate(self, path: str) -> str | None:
        """The absolute path of the clean relative `path`, links among its folders resolved; None if that lies outside.

        The last part is not resolved: it may not exist, or be a link itself (see `follow`).
        """
        parent, _, name = path.rpartition("/")
        try:
            folder = self._folders[parent]
        except KeyError:
            folder = self._folders[parent] = self._resolve(str(self.root / parent))
        return None if folder is None else f"{folder}{os.sep}{name}"

    def follow(self, link: str) -> str | None:
        """Where the symbolic link at an absolute path ends, None outside the root."""
        return self._resolve(link)

    def _resolve(self, path: str) -> str | None:
        try:
            resolved = Path(path).resolve()
        except (OSError, RuntimeError, ValueError):  # a loop of links: RuntimeError before Python 3.13
            return None
        return str(resolved) if resolved.is_relative_to(self.root) else None


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
        return FileLook(None, str(error.strerror))
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
