"""Packing a repository into one text: exact counts, looked through for secrets by our rules and the deep engine,
against repomix with its own check on.

    python -m benchmarks.stack.run [--megabytes 24] [--rounds 3] [--repomix COMMAND]

COMMAND is repomix's program (1.18 or later, from npm); without it only ours runs. Cold: ours begins without its counts
and verdicts; what the deep engine compiled for this user once stays, as repomix's own caches do. Changed: one file in a
hundred has another line since the run before.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.lib.timing import Sample, measure
from benchmarks.stack.tree import make, touch

_STACK = "budget = 90000000\n\n[[source]]\nkind = 'files'\npaths = ['.']\n"
_CLEW = [sys.executable, "-m", "clew", "-q", "stack", "build", "all", "-o", "../ours.md"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, default=24)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--repomix", default="")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder, home = Path(temporary, "tree"), Path(temporary, "home")
        folder.mkdir(), home.mkdir()
        files, size = make(folder, megabytes=given.megabytes)
        (folder / ".clew/stacks").mkdir(parents=True)
        (folder / ".clew/stacks/all.toml").write_text(_STACK, encoding="utf-8")
        print(f"{files:,} files, {size / 1e6:.1f} MB")
        environment = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
        environment |= {"HOME": str(home)}
        measure([*_CLEW[:3], "init", "--yes"], cwd=folder, env=environment)  # only a ledger has a key for verdicts
        measure(_CLEW, cwd=folder, env=environment)  # the deep engine compiles its rules for a new user
        found: dict[str, list[Sample]] = {"clew, cold": [], "clew, 1 % changed": [], "repomix": []}
        peer = [*shlex.split(given.repomix), "--quiet", "--style", "markdown", "-o", "../theirs.md"]
        for _ in range(given.rounds):
            for name in ("tokens.db*", "clean.db*"):
                for path in (home / ".cache/clew").glob(name):
                    path.unlink()
            found["clew, cold"].append(measure(_CLEW, cwd=folder, env=environment))
            touch(folder, share=0.01)
            found["clew, 1 % changed"].append(measure(_CLEW, cwd=folder, env=environment))
            if given.repomix:
                found["repomix"].append(measure(peer, cwd=folder, env=environment))
        for name, samples in found.items():
            if samples:
                wall, cpu, peak = (median(one[at] for one in samples) for at in range(3))
                print(f"{name:<18} {wall:6.2f} s wall  {cpu:6.2f} s cpu  {peak:6.0f} MB{_against(samples, found)}")
    return 0


def _against(samples: list[Sample], found: dict[str, list[Sample]]) -> str:
    theirs = found["repomix"]
    if not theirs or samples is theirs:
        return ""
    wall = median(one.wall_s / other.wall_s for one, other in zip(samples, theirs, strict=True))
    peak = median(one.peak_mb / other.peak_mb for one, other in zip(samples, theirs, strict=True))
    return f"  {wall:.3f} x wall, {peak:.3f} x memory"


if __name__ == "__main__":
    sys.exit(main())
