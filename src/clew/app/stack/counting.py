"""Counts that are remembered by content, in the user's cache: a file that did not change is not counted again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from hashlib import blake2b
from pathlib import Path
from typing import Final, TypeVar

import apsw

from clew.app.project.cache_database import with_cache
from clew.core.errors import Unavailable
from clew.core.text.tokens import TokenCounter

CACHE_NAME: Final = "tokens.db"
# A shorter text is counted faster than it is looked up.
_CHARS_MIN: Final = 1_000
_ROWS_MAX: Final = 300_000
# Raised with the estimator's numbers, too: what it said before holds no more.
_VERSION: Final = 1
_KNOWN: Final = "SELECT tokens FROM counts WHERE text = ?"
_SCHEMA: Final = "CREATE TABLE IF NOT EXISTS counts (text BLOB PRIMARY KEY, tokens INTEGER NOT NULL) WITHOUT ROWID"

T = TypeVar("T")


class CachedCounter:
    """Counts as `counter` does. Without a database nothing is remembered."""

    def __init__(self, counter: TokenCounter, db: apsw.Connection | None = None) -> None:
        self.name = counter.name
        self.count = counter.count
        self._db = db

    def close(self) -> None:
        """Let go of the database."""
        if self._db is not None:
            self._db.close()

    def measure(self, texts: Iterable[str]) -> list[int]:
        """The tokens of each text; they are taken one by one."""
        found: list[int] = []
        new = {}
        for text in texts:
            name = self._named(text)
            tokens = self._known(name) if name else -1
            if tokens < 0:
                tokens = self.count(text)
                if name:
                    new[name] = tokens
            found.append(tokens)
        self._remember(new)
        return found

    def _named(self, text: str) -> bytes:
        if self._db is None or len(text) < _CHARS_MIN:
            return b""
        return blake2b(text.encode("utf-8", "replace"), digest_size=16, person=self.name.encode()[:16]).digest()

    def _known(self, name: bytes) -> int:
        """What is remembered, -1 for nothing."""
        assert self._db is not None
        return next((int(tokens) for (tokens,) in self._db.execute(_KNOWN, (name,))), -1)

    def _remember(self, new: dict[bytes, int]) -> None:
        if not new or self._db is None:
            return
        with self._db:
            if self._db.execute("SELECT count(*) > ? FROM counts", (_ROWS_MAX,)).fetchall()[0][0]:
                self._db.execute("DELETE FROM counts")
            self._db.executemany("INSERT OR REPLACE INTO counts VALUES (?, ?)", list(new.items()))


def with_counts(counter: TokenCounter, folder: Path, use: Callable[[CachedCounter], T]) -> T:
    """What `use` makes of `counter` over the user's cache in `folder`; where that cannot be used, over none."""

    def opened(path: Path) -> CachedCounter:
        db = apsw.Connection(str(path))
        db.set_busy_timeout(2_000)
        if db.pragma("user_version") != _VERSION:
            db.execute(f"DROP TABLE IF EXISTS counts; {_SCHEMA}; PRAGMA user_version = {_VERSION}")
        db.pragma("synchronous", "off")  # it can be made again
        return CachedCounter(counter, db)

    try:
        return with_cache(folder / CACHE_NAME, opened, use, code="E-stack-write")[0]
    except Unavailable:
        return use(CachedCounter(counter))
