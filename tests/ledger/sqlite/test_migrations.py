"""The schema's steps: a ledger of any released version becomes today's, whole or not at all."""

from __future__ import annotations

import threading
from hashlib import blake2b
from pathlib import Path

import apsw
import pytest

from clew.core.state.fold import fold
from clew.ledger.sqlite import connection as schemas
from clew.ledger.sqlite.opening import open_ledger
from tests.core.state.test_samples import samples

SQL = sorted(Path(schemas.__file__).with_name("migrations").glob("*.sql"))
SAMPLES = Path(__file__).parents[1] / "samples"


def schema(connection: apsw.Connection) -> list[tuple[object, ...]]:
    return list(connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name"))


def test_the_steps_are_numbered_without_a_gap() -> None:
    """A file that is not counted never runs."""
    assert [f"{number:04d}" for number in range(1, schemas.NEWEST + 1)] == [path.name[:4] for path in SQL]


@pytest.mark.parametrize("number", range(1, schemas.NEWEST + 1))
def test_a_ledger_of_every_version_becomes_todays(tmp_path: Path, number: int) -> None:
    """What people have on their disks is opened by the next release, with all that is in it."""
    file = tmp_path / "ledger.db"
    old = apsw.Connection(str(file))
    old.execute((SAMPLES / f"ledger-{number:04d}.sql").read_text(encoding="utf-8"))
    assert number == schemas.version(old)
    old.close()
    ledger = open_ledger(file, write=True)
    events = [event for _, event in ledger.events()]
    of_that_time = samples()[: len(events)]
    assert of_that_time == events
    assert "01KBZQ5N00CLEWSAMPLEPR0J01" == ledger.project
    assert bytes(range(32)) == ledger.key
    for task in {event.task for event in events}:
        assert fold(event for event in events if event.task == task) == ledger.fold(task).entities
    assert ["Limits are per user", "No"] == [item.text for item in ledger.extracts()[0].items]
    ledger.close()
    fresh = apsw.Connection(str(tmp_path / "fresh.db"))
    schemas.migrate(fresh)
    assert schema(fresh) == schema(apsw.Connection(str(file)))


def test_released_steps_are_not_edited() -> None:
    """Ledgers that ran a step never run it again: an edit would give old and new ledgers two schemas under one number.

    Until the first release the first step may still change, and its sample with it.
    """
    digests = {path.name: blake2b(path.read_bytes(), digest_size=8).hexdigest() for path in SQL}
    assert {"0001_ledger.sql": "78669367d79b7de1", "0002_checksums.sql": "3d9639ff12615ca6"} == digests


def test_migrating_again_does_nothing(tmp_path: Path) -> None:
    """It is tried at every opening."""
    connection = apsw.Connection(str(tmp_path / "ledger.db"))
    schemas.migrate(connection)
    before = schema(connection), connection.total_changes()
    schemas.migrate(connection)
    assert before == (schema(connection), connection.total_changes())
    assert (schemas.NEWEST, schemas.APPLICATION_ID) == (
        schemas.version(connection),
        connection.pragma("application_id"),
    )


def test_a_step_that_fails_leaves_what_was_before(tmp_path: Path) -> None:
    """Half of a schema under its number would be taken for the whole one."""
    connection = apsw.Connection(str(tmp_path / "ledger.db"))
    connection.execute("CREATE TABLE snapshot (in_the_way ANY)")  # the last one that the first step makes
    before = schema(connection)
    with pytest.raises(apsw.SQLError):
        schemas.migrate(connection)
    assert (0, before) == (schemas.version(connection), schema(connection))
    connection.execute("DROP TABLE snapshot")
    schemas.migrate(connection)
    assert schemas.NEWEST == schemas.version(connection)


def test_eight_may_migrate_at_once(tmp_path: Path) -> None:
    """The first command after an update may be several."""
    failed = []

    def run() -> None:
        try:
            connection = apsw.Connection(str(tmp_path / "ledger.db"))
            connection.set_busy_timeout(5000)
            schemas.migrate(connection)
            connection.close()
        except apsw.Error as error:
            failed.append(error)

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert not failed
    assert schemas.NEWEST == schemas.version(apsw.Connection(str(tmp_path / "ledger.db")))
