"""A ledger's file opens as it should, or says what is wrong and what to do, and stays as it was."""

from __future__ import annotations

import os
import random
import shutil
import stat
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from clew.core.errors import LedgerError
from clew.ledger.sqlite.connection import configure
from clew.ledger.sqlite.ledger import SqliteLedger
from clew.ledger.sqlite.opening import open_ledger
from tests.ledger.given import KEY, PROJECT, read_off, seen, stated

POSIX = pytest.mark.skipif(os.name != "posix", reason="rights as POSIX has them")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a ledger would be: in a folder that is not there yet."""
    return tmp_path / "clew" / "ledger.db"


def made(path: Path) -> SqliteLedger:
    """A new ledger with two facts, open for writing."""
    ledger = open_ledger(path, project=PROJECT, write=True, chance=lambda count: KEY[:count])
    ledger.append([stated("use pathlib"), seen(1)])
    return ledger


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def refused(path: Path, *, write: bool) -> LedgerError:
    with pytest.raises(LedgerError) as caught:
        open_ledger(path, write=write).close()
    assert caught.value.hint
    return caught.value


def test_a_new_ledger_keeps_its_project_and_key(path: Path):
    """Who opens it next, to read or to write, must find the same project and the same key for hashes."""
    made(path).close()
    for write in (False, True):
        ledger = open_ledger(path, write=write)
        assert (PROJECT, KEY, write, 2) == (ledger.project, ledger.key, ledger.writable, ledger.position())
        ledger.close()
    again = open_ledger(path, project="01KANQ00000000000000000THER", write=True)
    assert (PROJECT, KEY) == (again.project, again.key)
    again.close()
    assert ["ledger.db"] == list(files(path.parent))


@POSIX
def test_what_is_made_is_private_and_what_others_may_read_is_made_so(path: Path):
    """A ledger holds quotes of prompts: no other user of the machine may read it or its companions."""
    old = os.umask(0)
    try:
        ledger = made(path)
        modes = {name.name: stat.S_IMODE(name.stat().st_mode) for name in (path.parent, *path.parent.iterdir())}
        assert {"clew": 0o700, "ledger.db": 0o600, "ledger.db-wal": 0o600, "ledger.db-shm": 0o600} == modes
        for name in path.parent.iterdir():
            name.chmod(0o666)
        open_ledger(path, write=True).close()
        assert {0o600} == {stat.S_IMODE(name.stat().st_mode) for name in path.parent.iterdir()}
        ledger.close()
    finally:
        os.umask(old)


@pytest.mark.parametrize("write", [False, True])
def test_a_ledger_that_is_not_there_is_said_to_be_missing_and_not_made(path: Path, write: bool):
    """A typing error in a folder's name must not make an empty ledger there."""
    error = refused(path, write=write)
    assert ("E-ledger-missing", False) == (error.code, path.parent.exists())
    assert "clew init" in error.hint


@POSIX
@pytest.mark.parametrize("write", [False, True])
def test_a_path_that_leads_nowhere_is_told_from_one_that_is_not_there(path: Path, write: bool):
    """ "Run `clew init`" is no help where the system refuses to look."""
    path.parent.symlink_to("clew")
    assert "E-ledger-io" == refused(path, write=write).code


def test_making_is_whole_or_not_at_all(tmp_path: Path):
    """`clew init` killed half-way must not leave a file that is not a ledger and that the next `init` takes for one."""
    program = (
        "import apsw, os, pathlib, signal, sys\n"
        "from clew.ledger.sqlite.opening import open_ledger\n"
        "left = int(sys.argv[2])\n"
        "def die():\n"
        "    global left\n"
        "    left -= 1\n"
        "    if not left: os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return False\n"
        "apsw.connection_hooks.append(lambda connection: connection.set_progress_handler(die, 20))\n"
        f"open_ledger(pathlib.Path(sys.argv[1]), project={PROJECT!r}, write=True).close()\n"
    )
    endings = set()
    for steps in (1, 2, 4, 7, 11, 16, 22, 29):
        path = tmp_path / str(steps) / "ledger.db"
        done = subprocess.run([sys.executable, "-c", program, str(path), str(steps)], timeout=60)
        endings.add(done.returncode)
        if path.exists():
            open_ledger(path, write=False).close()
        ledger = made(path)
        assert (PROJECT, 2) == (ledger.project, ledger.position())
        ledger.close()
    assert endings <= {0, -9}
    assert -9 in endings


# What a file may have become: its bytes, or what was done to a ledger; and what it is said to be.
SPOILED = {
    "empty": (b"", "corrupt"),
    "text": (b"not a database\n" * 1000, "corrupt"),
    "header only": (b"SQLite format 3\0" + b"\xff" * 5000, "corrupt"),
    "somebody else's": ("PRAGMA application_id = 0; PRAGMA user_version = 0; CREATE TABLE theirs (x)", "corrupt"),
    "of a newer clew": ("PRAGMA user_version = 999", "newer"),
    "no position": ("UPDATE meta SET value = 'many' WHERE name = 'filed'", "corrupt"),
    "no key": ("UPDATE meta SET value = 7 WHERE name = 'key'", "corrupt"),
    "no project": ("UPDATE meta SET value = x'00' WHERE name = 'project'", "corrupt"),
    "another name": ("UPDATE meta SET name = 'kex' WHERE name = 'key'", "corrupt"),
}


@pytest.mark.parametrize("write", [False, True])
@pytest.mark.parametrize(("harm", "code"), SPOILED.values(), ids=SPOILED)
def test_what_is_no_ledger_that_can_be_read_is_left_alone(path: Path, harm: bytes | str, code: str, write: bool):
    """It is evidence and perhaps the only copy, or another program's: nothing may be made of it or in its place. An old
    clew that writes into a newer schema destroys what it does not understand.
    """
    made(path).close()
    if isinstance(harm, bytes):
        path.write_bytes(harm)
    else:
        with closing(apsw.Connection(str(path))) as connection:
            connection.execute(harm)
    before = files(path.parent)
    error = refused(path, write=write)
    assert f"E-ledger-{code}" == error.code
    assert code != "newer" or ("999" in error.message and "Update clew" in error.hint)
    if "meta" not in str(harm):  # what it says of itself is read when it is open, with a log beside it
        assert before == files(path.parent)


def test_a_truncated_ledger_is_said_to_be_damaged(path: Path):
    """A copy that broke off must not pass for a ledger with fewer facts."""
    ledger = made(path)
    ledger.append([stated(f"fact {n} {'x' * 200}") for n in range(200)])
    ledger.close()
    whole = path.read_bytes()
    for size in (len(whole) // 2, len(whole) - 4096):
        path.write_bytes(whole[:size])
        with pytest.raises(LedgerError) as caught:
            found = open_ledger(path, write=False)
            list(found.events())
            found.fold("")
            found.ids()
        assert "E-ledger-corrupt" == caught.value.code


def test_a_table_that_leads_back_is_said_to_be_damaged_and_not_read_for_ever(path: Path):
    """Given a ledger in which a way to later events leads to ones already read, when all are read, that is told."""
    ledger = made(path)
    ledger.append([stated(f"fact {n} {'x' * 200}") for n in range(200)])
    ledger.close()
    with closing(apsw.Connection(str(path))) as connection:
        ((root,),) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'event'")
        page_size = connection.pragma("page_size")
    damaged = bytearray(path.read_bytes())
    # https://www.sqlite.org/fileformat2.html#b_tree_pages: the last cell of the root, its child's number and its key.
    page = (root - 1) * page_size
    assert 5 == damaged[page], "it has children"
    cells = int.from_bytes(damaged[page + 3 : page + 5])
    cell = int.from_bytes(damaged[page + 12 + 2 * (cells - 1) :][:2])
    key = slice(page + cell + 4, page + cell + 6)
    assert 128 <= (damaged[key][0] & 127) << 7 | damaged[key][1] <= 202, "a key in two bytes"
    damaged[key] = b"\xff\x7f"
    path.write_bytes(damaged)
    found = open_ledger(path, write=False)
    with pytest.raises(LedgerError) as caught:
        for number, _ in enumerate(found.events()):
            assert number < 1000, "it goes round"
    found.close()
    assert "E-ledger-corrupt" == caught.value.code


def test_flipped_bytes_give_an_answer_or_a_clear_error(path: Path):
    """What a broken disk gives back must never come out as a fault of ours, nor hang, nor change the file."""
    ledger = made(path)
    ledger.append([stated(f"fact {n} {'x' * (n % 7 * 150)}", task=f"T-{n % 3}") for n in range(60)])
    ledger.take_in(read_off("s1", 10, "one", "two"))
    ledger.close()
    whole = path.read_bytes()
    chance = random.Random(3)
    errors = 0
    for _ in range(40):
        damaged = bytearray(whole)
        for _ in range(chance.choice((1, 3, 30))):
            damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
        path.write_bytes(damaged)
        try:
            found = open_ledger(path, write=False)
            list(found.events())
            found.fold("")
            found.extracts()
            found.close()
        except LedgerError as error:
            assert error.code in ("E-ledger-corrupt", "E-ledger-newer")
            errors += 1
        assert bytes(damaged) == path.read_bytes()
    assert 0 < errors


def test_a_writer_that_waits_too_long_says_so_and_keeps_nothing(path: Path):
    """A process that hangs with the ledger in its hand must not make all others hang."""
    made(path).close()
    holder = apsw.Connection(str(path))
    holder.execute("BEGIN IMMEDIATE")
    connection = apsw.Connection(str(path))
    configure(connection, writable=True)
    connection.set_busy_timeout(50)
    ledger = SqliteLedger(connection, writable=True)
    with pytest.raises(LedgerError) as caught:
        ledger.append([stated("too late")])
    assert "E-ledger-busy" == caught.value.code
    assert 2 == ledger.position()
    holder.execute("ROLLBACK")
    ledger.append([stated("in time")])
    assert 3 == ledger.position()
    ledger.close()
    holder.close()


# Opens the ledger argv[1] and says what it finds, or the error; as `nobody` it gives up the rights of root first.
READER = """
import os, pathlib, shutil, sys, tempfile, urllib.parse
from clew.core.errors import LedgerError
from clew.ledger.sqlite.opening import open_ledger
if sys.argv[2] == "nobody":  # who may not even read Python's own modules
    os.setgid(65534); os.setuid(65534)
try:
    open_ledger(pathlib.Path(sys.argv[1]), write=True)
except LedgerError as error:
    print(error.code, end=" ")
ledger = open_ledger(pathlib.Path(sys.argv[1]), write=False)
print(ledger.position(), len(list(ledger.events())), len(ledger.fold("").entities), ledger.project)
ledger.close()
"""
LOGS = ["no log", "log", "log and shared memory"]


def left_behind(path: Path, log: str) -> None:
    """A ledger as a writer leaves it that closed it (`no log`), or that was killed."""
    ledger = made(path)
    if log != "no log":
        ledger.append([stated("only in the log")])
        copies = {name.name: name.read_bytes() for name in path.parent.iterdir()}
        ledger.close()
        for name, content in copies.items():
            if "-shm" not in name or log == "log and shared memory":
                (path.parent / name).write_bytes(content)
    else:
        ledger.append([stated("only in the log")])
        ledger.close()


@POSIX
@pytest.mark.parametrize("log", LOGS)
def test_a_ledger_on_a_read_only_mount_is_read(path: Path, log: str):
    """A sandbox that mounts the project read-only must still get its payload, also of a writer that was killed."""
    left_behind(path, log)
    before = files(path.parent)
    mount = f'mount --bind "{path.parent}" "{path.parent}" && mount -o remount,ro,bind "{path.parent}" && exec "$@"'
    if shutil.which("unshare") is None or subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode:
        pytest.skip("this system lets nobody make a name space of mounts")
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-ec", mount, "sh", sys.executable, "-c", READER, str(path), "self"],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert (f"E-ledger-readonly 3 3 2 {PROJECT}\n", "") == (done.stdout, done.stderr)
    assert before == files(path.parent)


@POSIX
@pytest.mark.parametrize("log", LOGS)
def test_a_ledger_of_which_one_may_read_only_is_read(path: Path, log: str):
    """The same without a right to write, as another user has it."""
    left_behind(path, log)
    for name in path.parent.iterdir():
        name.chmod(0o444)
    path.parent.chmod(0o555)
    before = files(path.parent)
    user = "self"
    if os.geteuid() == 0:
        user = "nobody"
        if any(not folder.stat().st_mode & 0o001 for folder in path.parents):
            shutil.copytree(path.parent, folder := Path(tempfile.mkdtemp()) / "copy")
            folder.parent.chmod(0o755)
            path = folder / path.name
    try:
        done = subprocess.run(
            [sys.executable, "-c", READER, str(path), user], capture_output=True, text=True, timeout=60
        )
        assert (f"E-ledger-readonly 3 3 2 {PROJECT}\n", "") == (done.stdout, done.stderr)
        assert before == files(path.parent)
    finally:
        path.parent.chmod(0o755)
        if path.parent.name == "copy":
            shutil.rmtree(path.parents[1])
