"""What the worst documents cost: seconds and megabytes a megabyte, each in a process of its own.

    python -m benchmarks.documents.hostile [--mb N] [--bar-s S] [--bar-mb M] [NAME…]

Exits with 1 when one costs more than the bars.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import Final

from clew.documents.lint.page import LintGround, LintPage, page_of
from clew.documents.lint.paths import cited
from clew.documents.lint.rules import lint
from clew.documents.parse import parse


def _nested(size: int) -> str:
    rows, total, depth = [], 0, 0
    while total < size:
        row = f"{'  ' * (depth % 400)}- a\n"
        rows.append(row)
        total, depth = total + len(row), depth + 1
    return "".join(rows)


DOCUMENTS: Final[Mapping[str, Callable[[int], str]]] = {
    "prose": lambda size: "The reader keeps one buffer and is quick. " * (size // 42),
    "paragraphs": lambda size: "a\n\n" * (size // 3),
    "one-word lines": lambda size: "a\n" * (size // 2),
    "headings": lambda size: "# a\n" * (size // 4),
    "setext": lambda size: "a\n==\n" * (size // 5),
    "boxes": lambda size: "- [ ] a\n" * (size // 8),
    "nested list": _nested,
    "markers": lambda size: "- " * (size // 2) + "a",
    "quotes": lambda size: ">" * size + "a",
    "brackets": lambda size: "[[a]]" * (size // 5),
    "open brackets": lambda size: "- [" + "[" * size,
    "long words": lambda size: ("w" * 200_000 + "\n") * (size // 200_001),
    "stars": lambda size: "**" * (size // 2),
    "backticks": lambda size: "- `" + "` `a" * (size // 4),
    "tildes": lambda size: "- ~~" + "a~~~" * (size // 4),
    "dates": lambda size: "2026-01-02 " * (size // 11),
    "keys": lambda size: "a: b\n" * (size // 5),
    "bold labels": lambda size: "**a:** b\n" * (size // 9),
    "labels alone": lambda size: "a:\n" * (size // 3),
    "table": lambda size: "|a|b|\n|-|-|\n" + "|c|d|\n" * (size // 6),
    "wide table": lambda size: "|" + "a|" * (size // 4) + "\n|" + "-|" * (size // 4) + "\n",
    "comments": lambda size: "<!-- a\n" * (size // 7),
    "fences": lambda size: "```\n" * (size // 4),
    "heredoc": lambda size: "cat <<EOF\nkey: value\nEOF\n" * (size // 26),
    "key heads": lambda size: f"-----BEGIN {'PRIVATE'} KEY-----\nMIIB\n" * (size // 33),
    "yaml": lambda size: "a:\n  b:\n    - c: d\n      e: f\n" * (size // 31),
    "json": lambda size: json.dumps({"tasks": [{"title": "a b", "status": "done"}] * (size // 38)}, indent=1),
    "json lines": lambda size: '{"title": "a b", "status": "done"}\n' * (size // 35),
    "deep json": lambda size: "[" * size,
    "spaces": lambda size: " " * size + "a",
    "hashes": lambda size: "# " * (size // 2) + "a",
    "rulers": lambda size: "- - - \n" * (size // 7),
    "empty escapes": lambda size: "\x1b[31ma\x1b[0m\n" * (size // 11),
}


def cost(name: str, size: int) -> tuple[float, float]:
    """Seconds and MB that reading and linting such a document takes, beyond what the text itself and Python take."""
    text = DOCUMENTS[name](size)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.process_time()
    path = "state.json" if name.endswith("json") else "HANDOFF.yaml" if name == "yaml" else "HANDOFF.md"
    parsed = parse(text, name=path)
    page: LintPage = page_of(parsed, text, path)
    cited(page)
    lint(page, LintGround(today="2026-03-20"))
    return time.process_time() - began, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--mb", type=float, default=1.0)
    options.add_argument("--bar-s", type=float, default=2.0, help="seconds a megabyte")
    options.add_argument("--bar-mb", type=float, default=200.0, help="megabytes a megabyte")
    options.add_argument("--one", default="", help=argparse.SUPPRESS)
    options.add_argument("names", nargs="*", default=list(DOCUMENTS))
    given = options.parse_args()
    size = int(given.mb * 1_000_000)
    if given.one:
        print(*cost(given.one, size))
        return 0
    failed = 0
    for name in given.names:
        command = [sys.executable, "-m", "benchmarks.documents.hostile", "--one", name, "--mb", str(given.mb)]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, check=True, timeout=30 * given.bar_s * given.mb
            )
            seconds, mb = (float(part) / given.mb for part in done.stdout.split())
        except subprocess.TimeoutExpired:
            seconds, mb = 30 * given.bar_s, 0.0
        is_over = seconds > given.bar_s or mb > given.bar_mb
        failed += is_over
        print(f"{seconds:6.2f} s/MB {mb:6.0f} MB/MB  {name}{'  over the bar' if is_over else ''}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
