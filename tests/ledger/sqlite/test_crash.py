"""A writer is killed at any moment: what it was told is kept is there, all else is there whole or not at all.

`make nightly` does the same for longer (tests/fuzz/fuzz_ledger.py).
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import pytest

from clew.ledger.port import Ledger
from clew.ledger.sqlite.opening import open_ledger
from tests.ledger.given import PROJECT, sound

ROOT = Path(__file__).parents[3]
# Two thirds of the points are reached within the work of a few batches.
POINTS = {"commit": 12, "step": 400, "write": 90, "sync": 25}

pytestmark = pytest.mark.skipif(os.name != "posix", reason="SIGKILL")


def killed(path: Path, seed: str, chance: random.Random) -> list[str]:
    """Run a writer until it dies, by itself at some point or by us at some moment: what it was told."""
    argv = [sys.executable, "-m", "tests.ledger.crash.writer", str(path), seed]
    at_point = chance.random() < 0.5
    if at_point:
        what = chance.choice(sorted(POINTS))
        argv.append(f"{what}:{chance.randint(1, POINTS[what])}")
    writer = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert writer.stdout is not None
    told = []
    try:
        if not at_point:
            told.append(writer.stdout.readline())
            time.sleep(chance.random() * 0.08)
            writer.kill()
        told += writer.stdout.read().splitlines(keepends=True)
        assert -signal.SIGKILL == writer.wait(timeout=30)
    finally:
        writer.kill()
        writer.wait()
        writer.stdout.close()
    return [line.rstrip("\n") for line in told if line.endswith("\n")]


def check(path: Path, told: list[str]) -> int:
    """Everything that is promised of a ledger whose writers were killed; how many events it has."""
    ledger = open_ledger(path, write=True)
    try:
        sound(path, ledger)
        events = [event for _, event in ledger.events()]
        seqs = [seq for seq, _ in ledger.events()]
        assert list(range(1, len(seqs) + 1)) == seqs
        assert len(events) == len({event.key for event in events})
        _batches(told, Counter(event.actor for event in events))
        _extracts(told, ledger)
        _purged(told, path, ledger)
        return len(events)
    finally:
        ledger.close()


def _batches(told: list[str], actors: Counter[str]) -> None:
    there: dict[tuple[str, int], int] = Counter()
    for actor in actors:
        name, _, _, count = actor.split()
        there[name, int(count)] += 1
    for (name, count), found in there.items():
        assert count == found, f"batch {name} is there in part"
    for line in told:
        if line.startswith("batch "):
            _, name, count = line.split()
            assert int(count) == there[name, int(count)], f"batch {name} was acknowledged and is lost"


def _extracts(told: list[str], ledger: Ledger) -> None:
    now = {extract.origin.session: extract for extract in ledger.extracts()}
    for session, extract in now.items():
        if session.startswith("s"):
            what, _, count = extract.items[0].text.partition("#")
            assert (f"{session}@{extract.extent}", int(count) + 1) == (what, len(extract.items))
    for line in told:
        if line.startswith("extract "):
            _, session, extent = line.split()
            assert now[session].extent >= int(extent), f"an acknowledged reading of {session} is lost"


def _purged(told: list[str], path: Path, ledger: Ledger) -> None:
    begun = {line.split()[1] for line in told if line.startswith("purging ")}
    ended = {line.split()[1] for line in told if line.startswith("purge ")}
    content = b"".join(name.read_bytes() for name in path.parent.iterdir())
    words = " ".join(str(event.data) for _, event in ledger.events())
    words += " ".join(item.text for extract in ledger.extracts() for item in extract.items)
    for word in ended:
        assert word not in words
        assert word.encode() not in content, "a purged word is still in the bytes of the file"
    for word in begun:
        assert words.count(f"{word} ") in (0, 3), "a word is purged in part"


def rounds(count: int, seed: int, *, fresh_every: int = 6) -> int:
    """Kill `count` writers, several in a row on one ledger: how many events there were in all."""
    chance = random.Random(seed)
    events = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            path = Path(folder) / str(number // fresh_every) / "ledger.db"
            if number % fresh_every == 0:
                open_ledger(path, project=PROJECT, write=True).close()
                told: list[str] = []
            told += killed(path, f"{seed}.{number}", chance)
            last = check(path, told)
            events += last if number % fresh_every == fresh_every - 1 else 0
    return events


@pytest.mark.slow
def test_writers_that_are_killed_lose_nothing_that_was_acknowledged():
    """Agents and their tools are killed all the time; a ledger that forgets then is worth nothing."""
    assert 100 < rounds(30, seed=7)
