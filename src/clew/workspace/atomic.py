"""Writing a file so that it is there as it was or as it is meant to be, never in between."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def replace(path: Path, data: bytes, *, mode: int) -> None:
    """Put `data` in place of the file `path`; missing folders are made for their owner alone.

    `mode` are the rights of a file that was not there; one that was keeps its own. A crash leaves the old file or the
    new one. Raises OSError; then the old one is there.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(FileNotFoundError):
        mode = path.stat().st_mode & 0o777
    part = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}.part")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    try:
        try:
            _write(descriptor, data)
            if hasattr(os, "fchmod"):
                os.fchmod(descriptor, mode)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        part.replace(path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise
    with suppress(OSError):  # no such thing on Windows
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
