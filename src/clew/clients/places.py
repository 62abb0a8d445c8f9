"""Where session files lie: folders looked through, and the file behind a session's address. Reads no session."""

from __future__ import annotations

import os
from pathlib import Path


def file_of(path: Path) -> Path:
    """The file on disk that the session at the address `path` lies in."""
    return path.parent if path.parent.is_file() else path


def entries(folder: str | Path) -> list[os.DirEntry[str]]:
    """What lies in a folder, in no order; nothing in one that cannot be looked into."""
    try:
        with os.scandir(folder) as found:
            return list(found)
    except OSError:
        return []


def facts(path: Path) -> os.stat_result:
    """What the file system says of the file that the session at the address `path` lies in. Raises `OSError`."""
    try:
        return path.stat()
    except NotADirectoryError:
        return path.parent.stat()
