"""How fast searches are: `python -m benchmarks.search.speed [--passages 100000] [--corpus FOLDER]`.

In process, over made-up passages: the time of a search of one to four words, common and rare. With `--corpus` (a
folder of Claude Code's: `projects/…`, made by the generator of the benchmark `facts`) the time and memory of the first
index over it by `clew search --all`, and of the next one, when nothing is new.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from clew.app.search.index import Filters, Passage, SearchIndex, SearchSource

_WORDS = 20_000


def vocabulary(chance: random.Random) -> list[str]:
    """Made-up words, of two to five syllables."""
    syllables = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "er", "or")]
    return ["".join(chance.choices(syllables, k=chance.randint(2, 5))) for _ in range(_WORDS)]


def index_of(passages: int, chance: random.Random, words: list[str]) -> SearchIndex:
    """An index of made-up passages; words are as frequent as in prose (Zipf)."""
    weights = [1 / (rank + 5) for rank in range(len(words))]
    index = SearchIndex(":memory:")
    for source in range(passages // 100):
        texts = (" ".join(chance.choices(words, weights, k=30)) for _ in range(100))
        made = [Passage(text[:60], text, at=at, time="2026-11-01T00:00:00.000Z") for at, text in enumerate(texts)]
        index.put(SearchSource(f"s{source}", "session", "/p", "claude-code", f"s{source}"), made, again=False)
    return index


def timed(index: SearchIndex, questions: list[str]) -> list[float]:
    """Milliseconds of each search."""
    found = []
    for question in questions:
        begin = time.perf_counter()
        index.search(question, Filters(projects=("/p",)), limit=10)
        found.append((time.perf_counter() - begin) * 1000)
    return sorted(found)


def corpus(folder: Path) -> None:
    """Whole processes over a corpus."""
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "HOME": home, "CLAUDE_CONFIG_DIR": str(folder)}
        for name in ("first", "nothing new"):
            begin = time.perf_counter()
            subprocess.run(
                [sys.executable, "-m", "clew", "search", "--all", "refactor", "parser"],
                env=environment, check=True, stdout=subprocess.DEVNULL,
            )  # fmt: skip
            peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
            print(f"{name}: {time.perf_counter() - begin:.1f} s, at most {peak:.0f} MB")


def main() -> None:
    """Run it."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--passages", type=int, default=100_000)
    arguments.add_argument("--questions", type=int, default=1000)
    arguments.add_argument("--corpus", type=Path)
    given = arguments.parse_args()
    if given.corpus:
        corpus(given.corpus)
        return
    chance = random.Random(7)
    words = vocabulary(chance)
    index = index_of(given.passages, chance, words)
    weights = [1 / (rank + 5) for rank in range(len(words))]
    questions = [" ".join(chance.choices(words, weights, k=chance.randint(1, 4))) for _ in range(given.questions)]
    times = timed(index, questions)
    p95 = times[int(len(times) * 0.95)]
    print(f"{given.passages} passages: median {statistics.median(times):.2f} ms, p95 {p95:.2f} ms, max {times[-1]:.1f}")


if __name__ == "__main__":
    main()
