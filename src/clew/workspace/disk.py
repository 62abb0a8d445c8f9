"""Places in a work tree: from a path that a transcript names to a file that may be opened, or to a refusal."""

from __future__ import annotations

import os
from pathlib import Path


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
