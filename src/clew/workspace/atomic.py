"""Writing a file so that it is there as it was or as it is meant to be, never in between, and by one at a time."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

# How files end that are being written; one that stays was left by a process that was killed.
PART: Final = ".part"
_WAIT_S: Final = 5
_PAUSE_S: Final = 0.01


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
                    raise OSError(errno.EBUSY, "another process has been at it for 5 seconds") from None
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
    try:
        folder.mkdir(mode=0o700)
    except FileNotFoundError:
        private_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
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


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
