"""Passed over: session files that hold nothing for a project, remembered so that they are not looked into each time.

One small file in the folder of the caches, with hashes for names. It can be deleted at any time.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Final

import msgspec

from clew.clients.port import Transcript
from clew.workspace.atomic import replace

FILE_NAME: Final = "passed-over.json"
_HASH_BYTES: Final = 12


class PassedOver:
    """What was looked into in vain, at its size then. `stamp` is what that depended on beside the file itself.

    `key` hides the names. Never raises: what cannot be read or kept is looked into again.
    """

    def __init__(self, folder: Path, *, stamp: str, key: bytes) -> None:
        self._place = folder / FILE_NAME
        self._stamp = stamp
        self._key = key[:64]
        self._sizes: dict[str, int] = {}
        self._is_new = False
        with suppress(OSError, ValueError, RecursionError):
            found, sizes = msgspec.json.decode(self._place.read_bytes(), type=tuple[str, dict[str, int]])
            self._sizes = sizes if found == stamp else {}

    def __contains__(self, item: Transcript) -> bool:
        """Whether the file was passed over and has not changed its size since."""
        return self._sizes.get(self._name(item)) == item.size

    def add(self, item: Transcript) -> None:
        """Pass over a file that was looked into, until it has another size."""
        self._sizes[self._name(item)] = item.size
        self._is_new = True

    def keep(self, files: Iterable[Transcript]) -> None:
        """Write down what is new. `files` are those that there are: the others are forgotten."""
        if not self._is_new:
            return
        names = {self._name(item) for item in files}
        kept = {name: size for name, size in self._sizes.items() if name in names}
        with suppress(OSError):
            replace(self._place, msgspec.json.encode((self._stamp, kept)), mode=0o600)
            self._is_new = False

    def _name(self, item: Transcript) -> str:
        path = str(item.path).encode("utf-8", "surrogateescape")
        return blake2b(path, key=self._key, digest_size=_HASH_BYTES).hexdigest()
