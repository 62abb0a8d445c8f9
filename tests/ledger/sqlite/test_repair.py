"""A damaged ledger goes on without what is damaged, says so, and can be repaired without losing anything else."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import apsw
import pytest

from clew.core.errors import LedgerError
from clew.ledger.sqlite.opening import open_ledger
from clew.ledger.sqlite.repair import repair
from tests.ledger.given import KEY, PROJECT, checkpoint, read_off, stated

STAMP = "2026-11-25T10-00-00"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A ledger with 60 facts, a checkpoint and what was read off two sessions."""
    path = tmp_path / "ledger.db"
    with closing(open_ledger(path, project=PROJECT, write=True, chance=lambda count: KEY[:count])) as ledger:
        ledger.append([stated(f"fact {number}", task=f"T-{number % 3}") for number in range(60)])
        ledger.append([checkpoint("before")])
        ledger.take_in(read_off("one", 10, "first", "second"))
        ledger.take_in(read_off("two", 10, "third"))
    return path


def damage(path: Path, statement: str) -> None:
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute(statement)


def texts(path: Path) -> list[object]:
    with closing(open_ledger(path, write=False)) as ledger:
        return [one.event.data.get("text") for one in ledger.events() if "text" in one.event.data]


def test_one_damaged_event_does_not_stop_the_others(path: Path):
    """A byte of one event's JSON changed, and every command failed."""
    damage(path, "UPDATE event SET data = '{\"item' WHERE seq = 17")
    assert [f"fact {number}" for number in range(60) if number != 16] == texts(path)
    with closing(open_ledger(path, write=True)) as ledger:
        assert 20 == len(ledger.fold("T-0").entities)
        assert 19 == len(ledger.fold("T-1").entities)
        assert ("event 17",) == ledger.passed_over()
        ledger.append([stated("goes on")])
    assert "goes on" in texts(path)


def test_the_check_up_reads_every_row(path: Path):
    """`doctor` said that the ledger is whole."""
    damage(path, "UPDATE event SET data = zeroblob(20) WHERE seq IN (3, 5)")
    damage(path, "UPDATE inferred SET item = '[1' WHERE session = 'two'")
    with closing(open_ledger(path, write=False)) as ledger:
        assert "2 of the events cannot be read (3, 5)" in ledger.damage()
        assert "what was read off 1 sessions cannot (two)" in ledger.damage()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE event SET data = replace(data, 'fact 16', 'fact 61') WHERE seq = 17",
        "UPDATE event SET provenance = 'human' WHERE seq = 17",
        "UPDATE event SET about = 'D-elsewhere' WHERE seq = 17",
        "UPDATE event SET said_at = '2025-11-22T00:00:00.000Z' WHERE seq = 17",
        "UPDATE event SET data = CAST(x'ff' AS TEXT) WHERE seq = 17",
        "UPDATE event SET actor = CAST(x'ff' AS TEXT) WHERE seq = 17",
    ],
)
def test_a_byte_that_leaves_a_text_is_noticed(path: Path, statement: str):
    """What reads well was taken for what was written: another word, or a person's where an agent spoke."""
    damage(path, statement)
    assert [f"fact {number}" for number in range(60) if number != 16] == texts(path)
    with closing(open_ledger(path, write=False)) as ledger:
        assert "1 of the events cannot be read (17)" in ledger.damage()
        assert ("event 17",) == ledger.passed_over()
        assert 19 == len(ledger.fold("T-1").entities)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE inferred SET item = replace(item, 'third', 'fourth')",
        "UPDATE inferred SET item = CAST(x'ff' AS TEXT) WHERE session = 'two'",
        "UPDATE extract SET task = 'T-0' WHERE session = 'two'",
        "UPDATE extract SET worktree = CAST(x'ff' AS TEXT) WHERE session = 'two'",
    ],
)
def test_so_it_is_of_what_was_read_off_sessions(path: Path, statement: str):
    damage(path, statement)
    with closing(open_ledger(path, write=False)) as ledger:
        assert [["first", "second"]] == [[item.text for item in one.items] for one in ledger.extracts() if one.items]
        assert len(ledger.passed_over()) == 1
        assert "what was read off 1 sessions cannot" in ledger.damage()


def test_a_row_whose_checksum_is_lost_is_passed_over_and_told(path: Path):
    """A bit in the head of a row makes its checksum none, and a second one may have changed its words."""
    damage(path, "UPDATE event SET checksum = NULL, data = replace(data, 'fact 16', 'fact 61') WHERE seq = 17")
    assert not {"fact 16", "fact 61"}.intersection(texts(path)[:60])
    with closing(open_ledger(path, write=False)) as ledger:
        assert "(17)" in ledger.damage() and ("event 17",) == ledger.passed_over()
    damage(path, "UPDATE inferred SET checksum = NULL WHERE item LIKE '%third%'")
    with closing(open_ledger(path, write=False)) as ledger:
        assert "what was read off 1 sessions cannot" in ledger.damage()


def test_another_project_or_key_is_told(path: Path):
    """With another key what was redacted is not known again."""
    damage(path, "UPDATE meta SET value = zeroblob(32) WHERE name = 'key'")
    with closing(open_ledger(path, write=False)) as ledger:
        assert "the ledger's key is another one" in ledger.damage()
    done = repair(path, stamp=STAMP)
    assert 61 == done.events
    assert ["the project's id or the ledger's key: one of them is not what was written"] == list(done.lost)


def test_a_ledger_without_checksums_is_repaired_as_well(path: Path):
    """An older clew's file may be too damaged for the step that makes them."""
    damage(path, "ALTER TABLE event DROP COLUMN checksum; ALTER TABLE extract DROP COLUMN checksum")
    damage(path, "ALTER TABLE inferred DROP COLUMN checksum; DELETE FROM meta WHERE name = 'checksum'")
    damage(path, "UPDATE event SET data = '{' WHERE seq = 17; PRAGMA user_version = 1")
    done = repair(path, stamp=STAMP)
    assert ((60, 2), ("event 17",)) == ((done.events, done.sessions), done.lost)
    with closing(open_ledger(path, write=True)) as ledger:
        assert "" == ledger.damage()


def test_a_purge_leaves_nothing_of_what_is_damaged(path: Path):
    """Nobody can say that the words are not in it."""
    damage(path, "UPDATE event SET actor = 'eve' WHERE seq = 17")
    with closing(open_ledger(path, write=True)) as ledger:
        ledger.purge("D-1", ["fact 16"])
    assert b"fact 16" not in path.read_bytes()


@pytest.mark.parametrize("column", ["origin", "items"])
def test_a_damaged_extract_is_read_anew(path: Path, column: str):
    """Its session's record is there: the next reading takes the place of what is damaged."""
    damage(path, f"UPDATE extract SET {column} = '[' WHERE session = 'one'")
    with closing(open_ledger(path, write=True)) as ledger:
        assert ["two"] == [extract.origin.session for extract in ledger.extracts()]
        assert ledger.take_in(read_off("one", 20, "first", "second"))
        assert {"one", "two"} == {extract.origin.session for extract in ledger.extracts()}


def test_a_repair_saves_all_that_is_whole_and_keeps_the_old_file(path: Path):
    """What was acknowledged and can be read is never given up, nor is the evidence."""
    damage(path, "UPDATE event SET data = '{' WHERE seq = 17")
    damage(path, "UPDATE inferred SET item = '' WHERE session = 'two'")
    before = path.read_bytes()
    done = repair(path, stamp=STAMP)
    assert ((60, 2), ("event 17", "session two: a part of what was read off it")) == (
        (done.events, done.sessions),
        done.lost,
    )
    assert before == done.kept.read_bytes()
    with closing(open_ledger(path, write=True)) as ledger:
        assert "" == ledger.damage()
        assert (PROJECT, KEY) == (ledger.project, ledger.key)
        assert [seq for seq in range(1, 62) if seq != 17] == [one.seq for one in ledger.events()]
        ledger.append([stated("after the repair")])
    assert done.kept.is_file() and not list(path.parent.glob(".*"))


def test_pages_that_are_damaged_cost_only_what_stood_on_them(path: Path):
    """SQLite gives up at such a page; the events before and behind it are there."""
    damage(path, "PRAGMA wal_checkpoint(TRUNCATE)")
    content = bytearray(path.read_bytes())
    page = content.index(b"fact 30") // 1024 * 1024
    content[page : page + 64] = b"\xff" * 64
    path.write_bytes(content)
    done = repair(path, stamp=STAMP)
    assert 30 < done.events < 61
    assert 61 == done.events + len(done.lost)
    assert {"fact 0", "fact 59"} <= set(texts(path))


def test_who_had_the_old_file_open_does_not_write_into_it(path: Path):
    """Its events would be acknowledged, and nobody would ever find them."""
    with closing(open_ledger(path, write=True)) as held:
        repair(path, stamp=STAMP)
        with pytest.raises(LedgerError):
            held.append([stated("lost")])
    assert "lost" not in texts(path)


def test_nothing_is_made_of_what_is_no_ledger(tmp_path: Path):
    path = tmp_path / "ledger.db"
    path.write_bytes(b"not a database at all" * 100)
    with pytest.raises(LedgerError):
        repair(path, stamp=STAMP)
    assert ["ledger.db"] == [one.name for one in tmp_path.iterdir()]
