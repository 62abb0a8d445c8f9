"""A full disk: a clear error, nothing of the batch, and the ledger works again when there is room."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from clew.core.errors import LedgerError
from clew.ledger.sqlite.connection import configure
from clew.ledger.sqlite.ledger import SqliteLedger
from clew.ledger.sqlite.opening import open_ledger
from tests.ledger.given import PROJECT, read_off, sound, stated

ROOT = Path(__file__).parents[3]


def test_a_batch_for_which_there_is_no_room_is_not_kept_in_part(tmp_path: Path):
    """SQLite's own limit on the size of a file gives the error of a full disk at any size that a test wants."""
    path = tmp_path / "ledger.db"
    open_ledger(path, project=PROJECT, write=True).close()
    connection = apsw.Connection(str(path))
    configure(connection, writable=True)
    ledger = SqliteLedger(connection, writable=True)
    ledger.append([stated("there before")])
    ledger.take_in(read_off("s1", 10, "there before"))
    connection.pragma("max_page_count", connection.pragma("page_count") + 1)
    for change in (
        lambda: ledger.append([stated("large" * 4000, number) for number in range(40)]),
        lambda: ledger.take_in(read_off("s1", 20, *[f"large {number} " * 500 for number in range(40)])),
    ):
        with pytest.raises(LedgerError) as caught:
            change()
        assert "E-ledger-full" == caught.value.code
        assert "Free some space" in caught.value.hint
    assert ["there before"] == [event.data["text"] for _, event in ledger.events()]
    assert ("there before",) == tuple(item.text for item in ledger.extracts()[0].items)
    connection.pragma("max_page_count", 1 << 20)
    assert (2, 3) == ledger.append([stated("large" * 4000, 1), stated("large" * 4000, 2)])
    sound(path, ledger)
    ledger.close()


# Fills the disk that the folder argv[1] is on through the ledger there, and tells as JSON what became of it.
FILLING = """
import json, os, pathlib, subprocess, sys
from clew.core.errors import LedgerError
from clew.ledger.sqlite.opening import open_ledger
from tests.ledger.given import PROJECT, sound, stated
folder = pathlib.Path(sys.argv[1])
ballast = folder / "ballast"
ballast.write_bytes(bytes(300_000))
path = folder / "clew" / "ledger.db"
ledger = open_ledger(path, project=PROJECT, write=True)
number = 0
try:
    while True:
        ledger.append([stated(f"{number} {os.urandom(1500).hex()}", part) for part in range(3)])
        number += 1
except LedgerError as error:
    code = error.code
folded = len(ledger.fold("").entities) == 3 * number  # it would keep a snapshot, had it room
sound(path, ledger)
found = {"code": code, "kept": folded and ledger.position() == 3 * number, "batches": number}
other = folder / "other" / "ledger.db"
try:
    open_ledger(other, project=PROJECT, write=True)
except LedgerError as error:
    found["made"] = [error.code, other.exists()]
subprocess.run(["mount", "-o", "remount,size=3000k", folder], check=True)
ledger.close()  # with room for the log to go into the file: else it stays, and the next batch may fit into it
found["alone"] = [one.name for one in path.parent.iterdir()] == [path.name]
# Now what readers share is gone from the disk, and there is no room to make it again.
with open(ballast, "ab", buffering=0) as rest:
    try:
        while True:
            rest.write(bytes(512))
    except OSError:
        pass
try:
    open_ledger(path, write=True).append([stated("no room")])
except LedgerError as error:
    found["shared"] = error.code
again = open_ledger(path, write=False)
found["read"] = len(list(again.events())) == 3 * number
again.close()
ballast.unlink()
ledger = open_ledger(path, write=True)
ledger.append([stated("there is room again")])
found["again"] = ledger.position() == 3 * number + 1
sound(path, ledger)
ledger.close()
print(json.dumps(found))
"""


@pytest.mark.skipif(os.name != "posix", reason="mounts as Linux has them")
def test_a_disk_that_is_really_full(tmp_path: Path):
    """The system's own error, on a small file system: also reading and making a ledger meet it."""
    if shutil.which("unshare") is None or subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode:
        pytest.skip("this system lets nobody make a name space of mounts")
    mount = f'mount -t tmpfs -o size=1000k tmpfs "{tmp_path}" && exec "$@"'
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-ec", mount, "sh", sys.executable, "-c", FILLING, str(tmp_path)],
        capture_output=True, text=True, timeout=60, cwd=ROOT,
    )  # fmt: skip
    assert "" == done.stderr
    found = json.loads(done.stdout)
    assert 10 < found.pop("batches")
    full = "E-ledger-full"
    assert {"code": full, "kept": True, "made": [full, False]} == {
        key: found.pop(key) for key in ("code", "kept", "made")
    }
    assert {"alone": True, "shared": full, "read": True, "again": True} == found
