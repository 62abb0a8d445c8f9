"""Runs killed at random moments: `python -m tests.live.nightly_run_kills [--rounds 500] [--seed N]`.

A round is one SIGKILL of the run, of the client, or of both, while `clew run` carries out a plan of five phases, two of
which are independent of each other. After a few of them the plan is carried out to its end, which must be that of a
plan that nobody disturbed: each phase done once, in one commit of its own, nothing left in the work tree or running,
the ledger whole. Prints what was killed, and the seed of a failure; the moments depend on the machine.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.app.run.kills import kills_of, play

KILLS_A_PLAN = 20


def rounds(count: int, seed: int) -> tuple[Counter[str], int]:
    """Kill so often: how many of each victim were killed, in how many plans. Raises AssertionError."""
    killed: Counter[str] = Counter()
    plans = 0
    while killed.total() < count:
        chance = random.Random(f"{seed}-{plans}")
        kills, jobs = kills_of(chance, min(KILLS_A_PLAN, count - killed.total())), chance.choice((1, 2, 3))
        with tempfile.TemporaryDirectory(prefix="clew-kills-") as folder:
            try:
                killed += play(Path(folder), kills, jobs=jobs, phases=5)
            except BaseException:
                print(f"failed: plan {plans}, {jobs} at a time, {kills}", file=sys.stderr)
                raise
        plans += 1
        print(f"{plans} plans, killed: {dict(killed)}", file=sys.stderr)
    return killed, plans


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=500)
    parser.add_argument("--seed", type=int, default=None)
    chosen = parser.parse_args()
    seed = chosen.seed if chosen.seed is not None else time.time_ns() % 1_000_000
    try:
        killed, plans = rounds(chosen.rounds, seed)
    except BaseException:
        print(f"failed: --seed {seed}", file=sys.stderr)
        raise
    print(f"{killed.total()} kills in {plans} plans ({dict(killed)}): nothing was done twice, nothing was lost")


if __name__ == "__main__":
    main()
