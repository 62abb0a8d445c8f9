"""Where session files lie: folders looked through, and the file behind a session's address. Reads no session."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from typing import BinaryIO


# What a client that compresses old sessions adds to a file's name. The address stays that of the file before.
PACKED: Final = ".zst"


def file_of(path: Path) -> Path:
    """The file on disk that the session at the address `path` lies in."""
    if path.parent.is_file():
        return path.parent
    packed = path.with_name(path.name + PACKED)
    return packed if not path.exists() and packed.exists() else path


def opened(path: Path) -> BinaryIO:
    """The file of the session at the address `path`, as it was before a client compressed it. Raises `OSError`."""
    if path.suffix != PACKED:
        with suppress(OSError):  # a look first whether it is there would cost each file another call
            return path.open("rb")
    file = file_of(path)
    if file.suffix != PACKED:
        return file.open("rb")
    from clew.clients.packed import open_packed  # here: few have such a file

    return open_packed(file)


def size_of(path: Path) -> int:
    """How many bytes `opened` gives. Raises `OSError`."""
    file = file_of(path)
    if file.suffix != PACKED:
        return file.stat().st_size
    from clew.clients.packed import packed_size  # here: as above

    return packed_size(file)


def is_within(place: str, folder: str) -> bool:
    """Whether the folder `place` is `folder` or below it, by their names."""
    top = folder.rstrip("/\\") or folder
    below = top if top.endswith(("/", "\\")) else top + ("\\" if "\\" in top else "/")
    return place == top or place.startswith(below)


def entries(folder: str | Path) -> list[os.DirEntry[str]]:
    """What lies in a folder, in no order; nothing in one that cannot be looked into."""
    try:
        with os.scandir(folder) as found:
            return list(found)
    except OSError:
        return []


def facts(path: Path) -> os.stat_result:
    """What the file system says of the file that the session at the address `path` lies in. Raises `OSError`."""
    return file_of(path).stat()
