"""Opening a ledger on a PostgreSQL server. What the server's errors mean is known in `connection.py`."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Final

from clew.core.errors import LedgerError
from clew.ledger.postgres.address import shown
from clew.ledger.postgres.connection import Connection, connect, guarded, migrate, migrations, readonly, version
from clew.ledger.postgres.ledger import PostgresLedger

_KEY_BYTES: Final = 32
_LEDGER: Final = """
    SELECT id, key, NOT pg_is_in_recovery() AND has_table_privilege('clew.event', 'INSERT') FROM clew.ledger
    WHERE project = %s
"""


def open_ledger(
    address: str,
    *,
    project: str,
    write: bool,
    make: bool = False,
    chance: Callable[[int], bytes] = os.urandom,
    steps: Sequence[str] | None = None,
) -> PostgresLedger:
    """The ledger of `project` (a ULID) in the database at `address`. Without `write` nothing of it is changed.

    With `make` one that is not there is made, and a schema of an older clew is brought to the newest of `steps` (None:
    those of this clew): other clews that use the database have to know it. `chance(n)` gives the n random bytes of a
    new ledger's key.

    Raises `LedgerError`: E-ledger-address, E-ledger-away, E-ledger-login, E-ledger-server, E-ledger-missing,
    E-ledger-older, E-ledger-newer, E-ledger-readonly (only with `write`), E-ledger-busy, E-ledger-corrupt.
    """
    place = shown(address)
    connection = connect(address, "clew")
    try:
        with guarded(place):
            _prepare(connection, place, migrations() if steps is None else steps, make=make)
            if make:
                insert = "INSERT INTO clew.ledger (project, key) VALUES (%s, %s) ON CONFLICT DO NOTHING"
                connection.execute(insert, (project, chance(_KEY_BYTES)))
            row = connection.execute(_LEDGER, (project,)).fetchone()
        if row is None:
            raise _missing(f"{place} keeps no ledger of the project {project}")
        if write and not row[2]:
            raise readonly(place)
        return PostgresLedger(
            connection,
            lambda: connect(address, "clew"),
            ledger=row[0],
            project=project,
            key=row[1],
            writable=write,
            place=place,
        )
    except BaseException:
        connection.close()
        raise


def _prepare(connection: Connection, place: str, steps: Sequence[str], *, make: bool) -> None:
    """See that the schema is the newest one, or make it so."""
    found = version(connection)
    if found > len(steps):
        raise LedgerError(
            f"the ledger {place} was written by a newer clew (schema {found}; this one knows up to {len(steps)})",
            code="E-ledger-newer",
            hint="It was left as it is. Update clew here.",
        )
    if found < len(steps):
        if make:
            migrate(connection, steps)
        elif found:
            raise LedgerError(
                f"the ledger {place} was made by an older clew (schema {found}; this one needs {len(steps)})",
                code="E-ledger-older",
                hint="It was left as it is. When all who share it have this clew, one of them brings it on: "
                "`clew init --ledger ADDRESS`.",
            )
        else:
            raise _missing(f"the database {place} keeps no ledger")


def _missing(message: str) -> LedgerError:
    hint = "Run `clew init --ledger ADDRESS` in the project; nothing is kept before."
    return LedgerError(message, code="E-ledger-missing", hint=hint)
