"""What a run costs beside its client: whole `clew run`s of a plan, with a client that does next to nothing.

    python -m benchmarks.run.run [--phases 5] [--rounds 3] [--check]

Of the wall time of a run, what the same client takes by itself for as many prompts is taken off; the rest is ours: to
begin phases, start clients and watch them, run the checks (which cost 30 ms each here), commit, take checkpoints,
merge, hand over. The bar is 2 s a phase. `--check` exits 1 when it is missed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from tests.app.run.kills import RUN_S, Project

from benchmarks.lib.tables import markdown

BAR_S = 2.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--phases", type=int, default=5, choices=range(1, 6))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--check", action="store_true")
    chosen = parser.parse_args()
    rows, missed = [], False
    for jobs in (1, 2):
        took = [_round(chosen.phases, jobs) for _ in range(chosen.rounds)]
        whole, client = (median(one) for one in zip(*took, strict=True))
        ours = (whole - client) / chosen.phases if jobs == 1 else whole / chosen.phases
        missed |= ours > BAR_S
        rows.append((str(jobs), f"{whole:.2f}", f"{client:.2f}", f"{ours:.2f}", f"{BAR_S:.2f}"))
    print(markdown(("side by side", "a run, s", "its client, s", "ours a phase, s", "bar, s"), rows))
    return int(missed and chosen.check)


def _round(phases: int, jobs: int) -> tuple[float, float]:
    """Seconds of a whole run, and of the client by itself for as many prompts."""
    with tempfile.TemporaryDirectory(prefix="clew-run-") as folder:
        project = Project(Path(folder), phases)
        began = time.monotonic()
        run = project.begin("--jobs", str(jobs))
        if run.wait(RUN_S):
            sys.exit(project.said.read_text(encoding="utf-8"))
        whole = time.monotonic() - began
        began = time.monotonic()
        for number in range(1, phases + 1):
            subprocess.run(
                [Path(folder, "bin", "claude")], input=f"# Phase {number} of {phases}", cwd=folder, text=True,
                stdout=subprocess.DEVNULL, check=True,
            )  # fmt: skip
        return whole, time.monotonic() - began


if __name__ == "__main__":
    sys.exit(main())
