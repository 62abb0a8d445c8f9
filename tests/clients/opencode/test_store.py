"""The client's database, read without a trace: while it writes, after it was killed, and when it is something else."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from contextlib import closing
from hashlib import blake2b
from pathlib import Path

import apsw
import pytest

from clew.clients.opencode.paths import OpenCodeLocator
from clew.clients.opencode.reader import OpenCodeReader
from clew.clients.opencode.store import listed, stored

from .recordings import DATABASE, MADE, SESSION, answer, made, user
from .recordings import stored as put

# Writes as the client does: one transaction a message, nothing folded in, no end.
_WRITER = """
import sys, time
from pathlib import Path
import apsw
from tests.clients.opencode.recordings import stored, tables_in, told, user
connection = apsw.Connection(sys.argv[1])
connection.pragma("journal_mode", "wal")
connection.pragma("wal_autocheckpoint", int(sys.argv[2]))
tables_in(connection)
with connection:
    stored(connection, [user("first")], session="ses_live")
print("ready", flush=True)
for at in range(1, 1 << 30):
    with connection:
        told(connection, *user(f"message {at} " + "x" * 3000), session="ses_live", at=at)
    print(at, flush=True)
"""


def traces(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """All that reading could leave: files, their times and what they hold."""
    found = {}
    for path in sorted(folder.iterdir()):
        state = path.stat()
        found[path.name] = (state.st_mtime_ns, state.st_mode, blake2b(path.read_bytes()).digest())
    return found


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """A database whose client was killed: what it wrote is in its log."""
    path = tmp_path / "opencode.db"
    writer = subprocess.Popen([sys.executable, "-c", _WRITER, str(path), "0"], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    for line in writer.stdout:
        if line == "20\n":
            break
    writer.kill()
    writer.wait()
    writer.stdout.close()
    return path


def test_what_a_killed_client_wrote_is_there_and_stays_as_it_is(killed: Path) -> None:
    """A session that ends so is the very one that somebody wants to go on from."""
    assert Path(f"{killed}-wal").stat().st_size > 0
    before = traces(killed.parent)
    assert len(stored(killed, "ses_live").messages) >= 20
    assert [one.session for one in listed(killed, "/repo")[0]] == ["ses_live"]
    assert before == traces(killed.parent)


def test_a_log_without_its_index_is_told(killed: Path) -> None:
    """Somebody copied the files away, and not all of them: the file alone is not the session."""
    Path(f"{killed}-shm").unlink()
    before = traces(killed.parent)
    with pytest.raises(OSError, match="has no index"):
        stored(killed, "ses_live")
    locator = OpenCodeLocator(killed)
    assert [] == list(locator.sessions_of(Path("/repo"))) and "no index" in locator.problem
    assert before == traces(killed.parent)


def test_a_database_without_a_log_gets_none(tmp_path: Path) -> None:
    """A plain read-only connection would make both files beside it."""
    made(tmp_path, user("hello"))
    before = traces(tmp_path)
    assert list(before) == ["opencode.db"]
    assert stored(tmp_path / "opencode.db", MADE).session["directory"] == "/repo"
    assert before == traces(tmp_path)


def test_nothing_is_needed_but_the_right_to_read(killed: Path) -> None:
    """A sandbox shows the user's data and lets nothing be written there."""
    folder = killed.parent
    for path in (*folder.iterdir(), folder):
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        assert len(stored(killed, "ses_live").messages) >= 20
    finally:
        folder.chmod(0o755)


@pytest.mark.parametrize("folds_in", ["0", "10"], ids=["log grows", "log is folded in"])
def test_a_client_that_writes_disturbs_nobody_and_is_not_disturbed(tmp_path: Path, folds_in: str) -> None:
    """Both go on: each reading is a whole number of messages, in order, and the writer never waits for us."""
    path = tmp_path / "opencode.db"
    writer = subprocess.Popen([sys.executable, "-c", _WRITER, str(path), folds_in], stdout=subprocess.PIPE, text=True)
    try:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
        counts = []
        for _ in range(30):
            found = stored(path, "ses_live")
            assert [name for name, _ in found.messages] == [f"msg_{at}" for at in range(len(found.messages))]
            assert len(found.messages) == len(found.parts)
            counts.append(len(found.messages))
            writer.stdout.readline()
        assert counts == sorted(counts) and counts[-1] > counts[0]
        assert writer.poll() is None
    finally:
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        if writer.stdout is not None:
            writer.stdout.close()


def test_sessions_of_folders_below_belong_to_the_project(tmp_path: Path) -> None:
    """And those of a neighbour whose name begins alike do not."""
    path = made(tmp_path, user("one"), runs_in="/w/tide/api").parent
    connection = apsw.Connection(str(path))
    put(connection, [user("two")], session="ses_top", runs_in="/w/tide")
    put(connection, [user("three")], session="ses_near", runs_in="/w/tide-2")
    connection.close()
    assert {one.session for one in listed(path, "/w/tide")[0]} == {MADE, "ses_top"}
    assert {one.session for one in listed(path, "/")[0]} == {MADE, "ses_top", "ses_near"}


def test_a_session_that_began_behind_a_link_belongs_to_the_project(tmp_path: Path) -> None:
    """The client keeps `$PWD`, by which a shell that went through a link calls the folder."""
    (tmp_path / "real" / "api").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    path = made(tmp_path, user("one"), runs_in=str(tmp_path / "link" / "api")).parent
    assert [one.session for one in listed(path, str(tmp_path / "real"))[0]] == [MADE]
    assert [one.session for one in listed(path, str(tmp_path / "link"))[0]] == [MADE]
    assert listed(path, str(tmp_path / "re"))[0] == []


def test_a_later_versions_database_is_told(tmp_path: Path) -> None:
    """Or somebody's sessions would be gone without a word. What it still has in the known tables is found."""
    later = tmp_path / "later.db"
    with closing(apsw.Connection(str(later))) as connection:
        connection.execute("CREATE TABLE session_v2 (id TEXT); CREATE TABLE session_message (id TEXT)")
    locator = OpenCodeLocator(later)
    assert list(locator.sessions_of(Path("/repo"))) == []
    assert str(later) in locator.problem and "later OpenCode" in locator.problem
    known = made(tmp_path, user("one")).parent
    with closing(apsw.Connection(str(known))) as connection:
        connection.execute("CREATE TABLE session_v2 (id TEXT)")
    locator = OpenCodeLocator(known)
    assert [one.session for one in locator.sessions_of(Path("/repo"))] == [MADE]
    assert "later OpenCode" in locator.problem


def test_what_is_no_database_of_the_clients_is_no_problem(tmp_path: Path) -> None:
    """A client that never ran made none, or an empty one; only one that cannot be read is told."""
    empty, broken = tmp_path / "empty.db", tmp_path / "broken.db"
    apsw.Connection(str(empty)).close()
    empty.touch()
    broken.write_bytes(b"SQLite format 3\0" + bytes(2000))
    told = {}
    for path in (empty, broken, tmp_path / "none.db"):
        locator = OpenCodeLocator(path)
        assert list(locator.sessions_of(Path("/repo"))) == []
        told[path.name] = locator.problem
    assert (told["empty.db"], told["none.db"]) == ("", "")
    assert "cannot be read" in told["broken.db"]


def test_every_change_of_a_session_is_told_by_its_time(tmp_path: Path) -> None:
    """What is as old as it was is not read again. The client writes an answer's parts while it comes."""
    path = made(tmp_path, user("one"), answer({"type": "text", "text": "x"})).parent
    connection = apsw.Connection(str(path))
    for at, table in enumerate(("session", "message", "part"), 1):
        connection.execute(f"UPDATE {table} SET time_updated = {1_800_000_000_000 + at}")
        ((found,), _) = listed(path, "/repo")
        assert found.modified_ms == 1_800_000_000_000 + at, table
    connection.close()


@pytest.mark.parametrize(
    "data",
    [b"", b"no database at all", b"SQLite format 3\0", b"SQLite format 3\0" + os.urandom(8192)],
    ids=["empty", "text", "torn", "rubbish"],
)
def test_what_is_no_database_is_an_error_that_says_so(tmp_path: Path, data: bytes) -> None:
    """Never anything else: hooks stand in the client's way."""
    path = tmp_path / "opencode.db"
    path.write_bytes(data)
    with pytest.raises(OSError):
        stored(path, SESSION)
    with pytest.raises(OSError):
        OpenCodeReader().open(path / SESSION)
    assert list(OpenCodeLocator(path).sessions_of(Path("/repo"))) == []


@pytest.mark.parametrize("change", ["DROP TABLE part", "ALTER TABLE session DROP COLUMN directory"])
def test_another_schema_is_no_sessions(tmp_path: Path, change: str) -> None:
    """A newer client may keep them in another way, which is told."""
    path = made(tmp_path, user("hello")).parent
    connection = apsw.Connection(str(path))
    connection.execute(change)
    connection.close()
    locator = OpenCodeLocator(path)
    assert list(locator.sessions_of(Path("/repo"))) == []
    assert str(path) in locator.problem
    with pytest.raises(OSError):
        stored(path, MADE)


def test_a_session_that_is_not_there_is_told(tmp_path: Path) -> None:
    """Deleted since it was listed, or mistyped."""
    with pytest.raises(FileNotFoundError):
        stored(DATABASE, "ses_none")
    with pytest.raises(OSError, match="name one of them"):
        OpenCodeReader().open(DATABASE)
    with pytest.raises(OSError):
        stored(tmp_path / "none.db", "ses_none")


def test_odd_names_of_folders_are_no_options(tmp_path: Path) -> None:
    """The path goes into a URI."""
    folder = tmp_path / "a?mode=rw&b#c %41"
    folder.mkdir()
    copy = folder / "opencode.db"
    shutil.copyfile(DATABASE, copy)
    assert stored(copy, SESSION).session["id"] == SESSION
    assert [path.name for path in folder.iterdir()] == ["opencode.db"]
