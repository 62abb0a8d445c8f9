"""What only the SQLite member has to show: snapshots, shared rows, durability, and a file that forgets."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from clew.core.errors import LedgerError
from clew.core.state.events import Event
from clew.core.state.fold import fold
from clew.core.state.ids import identity
from clew.ledger.sqlite.ledger import SqliteLedger
from clew.ledger.sqlite.opening import open_ledger
from clew.testing.ledgers import DECISION, TASK, checkpoint, event, extract, item, stated, texts
from clew.testing.strategies import PROJECT


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "clew" / "ledger.db"


@pytest.fixture
def open_it(file: Path) -> Iterator[Callable[[], SqliteLedger]]:
    """Opens the ledger, as often as asked."""
    opened = []

    def once() -> SqliteLedger:
        opened.append(open_ledger(file, project=PROJECT, write=True))
        return opened[-1]

    yield once
    for ledger in opened:
        ledger.close()


def edits(count: int, first: int = 0) -> list[Event]:
    return [stated(first + n, item=f"D-{identity(str(n % 40))}", text=f"text {first + n}") for n in range(count)]


def sql(file: Path, statement: str, *values: object) -> list[tuple[object, ...]]:
    """A statement behind the ledger's back."""
    connection = apsw.Connection(str(file))
    try:
        return list(connection.execute(statement, values))  # type: ignore[arg-type]
    finally:
        connection.close()


def test_a_snapshot_is_written_by_the_fold_when_it_saves_work(open_it: Callable[[], SqliteLedger], file: Path) -> None:
    """Appending never pays for it, and a handful of events is folded faster than a snapshot is written."""
    ledger = open_it()
    ledger.append(edits(10))
    ledger.fold(TASK)
    assert [] == sql(file, "SELECT seq FROM snapshot")
    ledger.append(edits(300, 10))
    assert [] == sql(file, "SELECT seq FROM snapshot")
    ledger.fold(TASK)
    assert [(310, TASK)] == sql(file, "SELECT seq, task FROM snapshot")
    ledger.append(edits(3, 500))
    ledger.fold(TASK, upto=50)
    ledger.fold(TASK)
    assert [(310,)] == sql(file, "SELECT seq FROM snapshot")


def test_only_what_is_newer_than_the_snapshot_is_folded(open_it: Callable[[], SqliteLedger], file: Path) -> None:
    """That is what makes a long history cheap: the events before the snapshot are not read again."""
    ledger = open_it()
    history = edits(300)
    ledger.append(history)
    ledger.fold(TASK)
    sql(file, "UPDATE event SET data = '{}' WHERE seq <= 300")
    late = stated(900, item=f"D-{identity('1')}", text="late")
    ledger.append([late])
    assert fold([*history, late]) == ledger.fold(TASK).entities


ROWS = "SELECT snapshot.*, entity.* FROM snapshot LEFT JOIN entity ON entity.task = snapshot.task ORDER BY name"


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE snapshot SET fold = fold + 1",
        "UPDATE snapshot SET seq = 100000",
        "UPDATE entity SET changes = substr(changes, 1, 10)",
        "UPDATE entity SET changes = zeroblob(length(changes)) WHERE name = (SELECT max(name) FROM entity)",
        "UPDATE entity SET changes = x'c1', checksum = {crc}",
        "UPDATE entity SET changes = x'81a141a142', checksum = {crc_other}",
        "DELETE FROM snapshot",
        "DELETE FROM entity WHERE name = (SELECT min(name) FROM entity)",
    ],
)
def test_a_snapshot_that_cannot_be_used_is_as_good_as_none(
    open_it: Callable[[], SqliteLedger], file: Path, harm: str
) -> None:
    """A convenience must not decide what is true. And it is replaced, or every command would fold all events again."""
    ledger = open_it()
    history = edits(300)
    ledger.append(history)
    ledger.fold(TASK)
    good = sql(file, ROWS)
    sql(file, harm.format(crc=zlib.crc32(b"\xc1"), crc_other=zlib.crc32(b"\x81\xa1\x41\xa1\x42")))
    assert fold(history) == ledger.fold(TASK).entities
    assert good == sql(file, ROWS)


def test_the_fold_does_not_wait_for_a_writer(open_it: Callable[[], SqliteLedger], file: Path) -> None:
    """Looking at the state must not stand still because somebody imports a bundle; the snapshot can wait."""
    ledger = open_it()
    history = edits(300)
    ledger.append(history)
    writer = apsw.Connection(str(file))
    writer.execute("BEGIN IMMEDIATE")
    assert fold(history) == ledger.fold(TASK).entities
    assert [] == sql(file, "SELECT seq FROM snapshot")
    writer.execute("ROLLBACK")
    ledger.fold(TASK)
    assert [(300,)] == sql(file, "SELECT seq FROM snapshot")
    writer.close()


def test_a_snapshot_is_not_replaced_by_an_older_one(open_it: Callable[[], SqliteLedger], file: Path) -> None:
    """Of two processes the slower one may come last."""
    ledger, slower = open_it(), open_it()
    ledger.append(edits(300))
    ledger.fold(TASK)
    for base in (0, 100):
        slower._snapshots.save(TASK, 200, fold(edits(200)), base=base)
    assert [(300,)] == sql(file, "SELECT seq FROM snapshot")
    assert fold(edits(300)) == open_it().fold(TASK).entities


def test_a_snapshot_is_brought_on_by_what_changed(open_it: Callable[[], SqliteLedger], file: Path) -> None:
    """A hundred thousand items are not written again because three hundred are new."""
    ledger = open_it()
    ledger.append(edits(300))
    ledger.fold(TASK)
    sql(file, "UPDATE entity SET said = 'untouched'")
    late = [stated(1000 + n, item=f"D-{identity(str(n % 3))}", text="late") for n in range(256)]
    ledger.append(late)
    ledger.fold(TASK)
    assert [(556,)] == sql(file, "SELECT seq FROM snapshot")
    assert [(37,)] == sql(file, "SELECT count(*) FROM entity WHERE said = 'untouched'")
    assert fold([*edits(300), *late]) == open_it().fold(TASK).entities


def test_a_few_of_many_are_read_off_the_snapshot(open_it: Callable[[], SqliteLedger], file: Path) -> None:
    """A session that starts has room for a few of a hundred thousand items, and waits for no more."""
    ledger = open_it()
    ledger.append([stated(n, item=f"D-{identity(str(n))}", text=f"text {n}") for n in range(400)])
    ledger.fold(TASK)
    sql(file, "UPDATE entity SET changes = x'' WHERE name NOT IN (SELECT name FROM entity ORDER BY said LIMIT 20)")
    late = [stated(500, item=f"D-{identity(str(7))}", text="reworded"), stated(501, item="D-new", text="new")]
    ledger.append(late)
    found = open_it().select(TASK, lambda _: 8, [f"D-{identity('3')}"])
    assert {f"D-{identity(str(n))}" for n in range(10) if n != 7} == set(found.entities)  # 7 is new
    assert [392] == list(found.more.values())
    sql(file, "UPDATE entity SET changes = x''")  # then it is folded from the first event on
    assert found == open_it().select(TASK, lambda _: 8, [f"D-{identity('3')}"])


def test_state_is_synced_and_activity_is_not(open_it: Callable[[], SqliteLedger]) -> None:
    """A decision outlives a power cut; that a session was seen does not pay for it."""
    ledger = open_it()
    seen = event("session.seen", 1, client="c", session="s")
    for batch, level in (([seen], 1), ([stated(2)], 2), ([event("session.seen", 3, client="c", session="s")], 1)):
        ledger.append(batch)
        assert level == ledger._connection.pragma("synchronous")
    ledger.append([event("session.seen", 4, client="c", session="s"), stated(5)])
    assert 2 == ledger._connection.pragma("synchronous")


def test_many_checkpoints_do_not_copy_what_did_not_change(open_it: Callable[[], SqliteLedger], file: Path) -> None:
    """A session of a thousand items, checkpointed at every prompt, would fill the disk with its own past."""
    ledger = open_it()
    items = [item(f"F-{identity(str(n))}", f"finding {n} " + "about limits " * 10, rank=n) for n in range(200)]
    for number in range(50):
        part = [one._replace(rank=one.rank + number) for one in items[: 150 + number]]
        ledger.take_in(extract(number, *part))
        ledger.append([checkpoint(number)])
    assert [(199,)] == sql(file, "SELECT count(*) FROM inferred")
    ((size,),) = sql(file, "SELECT avg(length(items)) FROM extract")
    assert isinstance(size, float) and size < 700
    assert [150 + n for n in range(50)] == [len(ledger.extracts(upto=n)[0].items) for n in range(1, 51)]


def test_what_no_checkpoint_saw_leaves_no_rows(open_it: Callable[[], SqliteLedger], file: Path) -> None:
    """A running session is read again and again."""
    ledger = open_it()
    for number in range(20):
        ledger.take_in(extract(number, item(text=f"text {number}"), item("F-2")))
    assert [(1, 2)] == sql(file, "SELECT (SELECT count(*) FROM extract), (SELECT count(*) FROM inferred)")


def test_whoever_may_only_read_changes_nothing(open_it: Callable[[], SqliteLedger], file: Path) -> None:
    """The rights of the shell decide; the answer says so before anything is tried."""
    open_it().append(edits(300))
    reader = open_ledger(file, write=False)
    assert not reader.writable
    assert 40 == len(reader.fold(TASK).entities)
    changes: list[Callable[[], object]] = [
        lambda: reader.append([stated(999)]),
        lambda: reader.take_in(extract(1)),
        lambda: reader.assign("s1", TASK),
        lambda: reader.purge(DECISION, ["x"]),
        lambda: reader.prune("2999"),
    ]
    for change in changes:
        with pytest.raises(LedgerError) as caught:
            change()
        assert "E-ledger-readonly" == caught.value.code
    reader.close()
    assert [] == sql(file, "SELECT seq FROM snapshot")


def test_the_log_is_cut_when_a_writer_leaves(open_it: Callable[[], SqliteLedger], file: Path) -> None:
    """A write-ahead log that only grows has filled disks (LESSONS 20); also while somebody else keeps it open."""
    ledger, other = open_it(), open_it()
    ledger.append(edits(300))
    log = file.with_name("ledger.db-wal")
    assert log.stat().st_size > 0
    assert other.position() == 300
    ledger.close()
    assert 0 == log.stat().st_size
    other.close()
    assert not log.exists()


SECRETS = ("hunter2-correct-horse", 'pä"ß\\wörd\nЖ', "\U0001f511\U0001f511\U0001f511 key")


def _forms(secret: str) -> list[bytes]:
    """What a secret looks like in a file: as it is, as JSON writes it, in UTF-16."""
    inner = [secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]]
    return [*(text.encode() for text in inner), secret.encode("utf-16-le"), secret.encode("utf-16-be")]


def _bytes(file: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(file.parent.iterdir()))


def test_a_purge_leaves_no_byte_of_it_in_any_file(open_it: Callable[[], SqliteLedger], file: Path) -> None:
    """By itself SQLite overwrites nothing: freed pages, the log, compressed data, snapshots keep what was deleted."""
    ledger = open_it()
    for number, secret in enumerate(SECRETS):
        about = f"D-{identity(secret)}"
        filler = [f"{secret} in a long list, item {n}" for n in range(60)]
        ledger.append([stated(10 * number, item=about, text=f"the key is {secret}"), checkpoint(10 * number + 1)])
        ledger.append([event("item.stated", 10 * number + 2, item=DECISION, kind="decision", text="x", files=filler)])
        state = json.dumps({"messages": [secret]})
        ledger.append([event("agent.saved", 10 * number + 3, agent="a", checkpoint="K-1", state=state)])
        ledger.take_in(extract(number, item(text=f"found {secret}"), item(f"F-{number}", "fine")))
    ledger.append(edits(300, 1000))
    ledger.fold(TASK)
    compressed = [row[0] for row in sql(file, "SELECT data FROM event WHERE typeof(data) = 'blob'")]
    assert len(SECRETS) == len(compressed)
    assert any(form in _bytes(file) for secret in SECRETS for form in _forms(secret))

    for secret in SECRETS:
        assert 0 < ledger.purge(f"D-{identity(secret)}", [secret])

    left = _bytes(file)
    assert not [form for secret in SECRETS for form in _forms(secret) if form in left]
    assert not [data for data in compressed if isinstance(data, bytes) and data in left]
    shown = repr((list(ledger.events()), list(ledger.versions()), ledger.fold(TASK)))
    assert not [secret for secret in SECRETS if secret in shown or repr(secret)[1:-1] in shown]
    assert "fine" in texts(ledger)
    assert 3 + 3 + 3 + 3 + 300 == ledger.position()
    assert [("ok",)] == sql(file, "PRAGMA integrity_check")


def test_a_purge_that_cannot_reach_the_file_says_so_and_can_be_finished(
    open_it: Callable[[], SqliteLedger], file: Path
) -> None:
    """Another process that reads keeps the old bytes alive; "done" would be a lie."""
    ledger = open_it()
    ledger.append([stated(1, text="hunter2")])
    reader = apsw.Connection(str(file))
    reader.execute("BEGIN; SELECT count(*) FROM event").fetchall()
    ledger._connection.set_busy_timeout(50)
    with pytest.raises(LedgerError) as caught:
        ledger.purge(DECISION, ["hunter2"])
    assert "E-ledger-busy" == caught.value.code
    assert b"hunter2" in _bytes(file)
    reader.close()
    assert 0 == ledger.purge(DECISION, ["hunter2"])
    assert b"hunter2" not in _bytes(file)


@pytest.mark.parametrize("by_another", [False, True])
def test_what_was_folded_before_is_asked_again_when_it_changed(
    open_it: Callable[[], SqliteLedger], by_another: bool
) -> None:
    """A fold is remembered for as long as it is the truth: a purge changes what older events say, and no position."""
    ledger = open_it()
    other = open_it() if by_another else ledger
    ledger.append([stated(1, text="the moon is a secret word")])
    before = ledger.fold(TASK)
    assert before is ledger.fold(TASK)
    other.append([stated(2, item=f"D-{identity('other')}", text="tide")])
    assert len(ledger.fold(TASK).entities) == len(before.entities) + 1
    other.purge("D-none", ["moon"])
    assert "moon" not in repr(ledger.fold(TASK).entities)
