"""What saving an agent's state again and again costs: room on the disk, time to save, time to give back.

    python -m benchmarks.saves.run [--saves 10000] [--turns 300] [--json]

Three agents: one whose 2 KB state changes in a counter, one whose state changes altogether, and one that saves a
growing conversation after each turn. No bar: the figures are for docs/reference/library.md.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import string
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import clew
from benchmarks.lib.tables import markdown

_RESTORE = """
import sys, time
start = time.perf_counter()
import clew
with clew.open(sys.argv[1]) as project:
    assert project.restore("agent") is not None
known = time.perf_counter()
with clew.open(sys.argv[1]) as project:
    assert project.restore("nobody") is None
print(known - start, time.perf_counter() - known)
"""


class Row(NamedTuple):
    """One agent. `state_bytes` is the last value as JSON; times in seconds, of a new process for the last two."""

    agent: str
    saves: int
    state_bytes: int
    bytes_each: int
    save_s: float
    restore_s: float
    unknown_s: float


def main() -> int:
    """Save, measure, print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--saves", type=int, default=10_000)
    parser.add_argument("--turns", type=int, default=300)
    parser.add_argument("--json", action="store_true")
    wanted = parser.parse_args()
    rows = [
        measure("a counter changes", counting(wanted.saves)),
        measure("all of it changes", rewriting(wanted.saves)),
        measure("a conversation grows", talking(wanted.turns)),
    ]
    if wanted.json:
        print(json.dumps([row._asdict() for row in rows], indent=2))
        return 0
    head = ("agent", "saves", "last state, bytes", "on disk each, bytes", "save p50, ms", "restore, ms", "unknown, ms")
    cells = [(row.agent, *map(str, row[1:4]), *(f"{seconds * 1000:.1f}" for seconds in row[4:])) for row in rows]
    print(markdown(head, cells))
    return 0


def counting(saves: int) -> Iterator[tuple[Any, list[Any] | None]]:
    """A state of 2 KB with a step that counts."""
    chance = random.Random(1)
    plan = [words(chance, 20) for _ in range(14)]
    for step in range(saves):
        yield {"plan": plan, "step": step}, None


def rewriting(saves: int) -> Iterator[tuple[Any, list[Any] | None]]:
    """A state of 2 KB that is another one each time."""
    chance = random.Random(2)
    for step in range(saves):
        yield {"text": words(chance, 300), "step": step}, None


def talking(turns: int) -> Iterator[tuple[Any, list[Any] | None]]:
    """A conversation with a question and an answer more each time, about 1 KB together."""
    chance = random.Random(3)
    messages: list[Any] = []
    for turn in range(turns):
        messages.append({"role": "user", "content": words(chance, 50)})
        messages.append({"role": "assistant", "content": words(chance, 100)})
        yield {"turn": turn}, messages


def words(chance: random.Random, count: int) -> str:
    """Words out of a vocabulary of 600, as texts have them: common ones often."""
    known = random.Random(4)
    vocabulary = ["".join(known.choices(string.ascii_lowercase, k=known.randint(2, 9))) for _ in range(600)]
    return " ".join(vocabulary[min(599, int(chance.expovariate(1 / 90)))] for _ in range(count))


def measure(agent: str, states: Iterator[tuple[Any, list[Any] | None]]) -> Row:
    """Save all `states` of one agent in a new project."""
    with tempfile.TemporaryDirectory(prefix="clew-saves-") as temporary:
        folder = Path(temporary) / "project"
        folder.mkdir()
        times = []
        size = 0
        with clew.open(folder, create=True) as project:
            before = used(folder)
            for state, messages in states:
                start = time.perf_counter()
                project.save("agent", state, messages=messages)
                times.append(time.perf_counter() - start)
                size = len(json.dumps([state, messages]))
        each = (used(folder) - before) // len(times)
        done = subprocess.run([sys.executable, "-c", _RESTORE, str(folder)], capture_output=True, text=True, check=True)
        known_s, unknown_s = map(float, done.stdout.split())
    return Row(agent, len(times), size, each, statistics.median(times), known_s, unknown_s)


def used(folder: Path) -> int:
    """Bytes of all files below `folder`."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


if __name__ == "__main__":
    sys.exit(main())
