"""A session file that its client compressed with Zstandard: the same bytes as the file had before, as a stream.

It is imported where such a file is met. Places in it are those of the file as it was, so what was read of a session
before the client compressed it stays read.
"""

from __future__ import annotations

import errno
import sys
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_HEADER_BYTES: Final = 64
_BLOCK_BYTES: Final = 1 << 20


class _Packed(zstd.ZstdFile):
    """Raises `OSError` for what is damaged or cut off, as a file does that cannot be read."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "rb")
        self._path = path

    def read(self, size: int | None = -1) -> bytes:
        return self._told("read", size)  # type: ignore[no-any-return]

    def readline(self, size: int | None = -1) -> bytes:
        return self._told("readline", size)  # type: ignore[no-any-return]

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._told("seek", offset, whence)  # type: ignore[no-any-return]

    def __next__(self) -> bytes:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def _told(self, method: str, *values: Any) -> Any:
        try:
            return getattr(super(), method)(*values)
        except (zstd.ZstdError, EOFError) as error:
            raise OSError(errno.EIO, f"it is damaged as a compressed file: {error}", str(self._path)) from None


def open_packed(path: Path) -> BinaryIO:
    """The bytes that were compressed, seekable; going back reads from the beginning again. Raises `OSError`."""
    return cast("BinaryIO", _Packed(path))


def packed_size(path: Path, *, quick: bool = False) -> int:
    """How many bytes were compressed. Where the file does not say it they are counted; `quick`: the size on the disk is
    told instead. Raises `OSError`.
    """
    with path.open("rb") as file:
        head = file.read(_HEADER_BYTES)
    try:
        told = zstd.get_frame_info(head).decompressed_size
    except zstd.ZstdError:
        told = None
    if told is not None or quick:
        return path.stat().st_size if told is None else told
    with open_packed(path) as file:
        return sum(map(len, iter(lambda: file.read(_BLOCK_BYTES), b"")))
