"""First failures against what is known of each by construction: `python -m benchmarks.validation.first [--show]`.

Right is a failure whose test, frame, message and values are all the case's, in at most 400 tokens (exact o200k where
`rs-bpe` is installed, else estimated). Bar: 98 % over at least 100 real failures of at least 8 runners.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.validation.record import CASES, FAILURES
from clew.core.text.tokens import estimate
from clew.core.validation.failure import TOKENS_MAX, Failure, told
from clew.core.validation.first_failure import first_failure, tally
from clew.core.validation.verdict import judged

BAR = 0.98


def wrong(row: dict[str, Any], found: Failure, size: int) -> list[str]:
    """What is not right about a failure that was read."""
    faults = []
    if not any(found.test == name or found.test.endswith(f".{name}") for name in row["test"].split("|")):
        faults.append(f"test {found.test!r}, not {row['test']!r}")
    if row["frame"] != found.frame:
        faults.append(f"frame {found.frame!r}, not {row['frame']!r}")
    if not any(says in found.message for says in row["says"].split("|")):
        faults.append(f"message {found.message[:80]!r} without {row['says']!r}")
    if row["values"] and (len(found.values) != 2 or any(
        not any(way in found.values for way in value.split("|")) for value in row["values"]
    )):  # fmt: skip
        faults.append(f"values {found.values}, not {row['values']}")
    if size > TOKENS_MAX:
        faults.append(f"{size} tokens")
    return faults


def came_to(row: dict[str, Any]) -> str:
    """What a run that ended with 0 comes to."""
    return judged(row["command"], row["exit"], row["output"], tally(row["output"])).status


def _counter() -> Callable[[str], int]:
    try:
        from rs_bpe.bpe import openai
    except ImportError:
        return estimate
    exact = openai.o200k_base()
    return lambda text: len(exact.encode(text))


def main() -> int:
    """Score every record; 1 below the bar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", action="store_true", help="every failure as it is told")
    parser.add_argument("--runner", default="")
    given = parser.parse_args()
    count = _counter()
    sizes: list[int] = []
    right: Counter[str] = Counter()
    every: Counter[str] = Counter()
    empty: list[dict[str, Any]] = []
    paths = {(case.runner, case.name): tuple(case.files) for case in CASES}
    for file in sorted(Path(FAILURES).glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if row.get("empty"):
                empty.append(row)
                continue
            if given.runner and given.runner != row["runner"]:
                continue
            found = first_failure(row["output"], root="/repo", files=paths[row["runner"], row["name"]])
            lines = told(found)
            size = count("\n".join(lines))
            sizes.append(size)
            faults = wrong(row, found, size)
            every[row["runner"]] += 1
            right[row["runner"]] += not faults
            if faults or given.show:
                print(f"{row['runner']}/{row['name']}: {'; '.join(faults) or 'right'}")
            if given.show:
                print("\n".join(f"    {line}" for line in lines))
    # A script that is called by its path and prints nothing might be anything; nobody can tell.
    green = [row["name"] for row in empty if row["output"] and came_to(row) == "passed"]
    share = sum(right.values()) / sum(every.values())
    for runner, number in every.items():
        print(f"{runner:10} {right[runner]:3} of {number}")
    print(f"right: {sum(right.values())} of {sum(every.values())} ({share:.1%}) of {len(every)} runners; bar {BAR:.0%}")
    print(f"tokens: at most {max(sizes)}, half at most {sorted(sizes)[len(sizes) // 2]}")
    print(f"runs that ran no test: {len(empty) - len(green)} of {len(empty)} not green", *green)
    return share < BAR or bool(green)


if __name__ == "__main__":
    raise SystemExit(main())
