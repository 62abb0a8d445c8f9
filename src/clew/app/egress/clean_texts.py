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
_VERSION: Final = 2
# `personal`: no secret, but personal data is in it, which is told each time.
_SCHEMA: Final = "CREATE TABLE IF NOT EXISTS clean (text BLOB PRIMARY KEY, personal INTEGER NOT NULL) WITHOUT ROWID"

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

    def unknown(self, texts: Iterable[tuple[str, str]]) -> list[tuple[str, str, bool]]:
        """Those of `texts` (what each is called, the text) that have to be looked at, in their order: not remembered,
        or (True) only for the personal data in them.
        """
        wanted = [(self._named(text), where, text) for where, text in texts]

        def missing(db: apsw.Connection) -> list[tuple[str, str, bool]]:
            known = "SELECT personal FROM clean WHERE text = ?"
            rows = ((db.execute(known, (name,)).fetchone(), where, text) for name, where, text in wanted)
            return [(where, text, row is not None) for row, where, text in rows if row is None or row[0]]

        return self._with(missing, [(where, text, False) for _, where, text in wanted])

    def keep(self, texts: Iterable[tuple[str, bool]]) -> None:
        """Remember these: no secret was found in them; with each whether personal data was."""
        names = [(self._named(text), is_personal) for text, is_personal in texts]

        def keep_all(db: apsw.Connection) -> None:
            with db:
                if db.execute("SELECT count(*) > ? FROM clean", (_ROWS_MAX,)).fetchall()[0][0]:
                    db.execute("DELETE FROM clean")
                db.executemany("INSERT OR REPLACE INTO clean VALUES (?, ?)", names)

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
