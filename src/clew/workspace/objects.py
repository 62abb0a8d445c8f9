"""Contents kept by what they are: compressed files named by the SHA-256 of what is in them."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from clew.workspace.atomic import PART, delete, private_folder

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_BLOCK_BYTES: Final = 1 << 20


class DamagedObject(Exception):
    """An object is not what its name says."""


class Objects:
    """The objects in `folder`, which is made when something is kept. For their owner alone."""

    def __init__(self, folder: Path, *, level: int) -> None:
        """`level` is zstd's, for what is kept from now on."""
        self._folder = folder
        self._level = level

    def keep(self, pieces: Iterable[bytes]) -> tuple[str, int, int]:
        """Put pieces into one object: its digest, its bytes, and those on the disk. Raises `OSError`."""
        private_folder(self._folder)
        part = self._folder / f".{os.getpid()}.{os.urandom(4).hex()}{PART}"
        digest, size = hashlib.sha256(), 0
        try:
            descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as file, zstd.open(file, "wb", level=self._level) as packed:
                for piece in pieces:
                    packed.write(piece)
                    digest.update(piece)
                    size += len(piece)
            target = self.path(digest.hexdigest())
            private_folder(target.parent)
            part.replace(target)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        return digest.hexdigest(), size, target.stat().st_size

    def content(self, digest: str) -> Iterator[bytes]:
        """What an object holds, in blocks. Raises `FileNotFoundError`, and `DamagedObject` behind the last one."""
        found = hashlib.sha256()
        try:
            with zstd.open(self.path(digest), "rb") as packed:
                while block := packed.read(_BLOCK_BYTES):
                    found.update(block)
                    yield block
        except (zstd.ZstdError, EOFError) as error:
            raise DamagedObject(digest) from error
        if found.hexdigest() != digest:
            raise DamagedObject(digest)

    def drop(self, digest: str) -> None:
        """Let go of an object, if it is there. Raises `OSError`."""
        delete(self.path(digest))

    def path(self, digest: str) -> Path:
        """The file of an object, there or not."""
        return self._folder / digest[:2] / f"{digest}.zst"

    def digests(self) -> Iterator[str]:
        """All that is kept."""
        return (path.name.removesuffix(".zst") for path in self._folder.glob("??/*.zst"))
