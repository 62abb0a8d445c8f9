"""The schema of a ledger's file, step by step: each numbered SQL file in `migrations/` once, in order.

A file that was released is never edited; a change is a further file. `PRAGMA user_version` is the number of the last.
"""

from __future__ import annotations

from typing import Final

import apsw

from clew.ledger.codec import checksum
from clew.ledger.sqlite.connection import Transaction

# The number of the newest file. Not found by listing the folder: that would be paid for at every start.
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
        with Transaction(connection, write=True):
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
    with Transaction(connection, write=True):
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
