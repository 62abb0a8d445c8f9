"""Several connections at one ledger, as machines of a team have."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import psycopg
import pytest

from clew.core.errors import LedgerError
from clew.core.state.fold import values
from clew.ledger.postgres import connection
from clew.ledger.postgres.ledger import PostgresLedger, open_ledger
from tests.ledger.given import PROJECT, named, read_off, stated
from tests.ledger.postgres.server import server

WRITERS, BATCHES = 6, 12


def opened(*, make: bool = False) -> PostgresLedger:
    address = server().empty() if make else server().address("ledgers")
    return open_ledger(address, project=PROJECT, write=True, make=make)


def test_writers_at_once_lose_nothing_and_who_saw_a_position_finds_nothing_new_below():
    """Each batch has facts of its own, and one that all say: the first one is kept."""
    reader, start = opened(make=True), Barrier(WRITERS + 1)

    def write(me: int) -> list[int]:
        ledger = opened()
        start.wait()
        told: list[int] = []
        for number in range(BATCHES):
            batch = [*(stated(f"{me} {number}", part) for part in range(3)), stated("everybody says", number)]
            told += ledger.append(batch[:3])
            told += ledger.append(batch[3:])  # by itself without the lock
            ledger.take_in(read_off("shared", number * 10 + me, f"{me} {number}"))
        ledger.close()
        return told

    with ThreadPoolExecutor(WRITERS) as pool:
        done = [pool.submit(write, me) for me in range(WRITERS)]
        start.wait()
        seen: list[int] = []
        while not all(one.done() for one in done):
            seen += [seq for seq, _ in reader.events(after=seen[-1] if seen else 0)]
    seen += [seq for seq, _ in reader.events(after=seen[-1] if seen else 0)]
    told = [seq for one in done for seq in one.result()]
    assert list(range(1, WRITERS * BATCHES * 3 + BATCHES + 1)) == sorted(set(told)) == seen
    assert seen == [seq for seq, _ in reader.events()]
    assert [(BATCHES - 1) * 10 + WRITERS - 1] == [one.extent for one in reader.extracts()]
    reader.close()


def test_who_is_cut_off_in_the_middle_leaves_nothing_and_holds_nobody_up():
    """A laptop that is closed must not stop the team."""
    ledger = opened(make=True)
    cut = psycopg.connect(server().address("ledgers"))
    cut.execute("SELECT FROM clew.ledger FOR UPDATE")
    cut.execute("INSERT INTO clew.snapshot VALUES (1, '', 7, 1, '')")
    (pid,) = cut.execute("SELECT pg_backend_pid()").fetchone() or (0,)
    server().sql(f"SELECT pg_terminate_backend({pid})")
    assert (1,) == ledger.append([stated("Amounts are cents")])
    assert [] == server().sql("SELECT * FROM clew.snapshot", "ledgers")
    cut.close()
    ledger.close()


def test_who_waits_too_long_is_told_and_nothing_is_kept(monkeypatch: pytest.MonkeyPatch):
    """Better than a command that hangs."""
    opened(make=True).close()
    monkeypatch.setattr(connection, "_SESSION", "SET lock_timeout = '50ms'")
    ledger = opened()
    with psycopg.connect(server().address("ledgers")) as holder:
        holder.execute("SELECT FROM clew.ledger FOR UPDATE")
        both = [stated("Amounts are cents"), stated("Ids are ULIDs")]
        with pytest.raises(LedgerError) as caught:
            ledger.append(both)
        assert "E-ledger-busy" == caught.value.code
        assert 0 == ledger.position()
        holder.rollback()
    assert (1, 2) == ledger.append(both)
    ledger.close()


def test_what_one_purges_is_in_no_ones_memory_and_in_no_table():
    """Another connection had folded the word; a snapshot held it, and so did the files of the tables."""
    secret = "correcthorsebattery"
    mine, other = opened(make=True), opened()
    mine.append([stated(f"{number} {secret}", number) for number in range(300)])
    mine.take_in(read_off("s1", 10, f"the {secret}"))
    assert 300 == len(other.fold("").entities)
    assert [(300,)] == server().sql("SELECT seq FROM clew.snapshot", "ledgers")
    server().sql("CHECKPOINT")
    assert _holders(secret)
    assert 301 == mine.purge(named("D", "none"), [secret])
    server().sql("CHECKPOINT")
    assert [] == _holders(secret)
    words = {str(values(one)["text"]).split(" ", 1)[1] for one in other.fold("").entities.values()}
    assert {"[redacted]"} == words and () == other.extracts()[0].items
    mine.close()
    other.close()


def test_who_does_not_own_the_tables_purges_the_words_and_is_told_that_bytes_are_left():
    """The owner finishes it by purging again."""
    mine = opened(make=True)
    mine.append([stated("the password is hunter3")])
    rights = "SELECT, INSERT, UPDATE, DELETE ON ALL TABLES"
    server().sql(f"GRANT USAGE ON SCHEMA clew TO ada; GRANT {rights} IN SCHEMA clew TO ada", "ledgers")
    address = server().address("ledgers", user="ada", password="hunter2")
    theirs = open_ledger(address, project=PROJECT, write=True)
    with pytest.raises(LedgerError, match="still hold their bytes"):
        theirs.purge(named("D", "none"), ["hunter3"])
    assert "the password is [redacted]" in [values(one)["text"] for one in mine.fold("").entities.values()]
    assert 0 == mine.purge(named("D", "none"), ["hunter3"])
    mine.close()
    theirs.close()


def _holders(word: str) -> list[str]:
    """The files of tables that hold a word."""
    folder = server().folder / "data" / "base"
    return [str(path) for path in folder.rglob("*") if path.is_file() and word.encode() in path.read_bytes()]


def test_rows_that_somebody_changed_are_named_and_passed_over():
    """Who writes into the tables by hand, or restores half of them, hides nothing else."""
    ledger = opened(make=True)
    ledger.append([stated(text) for text in ("one", "two", "three")])
    ledger.take_in(read_off("s1", 10, "Limits are per user", "Ids are ULIDs"))
    server().sql("UPDATE clew.event SET data = '{\"item' WHERE seq = 2", "ledgers")
    server().sql("DELETE FROM clew.inferred WHERE item LIKE '%Limits%'", "ledgers")
    assert [1, 3] == [seq for seq, _ in ledger.events()]
    assert ["Ids are ULIDs"] == [item.text for one in ledger.extracts() for item in one.items]
    assert ("event 2", "session s1") == ledger.passed_over()
    assert "event 2 cannot be read; session s1 cannot be read" == ledger.damage()
    ledger.close()


def test_an_id_that_no_index_takes_is_refused_by_name():
    """Not a fault of ours with a trace; of what went before it in the same batch nothing is kept."""
    from clew.core.errors import InputError

    ledger = opened(make=True)
    noise = "".join(chr(0x4E00 + number * 7919 % 20000) for number in range(9000))
    with pytest.raises(InputError, match="longer than an index takes"):
        ledger.append([*(stated("fine", number) for number in range(3000)), stated("long")._replace(key=noise)])
    assert 0 == ledger.position()
    ledger.close()
