"""Opening a ledger on a server, and what is said when that cannot be done."""

from __future__ import annotations

import time

import pytest

from clew.core.errors import LedgerError
from clew.ledger.postgres import connection
from clew.ledger.postgres.connection import migrations
from clew.ledger.postgres.ledger import PostgresLedger, open_ledger
from tests.ledger.given import PROJECT, stated
from tests.ledger.postgres.server import server

OTHER = "01KANQ0000000000000000PRJ1"
NEXT = "ALTER TABLE clew.event ADD COLUMN mood text NOT NULL DEFAULT 'fine'"


def made(address: str = "", project: str = PROJECT) -> PostgresLedger:
    return open_ledger(address or server().empty(), project=project, write=True, make=True)


def refused(address: str, *, write: bool = False, make: bool = False, steps: list[str] | None = None) -> LedgerError:
    """How opening it is refused; a password is in no message."""
    with pytest.raises(LedgerError) as caught:
        open_ledger(address, project=PROJECT, write=write, make=make, steps=steps)
    assert "hunter" not in caught.value.message + caught.value.hint
    return caught.value


def test_projects_share_a_database_and_nothing_else():
    """The second one who makes a ledger joins it; another project's is another one."""
    address = server().empty()
    assert "E-ledger-missing" == refused(address).code
    mine, again, other = made(address), made(address), made(address, OTHER)
    assert (1,) == mine.append([stated("Amounts are cents")])
    assert (1, 2) == again.append([stated("Amounts are cents"), stated("Ids are ULIDs")])
    assert (2, 0) == (mine.position(), other.position())
    assert mine.key == again.key != other.key and 32 == len(mine.key)
    assert () == other.ids()
    for one in (mine, again, other):
        one.close()


def test_a_schema_moves_when_somebody_wants_it_and_an_older_clew_is_refused():
    """One upgraded machine must not stop the other four: reading and writing never migrate."""
    address = server().empty()
    ledger = made(address)
    ledger.append([stated("Amounts are cents")])
    ledger.close()
    steps = [*migrations(), NEXT]
    for write in (False, True):
        older = refused(address, write=write, steps=steps)
        assert "E-ledger-older" == older.code and "clew init --ledger" in older.hint
    moved = open_ledger(address, project=PROJECT, write=True, make=True, steps=steps)
    assert 1 == moved.position()
    moved.close()
    assert [("fine",)] == server().sql("SELECT mood FROM clew.event", "ledgers")
    assert "E-ledger-newer" == refused(address, write=True, make=True).code


def test_a_step_that_fails_leaves_the_schema_as_it_was():
    """Half a schema is no schema."""
    address = server().empty()
    made(address).close()
    with pytest.raises(LedgerError):
        made_by = [*migrations(), NEXT, "ALTER TABLE clew.nothing ADD COLUMN x text"]
        open_ledger(address, project=PROJECT, write=True, make=True, steps=made_by)
    assert [(1,)] == server().sql("SELECT version FROM clew.schema", "ledgers")
    made(address).close()


def test_a_wrong_password_is_said_to_be_one():
    """Not "cannot be reached": somebody would look at the network."""
    server().empty()
    for password, said in (("hunter3", "authentication failed"), ("", "no password supplied")):
        error = refused(server().address("ledgers", user="ada", password=password))
        assert "E-ledger-login" == error.code and said in error.message


def test_an_address_that_leads_nowhere():
    """Each says what is wrong with it, and at once."""
    begun = time.monotonic()
    for address in ("postgres://clew@127.0.0.1:1/ledgers", server().address("nosuchdatabase")):
        assert "E-ledger-away" == refused(address).code
    assert "E-ledger-address" == refused("postgres://clew@/ledgers?no_such_option=1").code
    assert time.monotonic() - begun < connection.CONNECT_TIMEOUT_S


def test_whoever_may_only_read_reads():
    """A report, an auditor, a standby."""
    address = server().empty()
    ledger = made(address)
    ledger.append([stated("Amounts are cents")])
    ledger.close()
    server().sql("GRANT USAGE ON SCHEMA clew TO ada; GRANT SELECT ON ALL TABLES IN SCHEMA clew TO ada", "ledgers")
    reader = server().address("ledgers", user="ada", password="hunter2")
    assert "E-ledger-readonly" == refused(reader, write=True).code
    ledger = open_ledger(reader, project=PROJECT, write=False)
    assert 1 == len(ledger.fold("").entities) and not ledger.writable
    with pytest.raises(LedgerError) as caught:
        ledger.append([stated("Amounts are floats")])
    assert "E-ledger-readonly" == caught.value.code
    ledger.close()


def test_a_database_of_another_encoding_is_refused():
    """Its order of texts, and what fits in, would be another one."""
    server().sql("DROP DATABASE IF EXISTS latin")
    server().sql("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 LOCALE 'C'")
    assert "E-ledger-server" == refused(server().address("latin"), write=True, make=True).code


def test_a_ledger_outlives_its_server():
    """A program that runs for weeks sees the server restart; what was acknowledged is there."""
    ledger = made()
    ledger.append([stated("Amounts are cents")])
    server().stop()
    try:
        for _ in range(2):
            with pytest.raises(LedgerError) as caught:
                ledger.append([stated("Ids are ULIDs")])
            assert "E-ledger-away" == caught.value.code
    finally:
        server().start()
    assert (2,) == ledger.append([stated("Ids are ULIDs")])
    assert 2 == len(list(ledger.events()))
    ledger.close()


def test_closed_is_closed():
    """What was let go of is not opened behind somebody's back."""
    ledger = made()
    ledger.close()
    with pytest.raises(LedgerError):
        ledger.position()
