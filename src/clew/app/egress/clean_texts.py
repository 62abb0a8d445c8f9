"""Texts in which nothing was found, remembered in the user's cache: what did not change is not scanned again."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Final

from clew import secrets
from clew.app.project.cache_database import DigestNumbers

CACHE_NAME: Final = "clean.db"


class CleanTexts:
    """The texts that `engine` (a name with its version, as `Scanned.engine`) and our rules, as they are now, found
    clean. A text stands in the cache as a digest under the ledger's `key`, so that nobody who cannot read the ledger
    can add one, or test a guess. Where the cache in `folder` cannot be used nothing is remembered.
    """

    def __init__(self, folder: Path, key: bytes, engine: str) -> None:
        self._cache = DigestNumbers(folder / CACHE_NAME)
        about = blake2b(_rules() + engine.encode(), digest_size=16).digest()
        self._digest = blake2b(about, key=key, digest_size=16, person=b"clew-clean-texts")

    def unknown(self, texts: Iterable[tuple[str, str]]) -> list[tuple[str, str, bool]]:
        """Those of `texts` (what each is called, the text) that have to be looked at, in their order: not remembered,
        or (True) only for the personal data in them.
        """
        wanted = [(self._named(text), where, text) for where, text in texts]
        known = self._cache.known(name for name, _, _ in wanted)
        return [(where, text, name in known) for name, where, text in wanted if known.get(name, True)]

    def keep(self, texts: Iterable[tuple[str, bool]]) -> None:
        """Remember these: no secret was found in them; with each whether personal data was, which is told each time."""
        self._cache.keep({self._named(text): is_personal for text, is_personal in texts})

    def _named(self, text: str) -> bytes:
        digest = self._digest.copy()
        digest.update(text.encode("utf-8", "surrogatepass"))
        return digest.digest()


@cache
def _rules() -> bytes:
    """What stands for our rules: the code and the tables that find secrets."""
    files = sorted(one for one in Path(secrets.__file__).parent.iterdir() if one.suffix in (".py", ".json"))
    return blake2b(b"".join(one.read_bytes() for one in files), digest_size=16).digest()
