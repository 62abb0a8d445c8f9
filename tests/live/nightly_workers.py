"""Workers disturbed at random moments: `python -m tests.live.nightly_workers [--rounds 200] [--seed N]`.

A round is one harm: SIGKILL of a worker (which begins again), SIGSTOP for longer than its lease, its network cut for as
long, the database restarted, SIGKILL of the run, while two or three workers carry out a plan. After a few of them the
plan is carried out to its end, which must be that of a plan that nobody disturbed: each phase done once, no commit
lost, nothing pushed elsewhere, nothing left running. Prints the seed of a failure; the moments depend on the machine.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.app.worker.teams import harms_of, play
from tests.ledger.postgres.server import server

HARMS_A_PLAN = 10


def rounds(count: int, seed: int) -> tuple[Counter[int], int]:
    """Do so many harms: how many with so many workers, in how many plans. Raises AssertionError."""
    came: Counter[int] = Counter()
    plans = 0
    while came.total() < count:
        chance = random.Random(f"{seed}-{plans}")
        workers = 2 + plans % 2
        harms = harms_of(chance, min(HARMS_A_PLAN, count - came.total()), workers)
        with tempfile.TemporaryDirectory(prefix="clew-workers-") as folder:
            try:
                came[workers] += play(Path(folder), server(), harms, workers=workers, phases=5)
            except BaseException:
                print(f"failed: plan {plans}, {workers} workers, {harms}", file=sys.stderr)
                raise
        plans += 1
        print(f"{plans} plans, rounds by workers: {dict(came)}", file=sys.stderr)
    return came, plans


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=None)
    chosen = parser.parse_args()
    seed = chosen.seed if chosen.seed is not None else time.time_ns() % 1_000_000
    try:
        came, plans = rounds(chosen.rounds, seed)
    except BaseException:
        print(f"failed: --seed {seed}", file=sys.stderr)
        raise
    told = ", ".join(f"{number} on {workers} workers" for workers, number in sorted(came.items()))
    print(f"{came.total()} rounds ({told}) in {plans} plans: 0 phases done twice, 0 commits lost")


if __name__ == "__main__":
    main()
