"""Texts in which nothing was found, remembered in the user's cache: what did not change is not scanned again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Final, TypeVar

import apsw

from clew import secrets
from clew.app.project.cache_database import with_cache
from clew.core.errors import Unavailable

CACHE_NAME: Final = "clean.db"
_ROWS_MAX: Final = 300_000
_VERSION: Final = 1
_SCHEMA: Final = "CREATE TABLE IF NOT EXISTS clean (text BLOB PRIMARY KEY) WITHOUT ROWID"

T = TypeVar("T")


class CleanTexts:
    """The texts that `engine` (a name with its version, as `Scanned.engine`) and our rules, as they are now, found
    clean. A text stands in the cache as a digest under the ledger's `key`, so that nobody who cannot read the ledger
    can add one, or test a guess. Where the cache in `folder` cannot be used nothing is remembered.
    """

    def __init__(self, folder: Path, key: bytes, engine: str) -> None:
        self._path = folder / CACHE_NAME
        about = blake2b(_rules() + engine.encode(), digest_size=16).digest()
        self._digest = blake2b(about, key=key, digest_size=16, person=b"clew-clean-texts")

    def unknown(self, texts: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
        """Those of `texts` (what each is called, the text) that are not remembered, in their order."""
        wanted = [(self._named(text), (where, text)) for where, text in texts]

        def missing(db: apsw.Connection) -> list[tuple[str, str]]:
            known = "SELECT 1 FROM clean WHERE text = ?"
            return [one for name, one in wanted if db.execute(known, (name,)).fetchone() is None]

        return self._with(missing, [one for _, one in wanted])

    def keep(self, texts: Iterable[str]) -> None:
        """Remember these: nothing was found in them."""
        names = [(self._named(text),) for text in texts]

        def keep_all(db: apsw.Connection) -> None:
            with db:
                if db.execute("SELECT count(*) > ? FROM clean", (_ROWS_MAX,)).fetchall()[0][0]:
                    db.execute("DELETE FROM clean")
                db.executemany("INSERT OR IGNORE INTO clean VALUES (?)", names)

        if names:
            self._with(keep_all, None)

    def _with(self, use: Callable[[apsw.Connection], T], otherwise: T) -> T:
        try:
            return with_cache(self._path, _opened, use, code="E-stack-write")[0]
        except Unavailable:
            return otherwise

    def _named(self, text: str) -> bytes:
        digest = self._digest.copy()
        digest.update(text.encode("utf-8", "surrogatepass"))
        return digest.digest()


def _opened(path: Path) -> apsw.Connection:
    db = apsw.Connection(str(path))
    db.set_busy_timeout(2_000)
    if db.pragma("user_version") != _VERSION:
        db.execute(f"DROP TABLE IF EXISTS clean; {_SCHEMA}; PRAGMA user_version = {_VERSION}")
    db.pragma("synchronous", "off")  # it can be made again
    return db


@cache
def _rules() -> bytes:
    """What stands for our rules: the code and the tables that find secrets."""
    files = sorted(one for one in Path(secrets.__file__).parent.iterdir() if one.suffix in (".py", ".json"))
    return blake2b(b"".join(one.read_bytes() for one in files), digest_size=16).digest()
