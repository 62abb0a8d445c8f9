"""Long trials of the ledger's durability: `python -m tests.fuzz.fuzz_ledger [--rounds 300] [--seed N]`.

`--rounds` writers are killed (test_crash.py), the power is cut after every change of the disk with every
kind of loss (test_power.py), and ledgers with flipped bytes are read and written (here). Prints the seed of a failure.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

from tests.ledger.given import PROJECT, checkpoint, read_off, stated
from tests.ledger.sqlite.test_crash import rounds
from tests.ledger.sqlite.test_power import LOSSES, Trial

from clew.core.errors import LedgerError
from clew.ledger.bundle import export_bundle
from clew.ledger.sqlite.opening import open_ledger


def cuts(seed: int) -> int:
    """Cut the power after every change of one trial, with every loss: how many cuts."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        trial = Trial(Path(folder))
        for moment in range(trial.count + 1):
            for loss in LOSSES:
                trial.cut(moment, loss, chance)
        return (trial.count + 1) * len(LOSSES)


def flips(count: int, seed: int) -> int:
    """Read and write ledgers with flipped bytes: how many gave a clear error. Anything but that fails."""
    chance = random.Random(seed)
    refused = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ledger.db"
        ledger = open_ledger(path, project=PROJECT, write=True)
        ledger.append([stated(f"fact {n} {'x' * (n % 7 * 150)}", task=f"T-{n % 3}") for n in range(150)])
        ledger.take_in(read_off("s1", 10, *(f"item {n}" for n in range(30))))
        ledger.append([checkpoint("a")])
        ledger.take_in(read_off("s1", 20, "item 1", "another"))
        ledger.fold("T-1")
        ledger.close()
        whole = path.read_bytes()
        for number in range(count):
            damaged = bytearray(whole)
            for _ in range(chance.choice((1, 3, 30, 300))):
                damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
            path.write_bytes(damaged[: chance.choice((None, None, chance.randrange(len(damaged))))])
            try:
                use(path, write=number % 2 == 0, more=f"more {number}")
            except LedgerError:
                refused += 1
            for suffix in ("-wal", "-shm"):
                Path(f"{path}{suffix}").unlink(missing_ok=True)
    return refused


def use(path: Path, *, write: bool, more: str) -> None:
    """Everything that a command may do with a ledger."""
    ledger = open_ledger(path, write=write)
    try:
        list(export_bundle(ledger))
        for task in ("", "T-0", "T-1", "T-2"):
            ledger.fold(task)
        ledger.extracts(upto=151)
        ledger.shortest(ledger.ids("d-"))
        ledger.task_of("D-1")
        if write:
            ledger.append([stated(more), checkpoint(more)])
            ledger.take_in(read_off("s1", 30, "item 1", more))
            ledger.purge("D-1", ["fact 3"])
            ledger.prune("2026-11-23T00:00:00.000Z")
    finally:
        ledger.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=300, help="writers to kill")
    parser.add_argument("--seed", type=int, default=None, help="repeat one failure")
    chosen = parser.parse_args()
    seed = chosen.seed if chosen.seed is not None else time.time_ns() % 1_000_000
    try:
        print(f"{rounds(chosen.rounds, seed)} events by {chosen.rounds} killed writers: nothing lost", flush=True)
        print(f"{cuts(seed)} cuts of the power: no acknowledged state lost", flush=True)
        print(f"{flips(chosen.rounds * 10, seed)} of {chosen.rounds * 10} damaged ledgers refused, no other error")
    except BaseException:
        print(f"failed: --seed {seed}", file=sys.stderr)
        raise


if __name__ == "__main__":
    main()
