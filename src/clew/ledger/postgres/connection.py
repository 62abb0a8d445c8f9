"""Connections to a PostgreSQL server: how they are set up, the schema step by step, and the server's errors as ours.

This module is the only one that knows what the server's error codes mean. A connection is used by one thread at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from typing import Any, Final, TypeAlias

import psycopg
from psycopg.types.string import StrDumper, TextLoader

from clew.core.errors import LedgerError
from clew.core.text.cleaning import clean, one_line
from clew.ledger.postgres.address import shown

Connection: TypeAlias = psycopg.Connection[tuple[Any, ...]]

# The server cannot be reached.
AWAY: Final = "E-ledger-away"
SERVER_MIN: Final = 14
# How long a command waits for a server that does not answer, and a writer for another one.
CONNECT_TIMEOUT_S: Final = 3
LOCK_TIMEOUT_S: Final = 5
# A network that swallows what is sent is noticed in half a minute (libpq's parameters; seconds, and milliseconds).
_SILENCE: Final = {
    "keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 4, "tcp_user_timeout": 30_000
}  # fmt: skip
_SESSION: Final = f"SET lock_timeout = '{LOCK_TIMEOUT_S}s'; SET default_transaction_isolation = 'read committed'"


class _Dumper(StrDumper):
    """A text, in which NUL (which the server refuses) is escaped so that the order of texts stays."""

    def dump(self, obj: str) -> Any:
        if "\0" in obj or "\1" in obj:
            obj = obj.replace("\1", "\1\2").replace("\0", "\1\1")
        return super().dump(obj)


class _Loader(TextLoader):
    """What `_Dumper` wrote."""

    def load(self, data: Any) -> Any:
        text = str(super().load(data))
        return text.replace("\1\1", "\0").replace("\1\2", "\1") if "\1" in text else text


def connect(address: str, schema: str = "public") -> Connection:
    """A connection to the database at `address`, committing each statement by itself, in which tables without a schema
    are those of `schema`. Raises `LedgerError`.
    """
    place = shown(address)
    with guarded(place):
        given: dict[str, Any] = psycopg.conninfo.conninfo_to_dict(address)
        given = {"connect_timeout": CONNECT_TIMEOUT_S, "application_name": "clew", **_SILENCE, **given}
        connection = psycopg.connect(**given | {"client_encoding": "utf8"}, autocommit=True)
        try:
            info = connection.info
            if info.server_version < SERVER_MIN * 10_000 or info.parameter_status("server_encoding") != "UTF8":
                raise LedgerError(
                    f"the database {place} cannot keep a ledger: it is PostgreSQL {info.server_version // 10_000} with "
                    f"the encoding {info.parameter_status('server_encoding')}",
                    code="E-ledger-server",
                    hint=f"A ledger needs PostgreSQL {SERVER_MIN} or later, and a database with the encoding UTF8.",
                )
            connection.adapters.register_dumper(str, _Dumper)
            connection.adapters.register_loader("text", _Loader)
            connection.execute(f"{_SESSION}; SET search_path = {schema}")
        except BaseException:
            connection.close()
            raise
    return connection


def migrations() -> list[str]:
    """The SQL of each step of the schema in order. A file that was released is never edited; a change is one more."""
    folder = files(__package__) / "migrations"
    return [one.read_text(encoding="utf-8") for one in sorted(folder.iterdir(), key=lambda one: one.name)]


def version(connection: Connection) -> int:
    """The number of the last step that ran: 0 where nothing of clew's is there."""
    try:
        row = connection.execute("SELECT version FROM clew.schema").fetchone()
    except (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName):
        row = None
    return int(row[0]) if row else 0


def migrate(connection: Connection, steps: Sequence[str]) -> None:
    """Bring the schema to the last of `steps`, in one transaction; of several clews that try, one does it."""
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(7163491524)")  # there is no row yet that could be locked
        connection.execute("CREATE SCHEMA IF NOT EXISTS clew")
        connection.execute("CREATE TABLE IF NOT EXISTS clew.schema (version integer NOT NULL)")
        for number, step in enumerate(steps[version(connection) :], start=version(connection) + 1):
            connection.execute(step)
            connection.execute("DELETE FROM clew.schema")
            connection.execute("INSERT INTO clew.schema VALUES (%s)", (number,))


@contextmanager
def guarded(place: str) -> Iterator[None]:
    """The server's errors about the store come out as `LedgerError`, in which `place` is what the ledger is called;
    others are faults of ours and pass.
    """
    try:
        yield
    except psycopg.Error as error:
        said = ledger_error(error, place)
        if said is None:
            raise
        raise said from error


def ledger_error(error: psycopg.Error, place: str) -> LedgerError | None:
    """What an error of the server's, or one on the way there, means for the ledger at `place`; None if it is not about
    the store but about us.
    """
    if error.sqlstate is None and isinstance(error, psycopg.OperationalError):
        return _unreached(error, place)
    if isinstance(error, psycopg.ProgrammingError) and error.sqlstate is None:
        code, what = "E-ledger-address", "has an address that PostgreSQL does not understand"
        return LedgerError(f"the ledger {place} {what}", code=code, hint="It is `postgres://USER@HOST:PORT/DATABASE`.")
    for states, code, what, hint in _MEANINGS:
        if (error.sqlstate or "").startswith(states):
            return LedgerError(f"the ledger {place} {what}", code=code, hint=hint)
    return None


def _unreached(error: psycopg.OperationalError, place: str) -> LedgerError:
    """Why there is no connection: libpq has no code for it, but knows whether a password was asked for."""
    asked = error.pgconn
    said = str(error).rpartition("failed: ")[2].removeprefix("FATAL:").split("\n")[0]
    why = one_line(clean(said)).strip()
    if asked is not None and (asked.needs_password or asked.used_password):
        return LedgerError(
            f"the server of the ledger {place} refuses the login ({why})",
            code="E-ledger-login",
            hint="Nothing was kept. Put the right password into ~/.pgpass (chmod 600), and see that the user may use "
            "the database.",
        )
    return LedgerError(
        f"the server of the ledger {place} cannot be reached ({why})",
        code=AWAY,
        hint="Do it again when the server is there: what was being kept may be kept already, and is not kept twice.",
    )


def readonly(place: str) -> LedgerError:
    """What a change is answered with where the ledger can only be read."""
    said = ledger_error(psycopg.errors.ReadOnlySqlTransaction(), place)
    assert said is not None
    return said


# Beginnings of SQLSTATE (appendix A of PostgreSQL's manual).
_MEANINGS: Final[tuple[tuple[tuple[str, ...], str, str, str], ...]] = (
    (("53100",), "E-ledger-full", "cannot grow: the server's disk is full",
     "Nothing of this was kept. Free some space there and do it again."),
    (("25006", "42501"), "E-ledger-readonly",
     "cannot be written from here: this user, or this server (a standby), may only read",
     "Nothing of this was kept. Reading works; give the user the right to write."),
    (("55P03", "40P01", "57014"), "E-ledger-busy",
     f"was held by another connection for more than {LOCK_TIMEOUT_S} seconds",
     "Nothing of this was kept. Do it again; if it stays so, look for a clew that hangs."),
    (("08", "57P", "53"), AWAY, "was cut off by its server, which is shutting down, or has no connection to spare",
     "Nothing is lost: do it again when the server is there."),
    (("XX", "42P01", "42703", "3F000"), "E-ledger-corrupt", "is damaged, or its tables are not clew's",
     "Put a backup of the database in its place; PostgreSQL's `amcheck` tells what is damaged."),
)  # fmt: skip
