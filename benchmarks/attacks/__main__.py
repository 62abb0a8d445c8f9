"""Every attack, small or in full, as a table.

    python -m benchmarks.attacks [--full] [--seed N] [NAME…]

Exits with 1 where one got through. The figures of time are told and judge nothing. With `--full` it takes half an hour.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Mapping

from tests.fuzz.fuzz_ledger import cuts
from tests.ledger.sqlite.test_crash import rounds

from benchmarks.attacks import abuse, corruptions, damage, forgeries, large
from benchmarks.attacks.trial import Trial
from benchmarks.documents.hostile import DOCUMENTS
from benchmarks.lib.tables import markdown
from benchmarks.secrets.lookalikes import lookalikes
from benchmarks.secrets.ways import ways
from clew.secrets import scan

_SHOWN_MAX = 5


def _kills(full: bool, seed: int) -> Trial:
    count = 1_000 if full else 20
    return _asserted("writers of a ledger killed", count, lambda: f"{rounds(count, seed)} events, none lost or torn")


def _cuts(full: bool, seed: int) -> Trial:
    return _asserted("power cut, with every loss", 1, lambda: f"{cuts(seed)} cuts") if full else Trial("", 0, ())


def _asserted(attack: str, count: int, run: Callable[[], str]) -> Trial:
    try:
        return Trial(attack, count, (), run())
    except AssertionError as error:
        return Trial(attack, count, (str(error).partition("\n")[0],))


def _leaks(full: bool, seed: int) -> Trial:
    every = list(ways(seed, 20 if full else 1))
    broke = []
    for way in every:
        covered = [way.text[found.start : found.end] for found in scan(way.text)]
        if not all(any(secret.strip("=\n") in text for text in covered) for secret in way.secrets):
            broke.append(way.name)
    return Trial("a secret that is named", len(every), tuple(broke))


def _alarms(full: bool, seed: int) -> Trial:
    every = [text for turn in range(10 if full else 1) for _, text in lookalikes(seed + turn)]
    return Trial("a harmless text like a secret", len(every), tuple(text for text in every if scan(text)))


def _documents(full: bool, _seed: int) -> Trial:
    mb = 1.0 if full else 0.2
    command = [
        sys.executable,
        "-m",
        "benchmarks.documents.hostile",
        "--mb",
        str(mb),
        *([] if full else ["--bar-s", "10", "--bar-mb", "2000"]),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    worst = max(lines, key=lambda line: float(line.split()[0]), default="")
    broke = tuple(line for line in lines if "over the bar" in line)
    return Trial(
        f"documents of {mb:g} MB that want to hang", len(DOCUMENTS), broke, f"worst: {' '.join(worst.split())}"
    )


def _people(_full: bool, _seed: int) -> Trial:
    command = [sys.executable, "-m", "pytest", "--no-header", "-rpf", "tests/interfaces/cli/test_forged.py"]
    lines = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
    failed = tuple(line for line in lines if line.startswith("FAILED"))
    count = sum(line.startswith("PASSED") for line in lines) + len(failed)
    return Trial("a person forged by an agent's shell", count, failed if count else ("nothing ran",))


ATTACKS: Mapping[str, Callable[[bool, int], Trial]] = {
    "kills": _kills,
    "cuts": _cuts,
    "corruptions": lambda full, seed: corruptions.flipped(5_000 if full else 150, seed),
    "damage": lambda full, seed: damage.damaged(500 if full else 40, seed),
    "forgeries": lambda full, _: forgeries.forged((200, 500, 2000) if full else (2000,)),
    "people": _people,
    "leaks": _leaks,
    "alarms": _alarms,
    "documents": _documents,
    "hooks": lambda full, seed: abuse.abused(800 if full else 40, seed),
}


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--full", action="store_true")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(ATTACKS)}, large; default: all")
    given = options.parse_args()
    names = given.names or [*ATTACKS, "large"]
    rows, got_through = [], 0
    for name in names:
        if name == "large":
            continue
        began = time.perf_counter()
        trial = ATTACKS[name](given.full, given.seed)
        if not trial.attack:
            continue
        got_through += len(trial.broke)
        rows.append(
            [
                trial.attack,
                f"{trial.tried:,}",
                str(len(trial.broke)),
                trial.told,
                f"{time.perf_counter() - began:.0f} s",
            ]
        )
        for one in trial.broke[:_SHOWN_MAX]:
            print(f"got through: {trial.attack}: {one}", file=sys.stderr)
    if rows:
        print(markdown(["attack", "times", "got through", "what was seen", "took"], rows))
    if "large" in names:
        items = 100_000 if given.full else 3_000
        found = large.timed(items)
        table = [
            [one.what, f"{one.clock_s:.2f} s", f"{one.cpu_s:.2f} s", f"{one.bar_s:g} s" if one.bar_s else ""]
            for one in found
        ]
        print(f"\nOne task of {items:,} items:\n")
        print(markdown(["what", "clock", "processor", "bar"], table))
    return 1 if got_through else 0


if __name__ == "__main__":
    sys.exit(main())
