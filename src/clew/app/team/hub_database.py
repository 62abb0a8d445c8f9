"""The database of a hub, where it is, and how it is brought on and copied: a SQLite file, or a schema `clew_hub` in a
PostgreSQL database; one SQL for both.

Its schema moves by `migrate` alone. A file of it is a backup that either kind is filled from.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, Final

import apsw
import msgspec

from clew.app.project.device import load_kept
from clew.core.errors import InputError, LedgerError, Unavailable
from clew.ledger.postgres.address import is_address, shown
from clew.ledger.sqlite.connection import configure, guarded, transaction
from clew.workspace.atomic import private_folder, replace

if TYPE_CHECKING:
    from clew.ledger.postgres.connection import Connection

# One entry a version. What was released is never edited; a change is one more.
MIGRATIONS: Final[tuple[str, ...]] = (
    """
    CREATE TABLE hub (id TEXT NOT NULL, key TEXT NOT NULL);
    CREATE TABLE people (name TEXT PRIMARY KEY, owner INTEGER NOT NULL, since TEXT NOT NULL);
    CREATE TABLE devices (id TEXT PRIMARY KEY, person TEXT NOT NULL, name TEXT NOT NULL, account TEXT NOT NULL,
        key_hash TEXT NOT NULL, since TEXT NOT NULL, seen TEXT NOT NULL, revoked TEXT NOT NULL);
    CREATE TABLE invites (code_hash TEXT PRIMARY KEY, person TEXT NOT NULL, until_ms BIGINT NOT NULL,
        used TEXT NOT NULL);
    CREATE TABLE projects (id TEXT PRIMARY KEY, title TEXT NOT NULL, remote TEXT NOT NULL, root TEXT NOT NULL,
        key TEXT NOT NULL, position BIGINT NOT NULL);
    CREATE TABLE rights (project TEXT NOT NULL, person TEXT NOT NULL, level TEXT NOT NULL,
        PRIMARY KEY (project, person));
    CREATE TABLE peers (project TEXT NOT NULL, device TEXT NOT NULL, name TEXT NOT NULL, key TEXT NOT NULL,
        PRIMARY KEY (project, device, key));
    CREATE TABLE events (project TEXT NOT NULL, seq BIGINT NOT NULL, id TEXT NOT NULL, kind TEXT NOT NULL,
        task TEXT NOT NULL, person TEXT NOT NULL, device TEXT NOT NULL, line TEXT NOT NULL,
        PRIMARY KEY (project, seq), UNIQUE (project, id));
    CREATE INDEX events_by_person ON events (person)
    """,
    """
    CREATE TABLE sessions (project TEXT NOT NULL, session TEXT NOT NULL, person TEXT NOT NULL, device TEXT NOT NULL,
        digest TEXT NOT NULL, came_ms BIGINT NOT NULL, line TEXT NOT NULL, PRIMARY KEY (project, session));
    ALTER TABLE projects ADD COLUMN session_days BIGINT NOT NULL DEFAULT 0
    """,
)
TABLES: Final = ("hub", "people", "devices", "invites", "projects", "rights", "peers", "events", "sessions")
_ROWS_MAX: Final = 500


class HubDatabase(ABC):
    """`lock` is held around whatever belongs together: threads take turns. Raises `LedgerError` where the store cannot
    be used.
    """

    def __init__(self, place: str) -> None:
        self.place = place
        self.lock = RLock()
        self._depth = 0  # of transactions: one within another is a part of that

    @abstractmethod
    def _rows(self, sql: str, given: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        """What a statement gives, in which `?` stands for each of `given`."""

    @abstractmethod
    def _transaction(self) -> AbstractContextManager[Any]:
        """All of it or nothing; of several that write one goes after the other."""

    @abstractmethod
    def _hold(self) -> bool:
        """Be the only one that serves it until `close`: whether nobody else does."""

    @abstractmethod
    def forget_bytes(self) -> None:
        """Let no byte of what was deleted be left in files of ours."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the database."""

    def rows(self, sql: str, *given: Any) -> list[tuple[Any, ...]]:
        """What a statement gives, in which `?` stands for each of `given`."""
        with self.lock:
            return self._rows(sql, given)

    def count(self, sql: str, *given: Any) -> int:
        """The number that a statement gives."""
        return int(self.rows(sql, *given)[0][0])

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All of it or nothing; of several that write, in whatever process, one goes after the other."""
        with self.lock, nullcontext() if self._depth else self._transaction():
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1

    def hold(self) -> None:
        """Be the only hub that serves this data until it is closed. Raises `InputError` (E-hub-there)."""
        with self.lock:
            if not self._hold():
                raise InputError(
                    f"another hub serves {self.place}",
                    code="E-hub-there",
                    hint="End that one first, or name other data with --sqlite or --postgres.",
                )

    @property
    def version(self) -> int:
        """The schema's version, 0 where there is none."""
        try:
            found = self.rows("SELECT version FROM hub_schema")
        except LedgerError as error:
            if error.code != "E-ledger-corrupt":  # which is what a table that is not there is called
                raise
            return 0
        return int(found[0][0]) if found else 0

    def migrate(self, upto: int = len(MIGRATIONS)) -> int:
        """Bring the schema to the version `upto`, in one transaction; which one it had."""
        before = self.version
        with self.transaction():
            if not before:
                self.rows("CREATE TABLE hub_schema (version INTEGER NOT NULL)")
                self.rows("INSERT INTO hub_schema VALUES (0)")
            for step in MIGRATIONS[before:upto]:
                for statement in step.split(";"):
                    self.rows(statement)
            self.rows("UPDATE hub_schema SET version = ?", max(before, upto))
        return before

    def check(self) -> None:
        """Raises `LedgerError` (E-hub-schema) where the schema is not this clew's."""
        if (found := self.version) != len(MIGRATIONS):
            newer = found > len(MIGRATIONS)
            raise LedgerError(
                f"the hub {self.place} has the schema {found}, and this clew needs {len(MIGRATIONS)}",
                code="E-hub-schema",
                hint="Update clew here."
                if newer
                else "Look with `clew hub migrate --dry-run`; `clew hub migrate` makes a backup, then brings it on.",
            )

    def fill(self, source: HubDatabase) -> None:
        """Put all that `source` holds in here, where nothing is."""
        upto = source.version
        self.migrate(upto)
        with source.lock, source.transaction(), self.transaction():
            if self.rows("SELECT 1 FROM hub"):
                raise InputError(
                    f"{self.place} holds a hub already",
                    code="E-hub-there",
                    hint="Nothing was changed. Name a database, or a file, that holds nothing.",
                )
            for table in TABLES if upto > 1 else TABLES[:-1]:
                found = source.rows(f"SELECT * FROM {table}")
                for start in range(0, len(found), _ROWS_MAX):
                    part = found[start : start + _ROWS_MAX]
                    marks = ", ".join(f"({', '.join('?' * len(row))})" for row in part)
                    self.rows(f"INSERT INTO {table} VALUES {marks}", *(value for row in part for value in row))


def open_database(address: str) -> HubDatabase:
    """The database at `address`: a file, which is made where there is none, or `postgres://…`. Raises `LedgerError`,
    `Unavailable` without the extra, OSError.
    """
    if not is_address(address):
        return _SqliteHub(Path(address))
    from importlib.util import find_spec

    if find_spec("psycopg") is None:
        raise Unavailable(
            f"the hub {shown(address)} needs the package `psycopg`, which is not installed",
            code="E-ledger-extra",
            hint="Install clew with it, from its checkout: `pipx install '.[web,postgres]'`.",
        )
    return _PostgresHub(address)


def migrate_hub(database: HubDatabase, backup: Path, *, dry_run: bool) -> tuple[int, int]:
    """Bring a hub's schema to this clew's, after a copy of it was put into the file `backup`: the versions before and
    after. Raises as `back_up`.
    """
    before, after = database.version, len(MIGRATIONS)
    if before < after and not dry_run:
        back_up(database, backup)
        database.migrate()
    return before, after


class HubPlace(msgspec.Struct):
    """Where the hub of this machine keeps its data, and by which URL it was last reached ("" it never ran)."""

    address: str
    url: str = ""


def hub_place(memory: Path, address: str = "", url: str = "") -> HubPlace:
    """What the file `memory` says of the hub of this machine, with what is given in its place from now on. Without
    either its data is a file beside `memory`. Raises `LedgerError` (E-hub-keys), OSError.
    """
    hint = "It says where this machine's hub keeps its data: delete it, and say so with --sqlite or --postgres."
    known = load_kept(memory, HubPlace, code="E-hub-keys", hint=hint) or HubPlace("")
    place = HubPlace(address or known.address or str(memory.with_suffix(".db")), url or known.url)
    if place != known:
        private_folder(memory.parent)
        replace(memory, msgspec.json.encode(place), mode=0o600)
    return place


def back_up(database: HubDatabase, file: Path) -> None:
    """Copy a hub, as it is at one moment, into a new `file`. Raises `InputError` where there is one, OSError."""
    if file.exists():
        raise InputError(f"{file} is there already", code="E-hub-there", hint="Nothing was written. Name a new file.")
    copy = open_database(str(file))
    try:
        copy.fill(database)
        copy.forget_bytes()
    finally:
        copy.close()


class _SqliteHub(HubDatabase):
    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self._guard = partial(guarded, self.place)
        self._held: int | None = None
        private_folder(path.parent)
        with self._guard():
            self._connection = apsw.Connection(self.place)
            configure(self._connection, writable=True)
            self._connection.execute("PRAGMA secure_delete = ON")
        path.chmod(0o600)

    def _rows(self, sql: str, given: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        with self._guard():
            return list(self._connection.execute(sql, given))

    def _transaction(self) -> AbstractContextManager[Any]:
        return transaction(self._connection, write=True)

    def _hold(self) -> bool:
        try:
            import fcntl
        except ImportError:  # Windows has no such locks
            return True
        # Not the file itself: to close it would end SQLite's own locks.
        self._held = os.open(f"{self.place}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def forget_bytes(self) -> None:
        with self.lock, self._guard():
            self._connection.execute("VACUUM")
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        with self.lock:
            self._connection.close()
        if self._held is not None:
            os.close(self._held)


class _PostgresHub(HubDatabase):
    def __init__(self, address: str) -> None:
        from clew.ledger.postgres.connection import connect, guarded

        super().__init__(shown(address))
        self._address = address
        self._connect: Callable[[str, str], Connection] = connect
        self._guarded = guarded
        self._connection = self._opened()

    def _opened(self) -> Connection:
        connection = self._connect(self._address, "clew_hub")
        with self._guarded(self.place):
            connection.execute("CREATE SCHEMA IF NOT EXISTS clew_hub")
        return connection

    def _hold(self) -> bool:
        with self._guarded(self.place):
            found = self._connection.execute("SELECT pg_try_advisory_lock(7163491526)").fetchone()
        return bool(found and found[0])

    def _rows(self, sql: str, given: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        if self._connection.closed:  # the server was restarted
            self._connection = self._opened()
        with self._guarded(self.place):
            found = self._connection.execute(sql.replace("%", "%%").replace("?", "%s"), given)
            return found.fetchall() if found.description else []

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        if self._connection.closed:
            self._connection = self._opened()
        with self._guarded(self.place), self._connection.transaction():
            self._connection.execute("SELECT pg_advisory_xact_lock(7163491525)")
            yield

    def forget_bytes(self) -> None:
        with self.lock, self._guarded(self.place):
            self._connection.execute("VACUUM events, sessions")

    def close(self) -> None:
        with self.lock:
            self._connection.close()
