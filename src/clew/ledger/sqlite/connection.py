"""Connections to a ledger's file: how they are set up, transactions, the schema step by step, and SQLite's errors.

This module is the only one that knows what SQLite's error codes mean. A connection is used by one thread at a time.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

import apsw

from clew.core.errors import LedgerError
from clew.ledger.codec import checksum

# How long a writer waits for another one to finish, in milliseconds.
BUSY_TIMEOUT_MS = 5000
# Every append writes whole pages, and most events are short.
PAGE_BYTES = 1024
# A write-ahead log that grew beyond this is cut back to it at the next checkpoint.
WAL_BYTES_MAX = 4 * 1024 * 1024


def engine() -> str:
    """The version of SQLite that keeps ledgers, which is not that of Python's own module."""
    return str(apsw.sqlite_lib_version())


def configure(connection: apsw.Connection, *, writable: bool) -> None:
    """Set up an opened connection: how long it waits, and for a writer the write-ahead log and full durability."""
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    if writable:
        connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")  # of a new file
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA journal_size_limit = {WAL_BYTES_MAX}")
        connection.execute(f"PRAGMA wal_autocheckpoint = {WAL_BYTES_MAX // PAGE_BYTES}")
        connection.execute("PRAGMA synchronous = FULL")
        # Temporary files would be written outside the ledger's private folder.
        connection.execute("PRAGMA temp_store = MEMORY")


# What reading rows raises that a disk changed behind SQLite's back, which has no check sums of its pages: texts that
# are none, JSON and zlib that do not decode, rows that are missing, a table without its columns.
_UNLIKE_WRITTEN = (ValueError, zlib.error, LookupError, TypeError, apsw.SQLError, apsw.ConstraintError)


@contextmanager
def guarded(place: str) -> Iterator[None]:
    """SQLite's errors about the store come out as `LedgerError`, in which `place` is what the ledger is called (its
    path); others are faults of ours and pass.
    """
    try:
        yield
    except (apsw.Error, *_UNLIKE_WRITTEN) as error:
        is_damage = isinstance(error, _UNLIKE_WRITTEN) and not isinstance(error, UnicodeEncodeError)
        problem = apsw.CorruptError() if is_damage else error
        said = ledger_error(problem, place) if isinstance(problem, apsw.Error) else None
        if said is None:
            raise
        raise said from error


@contextmanager
def transaction(connection: apsw.Connection, *, write: bool) -> Iterator[None]:
    """All of it or nothing. `write` takes the writer's place at once, so that what is read in it holds until the end;
    without it, all that is read is of one moment.
    """
    connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # after some errors (a full disk) SQLite has rolled back by itself
            connection.execute("ROLLBACK")
        raise


class FetchedRows(NamedTuple):
    """The rows of a query, and the keys of those that cannot be fetched: where a text is none any more, SQLite hands
    its bytes on, and then none of the query's rows can be had.
    """

    rows: list[Any]
    unreadable: list[int]


def fetch_rows(
    connection: apsw.Connection, select: str, given: Sequence[Any] | Mapping[str, Any], *, key: str, columns: str
) -> FetchedRows:
    """What `select` finds, in which `{}` stands for the `columns`, each row of a table with the `key`."""
    try:
        return FetchedRows(connection.execute(select.replace("{}", columns), given).fetchall(), [])
    except UnicodeDecodeError:
        found = FetchedRows([], [])
    keys: list[Any] = connection.execute(select.replace("{}", key), given).fetchall()
    for (one,) in keys:
        try:
            found.rows.extend(connection.execute(f"{select_one(select, columns)} WHERE {key} = ?", (one,)))
        except UnicodeDecodeError:
            found.unreadable.append(one)
    return found


def select_one(select: str, columns: str) -> str:
    """The beginning of a query for rows of the table that `select` names first."""
    table = select.partition(" FROM ")[2].split(maxsplit=1)[0]
    return f"SELECT {columns} FROM {table}"


def rewrite_file(connection: apsw.Connection) -> None:
    """Write the whole file again, so that no byte of what was deleted or overwritten is left in it or beside it.

    Raises `LedgerError` while another process reads the file as it was before.
    """
    try:
        connection.execute("VACUUM")
        ((busy, _, _),) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        if not busy:
            # SQLite does not sync after it cut the log: the next commit does. Without one, a power cut would bring the
            # old bytes back.
            connection.execute(f"PRAGMA user_version = {connection.pragma('user_version')}")
    except apsw.BusyError:
        busy = 1
    if busy:
        raise LedgerError(
            f"the words are gone from the ledger {connection.filename}, but its file still holds their bytes, because "
            "another process reads it",
            code="E-ledger-busy",
            hint="Close what reads it (a clew that runs elsewhere) and do it again.",
        )


def ledger_error(error: apsw.Error, place: str) -> LedgerError | None:
    """What an error of SQLite's means for the ledger at `place`; None if it is not about the store but about us."""
    # The file beside the ledger that its readers share could not grow: by SQLite's list of result codes, a full disk.
    if getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_SHMSIZE:
        error = apsw.FullError()
    for kinds, code, what, hint in _MEANINGS:
        if isinstance(error, kinds):
            return LedgerError(f"the ledger {place} {what}", code=code, hint=hint)
    return None


def readonly(place: str) -> LedgerError:
    """What a change is answered with where the ledger can only be read."""
    said = ledger_error(apsw.ReadOnlyError(), place)
    assert said is not None
    return said


_MEANINGS: tuple[tuple[tuple[type[apsw.Error], ...], str, str, str], ...] = (
    ((apsw.FullError,), "E-ledger-full", "cannot grow: the disk is full",
     "Nothing of this was kept. Free some space and do it again."),
    ((apsw.ReadOnlyError, apsw.PermissionsError), "E-ledger-readonly", "cannot be written from here",
     "Nothing of this was kept. Reading works; write from a shell that may change that file."),
    ((apsw.BusyError, apsw.LockedError, apsw.ProtocolError), "E-ledger-busy",
     f"was held by another process for more than {BUSY_TIMEOUT_MS // 1000} seconds",
     "Nothing of this was kept. Do it again; if it stays so, look for a clew that hangs."),
    ((apsw.CorruptError, apsw.NotADBError, apsw.FormatError), "E-ledger-corrupt", "is damaged or no ledger at all",
     "`clew doctor --repair` saves what is whole and keeps this file; or put a backup in its place."),
    ((apsw.IOError, apsw.CantOpenError), "E-ledger-io", "cannot be read or written: the system refused",
     "Nothing of this was kept. See whether the disk is there and the folder is yours, then do it again."),
)  # fmt: skip


# Each numbered SQL file in `migrations/` ran once, in order; `PRAGMA user_version` is the number of the last. A file
# that was released is never edited; a change is a further file. This is the number of the newest: to list the
# folder would be paid for at every start.
NEWEST: Final = 2
# Marks the file as a ledger of clew's for `file` and for us ("clew").
APPLICATION_ID: Final = 0x636C6577


def version(connection: apsw.Connection) -> int:
    """The number of the last migration that ran: 0 in an empty file, more than `NEWEST` in one of a newer clew."""
    found = connection.pragma("user_version")
    assert isinstance(found, int)
    return found


def migrate(connection: apsw.Connection) -> None:
    """Bring the file to `NEWEST`. Each step is one transaction with the record of having run; two processes may try."""
    if version(connection) < NEWEST:
        connection.create_scalar_function("clew_checksum", lambda *columns: checksum(columns), deterministic=True)
    while version(connection) < NEWEST:
        with transaction(connection, write=True):
            number = version(connection) + 1
            if number <= NEWEST:
                connection.execute(statements(number))
                connection.execute(f"PRAGMA user_version = {number}; PRAGMA application_id = {APPLICATION_ID}")


def statements(number: int) -> str:
    """The SQL of one migration."""
    from importlib.resources import files

    folder = files(__package__) / "migrations"
    (file,) = (one for one in folder.iterdir() if one.name.startswith(f"{number:04d}_"))
    return file.read_text(encoding="utf-8")


def establish(connection: apsw.Connection, *, project: str, key: bytes) -> None:
    """Write what a new ledger is, once: its project and its key. What exists already stays."""
    with transaction(connection, write=True):
        insert = "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING"
        connection.executemany(insert, [("project", project), ("key", key)])
        kept = checksum(established(connection))
        connection.execute(insert, ("checksum", kept))


def established(connection: apsw.Connection) -> tuple[str, bytes]:
    """The project and the key that were written. Raises `LookupError` or `TypeError` if that is not what is there."""
    found = dict(connection.execute("SELECT name, value FROM meta"))
    project, key = found["project"], found["key"]
    if not (isinstance(project, str) and isinstance(key, bytes)):
        raise TypeError(f"the project is {type(project).__name__} and the key {type(key).__name__}")
    return project, key


def is_established(connection: apsw.Connection) -> bool:
    """Whether project and key are what was written."""
    kept = connection.execute("SELECT value FROM meta WHERE name = 'checksum'").fetchone()
    return kept is not None and kept[0] == checksum(established(connection))
