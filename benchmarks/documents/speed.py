"""How long a document takes to be taken apart, against a plain block parse of it by markdown-it.

    python -m benchmarks.documents.speed FILE [--rounds N]

The two run in turn, so that a busy machine is busy for both.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from markdown_it import MarkdownIt

from clew.documents.parse import parse


def _ms(run: Callable[[], object]) -> float:
    began = time.perf_counter()
    run()
    return (time.perf_counter() - began) * 1000


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("file", type=Path)
    options.add_argument("--rounds", type=int, default=15)
    given = options.parse_args()
    text = given.file.read_text()
    plain = MarkdownIt("commonmark").enable("table")
    plain.core.ruler.enableOnly(["normalize", "block"])
    parse(text, name=given.file.name)
    pairs = [
        (_ms(lambda: parse(text, name=given.file.name)), _ms(lambda: plain.parse(text))) for _ in range(given.rounds)
    ]
    ours, theirs = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratio = statistics.median(own / other for own, other in pairs)
    print(f"{len(text.encode()) / 1000:.0f} KB: {ours:.0f} ms; block parse alone {theirs:.0f} ms; {ratio:.2f} ×")
    return 0


if __name__ == "__main__":
    sys.exit(main())
