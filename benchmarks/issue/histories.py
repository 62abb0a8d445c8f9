"""Random histories of edits on both sides of an issue: what was lost, doubled, or written again with nothing new.

    python -m benchmarks.issue.histories --histories 10000

Each history has 12 to 30 steps: two people with a ledger each state, reword, tick and end items, push and pull; others
edit the issue in a browser; pushes are killed between requests and overtaken by edits. `tests/app/issue/histories.py`
says what must hold; the first history in which it does not is made small and shown.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from tests.app.issue.histories import STEPS, plain_ports, told

_STEP = st.tuples(st.integers(0, STEPS - 1), st.integers(0, 60), st.integers(0, 60))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--histories", type=int, default=1000, help="how many")
    parser.add_argument("--steps", type=int, default=30, help="of at most so many steps")
    parser.add_argument("--seed", type=int, default=1, help="another one gives other histories")
    chosen = parser.parse_args()
    played = [0, 0]
    failed: list[str] = []
    began = time.monotonic()

    with tempfile.TemporaryDirectory() as folder:
        ports = plain_ports(Path(folder))

        @seed(chosen.seed)
        @settings(max_examples=chosen.histories, deadline=None, database=None, suppress_health_check=list(HealthCheck))
        @given(history=st.lists(_STEP, min_size=12, max_size=chosen.steps))
        def every(history: list[tuple[int, int, int]]) -> None:
            played[0] += 1
            played[1] += len(history)
            if played[0] % 500 == 0:
                print(f"{played[0]:,} histories, {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
            said = told(ports, history)
            if said:
                failed[:] = [f"history: {history}", *said]
            assert not said

        try:
            every()
        except AssertionError:
            print(f"after {played[0]:,} histories:", *failed, sep="\n")
            return 1
    print(f"{played[0]:,} histories with {played[1]:,} steps in {time.monotonic() - began:.0f} s: "
          "0 edits lost, 0 doubled, a second push or pull did nothing")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
