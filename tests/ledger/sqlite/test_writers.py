"""Eight processes at one ledger: all that they were told is kept is there once, in order, and none waits for ever."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import apsw
import pytest

from clew.ledger.sqlite.opening import open_ledger
from tests.ledger.given import PROJECT, named, sound, stated

ROOT = Path(__file__).parents[3]
WRITERS = 8
BATCHES = 20
# Waits until the file argv[3] is there, then appends to the ledger argv[1] as the writer argv[2], and says positions.
WRITER = f"""
import pathlib, sys, time
from clew.ledger.sqlite.opening import open_ledger
from tests.ledger.given import read_off, seen, stated
path, me, start = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
while not start.exists():
    time.sleep(0.001)
for number in range({BATCHES}):
    ledger = open_ledger(path, write=True) if number % 5 == 0 else ledger
    batch = [stated(f"{{me}} {{number}}", part) for part in range(3)]
    print(*ledger.append([*batch, seen(me, number), stated("everybody says", number)]), flush=True)
    ledger.take_in(read_off("shared", number * 10 + int(me), f"{{number * 10 + int(me)}}"))
    ledger.take_in(read_off(f"of {{me}}", number + 1, f"{{me}} {{number}}"))
    ledger.fold("")
    if number % 5 == 4:
        ledger.close()
"""


@pytest.mark.slow
def test_eight_writers_at_once_lose_nothing_and_double_nothing(tmp_path: Path):
    """Hooks of several sessions, a person and a background task meet at one ledger every minute."""
    path, start = tmp_path / "ledger.db", tmp_path / "start"
    open_ledger(path, project=PROJECT, write=True).close()
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(me), str(start)], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True, cwd=ROOT)
        for me in range(WRITERS)
    ]  # fmt: skip
    reader = open_ledger(path, write=False)
    begun = time.monotonic()
    start.touch()
    seen: list[int] = []
    try:
        while any(writer.poll() is None for writer in writers):
            # Whoever has seen a position never finds a new event below it.
            seen += [seq for seq, _ in reader.events(after=seen[-1] if seen else 0)]
            assert time.monotonic() - begun < 60, "writers wait for each other"
            time.sleep(0.005)
        said = [writer.communicate(timeout=30) for writer in writers]
    finally:
        for writer in writers:
            writer.kill()
            writer.wait()
    assert [""] * WRITERS == [errors for _, errors in said]
    seen += [seq for seq, _ in reader.events(after=seen[-1] if seen else 0)]
    told = [int(seq) for out, _ in said for seq in out.split()]
    assert WRITERS * BATCHES * 5 == len(told)
    # Each batch has four facts of its own and one that all writers say: the first one is kept.
    assert list(range(1, WRITERS * BATCHES * 4 + BATCHES + 1)) == sorted(set(told)) == seen
    assert seen == [seq for seq, _ in reader.events()]
    extents = {extract.origin.session: extract.extent for extract in reader.extracts()}
    assert {"shared": (BATCHES - 1) * 10 + WRITERS - 1, **{f"of {me}": BATCHES for me in range(WRITERS)}} == extents
    reader.close()
    ledger = open_ledger(path, write=True)
    sound(path, ledger)
    ledger.close()


def test_a_snapshot_does_not_bring_back_what_another_process_purged(tmp_path: Path):
    """A reader that folded the word, and keeps what it folded after the purge said "gone", would undo the purge."""
    path = tmp_path / "ledger.db"
    ledger = open_ledger(path, project=PROJECT, write=True)
    ledger.append([stated(f"fact {number}, hunter2") for number in range(300)])
    other = open_ledger(path, write=True)
    purged = []

    def between(statement: dict[str, Any]) -> None:
        if statement["sql"].startswith("BEGIN IMMEDIATE") and not purged:
            purged.append(other.purge(named("D", "fact 1, hunter2"), ["hunter2"]))

    ledger._connection.trace_v2(apsw.SQLITE_TRACE_STMT, between)
    ledger.fold("")
    ledger._connection.trace_v2(0)
    assert [300] == purged
    for one in (ledger, other):
        assert "hunter2" not in str(one.fold("").entities)
        one.close()
    assert b"hunter2" not in path.read_bytes()
