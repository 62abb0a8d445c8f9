"""Drift of 10,000 unchanged files in a repository of 12,000, against `git status` of the same work tree.

    python -m benchmarks.drift.run [--pairs 11] [--files 10000] [--tracked 12000] [--json] [--check]

Whole processes, one after the other in turn (so that a noisy machine is noisy for both), medians of the ratios.
The bar: our check takes no longer than git's own. `--check` exits 1 when it is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.drift import check
from benchmarks.lib.tables import markdown
from clew.workspace.fingerprint import fingerprint

BAR = 1.0
PEER = "git status"
OURS = "check of all files (screen, then drift)"
_SOURCE = Path(__file__).parents[2] / "src"
# The median of 44 public repositories that coding agents work on; git's search for untracked files takes a folder at
# a time, so a tree of few large folders would favour git, one of many small ones us.
_FILES_PER_FOLDER = 5
_HOUR_NS = 3_600_000_000_000
_PLAIN = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
_ENVIRONMENT = {**_PLAIN, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_OPTIONAL_LOCKS": "0"}


class Cost(NamedTuple):
    """One run of a whole process."""

    wall_s: float
    cpu_s: float


class Row(NamedTuple):
    """A line of the report; `wall` and `cpu` are ratios to git's."""

    name: str
    wall_s: float
    wall: float
    cpu: float


def main() -> int:
    """Build the tree, time the pairs, print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=11)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--tracked", type=int, default=12_000)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="clew-drift-") as folder:
        root = Path(folder) / "repository"
        seen = Path(folder) / "seen"
        _build(root, options.tracked)
        _remember(root, options.files, seen)
        # The interpreter's flags are those of the hook path (DESIGN): neither site packages nor the environment.
        bare = [sys.executable, "-I", "-S"]
        here = str(Path(check.__file__).parent)
        load = f"import sys; sys.path.insert(0, {here!r}); import check; check.main(*sys.argv[1:])"
        ours = [*bare, "-c", load, str(_SOURCE), str(root), str(seen)]
        rivals = {
            PEER: ["git", "-C", str(root), "--no-optional-locks", "status"],
            OURS: ours,
            "full drift, files only": [*ours, "drift"],
            "full drift with branch, dirty paths, commits": [*ours, "git"],
            "bare interpreter": [*bare, "-c", "pass"],
        }
        _expect(ours, options.files)
        figures = _pairs(rivals, options.pairs)
    peer = figures[PEER]
    rows = [
        Row(
            name,
            statistics.median(cost.wall_s for cost in costs),
            _ratio([cost.wall_s for cost in costs], [cost.wall_s for cost in peer]),
            _ratio([cost.cpu_s for cost in costs], [cost.cpu_s for cost in peer]),
        )
        for name, costs in figures.items()
    ]
    if options.json:
        print(json.dumps({"bar": BAR, "rows": [row._asdict() for row in rows]}))
    else:
        cells = [(row.name, f"{1000 * row.wall_s:.1f}", f"{row.wall:.2f}", f"{row.cpu:.2f}") for row in rows]
        print(markdown(("whole process", "median ms", "wall × git status", "cpu × git status"), cells))
    missed = any(row.wall > BAR for row in rows if row.name == OURS)
    return 1 if options.check and missed else 0


def _build(root: Path, tracked: int) -> None:
    """A repository of `tracked` files of a few KB, committed, its index fresh."""
    for number in range(tracked):
        folder = number // _FILES_PER_FOLDER
        place = root / f"package_{folder % 12}" / f"part_{folder % 300}" / f"unit_{folder}" / f"module_{number}.py"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"# {number}\n" + "value = compute(value)\n" * (number % 300), encoding="utf-8")
        hour_ago = time.time_ns() - _HOUR_NS
        os.utime(place, ns=(hour_ago, hour_ago))
    people = ["-c", "user.name=bench", "-c", "user.email=bench@example.org"]
    for words in (["init", "-q"], ["add", "-A"], [*people, "commit", "-q", "-m", "tree"], ["status"]):
        subprocess.run(["git", *words], cwd=root, env=_ENVIRONMENT, check=True, capture_output=True)


def _remember(root: Path, count: int, file: Path) -> None:
    """Fingerprint the first `count` files, as a checkpoint does."""
    places = sorted(root.glob("package_*/part_*/*/*.py"))[:count]
    found = [one for place in places if (one := fingerprint(str(place)))]
    assert len(found) == count
    check.save(
        str(file),
        time_s=int(time.time()) + 1,
        paths=[place.relative_to(root).as_posix() for place in places],
        stats=[one.stat for one in found],
        blobs=[one.blob for one in found],
    )


def _expect(command: Sequence[str], files: int) -> None:
    """A fast wrong answer is no answer."""
    answer = subprocess.run(command, env=_ENVIRONMENT, check=True, capture_output=True, text=True).stdout.strip()
    assert answer == str({"unchanged": files}), answer


def _pairs(commands: dict[str, list[str]], pairs: int) -> dict[str, list[Cost]]:
    """The cost of each command, all of them once a round; one round to warm up."""
    figures: dict[str, list[Cost]] = {name: [] for name in commands}
    for turn in range(pairs + 1):
        for name, command in commands.items():
            before, started = _cpu_s(), time.perf_counter()
            subprocess.run(command, env=_ENVIRONMENT, check=True, capture_output=True)
            if turn:
                figures[name].append(Cost(time.perf_counter() - started, _cpu_s() - before))
    return figures


def _cpu_s() -> float:
    """Processor seconds of all children so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """The median of the ratios of each pair: noise that hits both of a pair cancels."""
    return statistics.median(one / other for one, other in zip(ours, theirs, strict=True))


if __name__ == "__main__":
    sys.exit(main())
