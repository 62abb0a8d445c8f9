"""A cache in a SQLite file of the user's: made where there is none, and again where its file is damaged."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final, Protocol, TypeVar

import apsw

from clew.core.errors import Unavailable
from clew.workspace.atomic import delete, private_folder

COMPANIONS: Final = ("-wal", "-shm")
_NEW: Final = ".new"
# What a file's bytes are not to blame for. All else that SQLite says of a cache is damage.
_WORLD: Final = (
    apsw.FullError, apsw.ReadOnlyError, apsw.PermissionsError, apsw.AuthError, apsw.BusyError, apsw.LockedError,
    apsw.ProtocolError, apsw.CantOpenError, apsw.IOError,
)  # fmt: skip
# What rows that a disk changed make of whoever reads them: texts that are none, numbers that name nothing.
_UNLIKE_WRITTEN: Final = (ValueError, TypeError, LookupError, AttributeError)


class Cache(Protocol):
    """What is opened over a file."""

    def close(self) -> None:
        """Let go of it."""


C = TypeVar("C", bound=Cache)
T = TypeVar("T")


def with_cache(
    path: Path, opened: Callable[[Path], C], use: Callable[[C], T], *, code: str
) -> tuple[T, tuple[str, ...]]:
    """What `use` makes of the cache that is `opened` over the file `path`, and notes for the person. Where the file is
    damaged `use` begins again with an empty one, which takes its place if that goes well: what goes wrong with both is
    no damage and is raised.

    Raises `Unavailable` with `code` where the system refuses: no room, no right, another process.
    """
    try:
        private_folder(path.parent)
        try:
            return _used(path, opened, use), ()
        except (apsw.Error, *_UNLIKE_WRITTEN) as error:
            if _is_refusal(error) or isinstance(error, UnicodeEncodeError):
                raise
        made = path.with_name(path.name + _NEW)
        _drop(made)
        try:
            found = _used(made, opened, use)
            _drop(path)
            made.replace(path)
        finally:
            _drop(made)
    except apsw.Error as error:
        raise _unavailable(path, str(error), code) from error
    except OSError as error:
        if str(error.filename or path).startswith(str(path.parent)):
            raise _unavailable(path, error.strerror or str(error), code) from error
        raise
    return found, (f"{path} was damaged, and was rebuilt from what clients have.",)


_VERSION: Final = 3
_ROWS_MAX: Final = 300_000


class DigestNumbers:
    """Numbers that are remembered by the digest of a text, in the file `path`. Where that cannot be used nothing is."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def known(self, digests: Iterable[bytes]) -> dict[bytes, int]:
        """Those that are remembered, with their numbers."""
        one = "SELECT number FROM numbers WHERE digest = ?"
        return self._with(lambda db: {name: int(row[0]) for name in digests for row in db.execute(one, (name,))}, {})

    def keep(self, numbers: Mapping[bytes, int]) -> None:
        """Remember these. When there are too many all others are forgotten."""

        def put(db: apsw.Connection) -> None:
            with db:
                if db.execute("SELECT count(*) > ? FROM numbers", (_ROWS_MAX,)).get:
                    db.execute("DELETE FROM numbers")
                db.executemany("INSERT OR REPLACE INTO numbers VALUES (?, ?)", list(numbers.items()))

        if numbers:
            self._with(put, None)

    def _with(self, use: Callable[[apsw.Connection], T], otherwise: T) -> T:
        try:
            return with_cache(self._path, _opened, use, code="E-stack-write")[0]
        except Unavailable:
            return otherwise


def _opened(path: Path) -> apsw.Connection:
    db = apsw.Connection(str(path))
    db.set_busy_timeout(2_000)
    if db.pragma("user_version") != _VERSION:
        for (name,) in list(db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")):
            db.execute(f'DROP TABLE "{name}"')
        db.execute("CREATE TABLE numbers (digest BLOB PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID")
        db.pragma("user_version", _VERSION)
    db.pragma("synchronous", "off")  # it can be made again
    return db


def drop(path: Path) -> bool:
    """Delete a cache, also one that was being made in its place; whether it was there. Raises `OSError`."""
    there = os.path.lexists(path)
    _drop(path)
    _drop(path.with_name(path.name + _NEW))
    return there


def _drop(path: Path) -> None:
    for one in (path, *(path.with_name(path.name + end) for end in COMPANIONS)):
        delete(one)


def damage(path: Path) -> str:
    """What SQLite finds wrong with the file of a cache, "" nothing, and where there is none."""
    if not path.is_file():
        return ""
    try:
        database = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            tables = [name for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
            said = [str(row[0]) for row in database.execute("PRAGMA integrity_check(1)")]
            for name in tables:
                for _ in database.execute(f'SELECT * FROM "{name}"'):
                    pass
        finally:
            database.close()
    except (apsw.Error, *_UNLIKE_WRITTEN) as error:
        return "" if _is_refusal(error) else str(error)
    return "" if said == ["ok"] else said[0]


def _used(path: Path, opened: Callable[[Path], C], use: Callable[[C], T]) -> T:
    os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))
    cache = opened(path)
    try:
        return use(cache)
    finally:
        cache.close()


def _is_refusal(error: BaseException) -> bool:
    short = getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_SHORT_READ
    return isinstance(error, _WORLD) and not short


def _unavailable(path: Path, why: str, code: str) -> Unavailable:
    return Unavailable(
        f"the index {path} cannot be kept: {why}",
        code=code,
        hint="Make room or fix the permissions of that folder; it is a cache and can be deleted.",
    )
