"""The one writer of files: what is written is there as it was or as it is meant to be, never in between, and by one at
a time; and nothing in a project is written, made or deleted through a link that leads out of it.

A link comes with a clone, or was put there by whoever works in it; behind it lies what is none of clew's.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

# How files end that are being written; one that stays was left by a process that was killed.
PART: Final = ".part"
_WAIT_S: Final = 5
_PAUSE_S: Final = 0.01
# What the top folder of a project has in it; and what every folder of git's own has.
_TOP_NAMES: Final = (".git", ".clew")
_GIT_NAMES: Final = ("HEAD", "objects")


def check_way(path: Path) -> None:
    """Raise OSError (ELOOP) where a link on the way to `path`, or at it, leads out of the project, or out
    of the folder of git's own, that the link lies in. Links of the user's own elsewhere are followed.
    """
    path = path.absolute()
    if os.path.realpath(path) == os.fspath(path):
        return
    for place in (path, *path.parents):
        top = _top_of(place) if place.is_symlink() and place.name != ".git" else None
        if top is not None and not Path(os.path.realpath(place)).is_relative_to(os.path.realpath(top)):
            raise OSError(errno.ELOOP, f"the link {place} leads out of {top}", os.fspath(path))


def _top_of(place: Path) -> Path | None:
    for folder in place.parents:
        if any(os.path.lexists(folder / name) for name in _TOP_NAMES):
            return folder
        if all((folder / name).exists() for name in _GIT_NAMES):
            return folder
    return None


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """While this lasts nobody else is in here for a file of the same folder: who reads `path`, then replaces it, loses
    no change of another process. The folder is made if it is missing; no file is left behind, and a process that is
    killed lets go.

    Raises OSError where the folder cannot be made or opened, or somebody stays in for more than 5 seconds. Where a
    system has no locks (Windows, some network file systems) nobody waits for anybody.
    """
    private_folder(path.parent)
    try:
        import fcntl
    except ImportError:
        yield
        return
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        end = time.monotonic() + _WAIT_S
        while True:
            try:
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > end:
                    why = "another process has been at it for 5 seconds"
                    raise OSError(errno.EBUSY, why, os.fspath(path.parent)) from None
                time.sleep(_PAUSE_S)
            except OSError:
                break
        yield
    finally:
        os.close(folder)


def private_folder(folder: Path) -> None:
    """Make `folder`, and those above it that are missing, for their owner alone. Raises OSError.

    `Path.mkdir` gives its mode to the last one only: the others would be as the process's umask says.
    """
    make_folder(folder, mode=0o700)


def make_folder(folder: Path, *, mode: int = 0o777) -> None:
    """As `private_folder`, with other rights (the process's umask is taken off them)."""
    check_way(folder)
    _make(folder, mode)


def _make(folder: Path, mode: int) -> None:
    try:
        folder.mkdir(mode=mode)
    except FileNotFoundError:
        _make(folder.parent, mode)
        folder.mkdir(mode=mode, exist_ok=True)
    except FileExistsError:
        if not folder.is_dir():
            raise


def replace(path: Path, data: bytes, *, mode: int, durable: bool = True) -> None:
    """Put `data` in place of the file `path`; missing folders are made for their owner alone.

    `mode` are the rights of a file that was not there; one that was keeps its own. A crash leaves the old file or the
    new one; where that need not hold for the machine's power (`durable`), nobody waits for the disk. Raises OSError;
    then the old one is there.
    """
    private_folder(path.parent)
    with suppress(FileNotFoundError):
        mode = path.stat().st_mode & 0o777
    part = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}{PART}")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    try:
        try:
            _write(descriptor, data)
            if hasattr(os, "fchmod"):
                os.fchmod(descriptor, mode)
            if durable:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
        part.replace(path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise
    if not durable:
        return
    with suppress(OSError):  # no such thing on Windows
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def write_blocks(path: Path, blocks: Iterable[bytes], *, force: bool) -> None:
    """Put `blocks` into the file `path`, for its owner alone, whole or not at all; one that is there stays without
    `force` (`FileExistsError`). Raises OSError.
    """
    check_way(path)
    part = path.with_name(f".{path.name}.{os.getpid()}{PART}")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.writelines(blocks)
            file.flush()
            os.fsync(file.fileno())
        if force:
            part.replace(path)
        else:
            os.link(part, path)
    finally:
        with suppress(OSError):
            part.unlink()


def delete(path: Path) -> None:
    """Delete a file, if it is there; of a link the link itself. Raises OSError."""
    check_way(path.parent)
    path.unlink(missing_ok=True)


def delete_tree(folder: Path) -> None:
    """Delete a folder with all that is in it, if it is there; no link is followed. Raises OSError."""
    import shutil  # here: hooks write, and hardly ever delete a folder

    check_way(folder)
    if os.path.lexists(folder):
        shutil.rmtree(folder)


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
