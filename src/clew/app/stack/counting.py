"""Counts that are remembered by content, in the user's cache: a file that did not change is not counted again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Final

from clew.app.project.cache_database import DigestNumbers
from clew.core.text.tokens import TokenCounter
from clew.sources.port import SourcePart

CACHE_NAME: Final = "tokens.db"
# A shorter text is counted faster than it is looked up.
_CHARS_MIN: Final = 1_000
# Raised with the estimator's numbers: what it said before holds no more.
_VERSION: Final = 1


class CachedCounter:
    """Counts as `counter` does, and remembers in the `folder` of the user's cache."""

    def __init__(self, counter: TokenCounter, folder: Path) -> None:
        self.count = counter.count
        self._name = counter.name
        self._cache = DigestNumbers(folder / CACHE_NAME)

    def measure(self, parts: Sequence[SourcePart], told: Callable[[SourcePart], str]) -> list[int]:
        """The tokens of the text as which each part is `told`."""
        names = [self._named(told(part)) for part in parts]
        known, new, found = self._cache.known(filter(None, names)), {}, []
        for part, name in zip(parts, names, strict=True):
            tokens = known.get(name)
            if tokens is None:
                tokens = self.count(told(part))
                if name:
                    new[name] = tokens
            found.append(tokens)
        self._cache.keep(new)
        return found

    def _named(self, text: str) -> bytes:
        if len(text) < _CHARS_MIN:
            return b""
        digest = blake2b(digest_size=16, person=self._name.encode()[:16], salt=bytes([_VERSION]))
        digest.update(text.encode("utf-8", "replace"))
        return digest.digest()
