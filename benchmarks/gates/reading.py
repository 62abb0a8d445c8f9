"""Which reading lines of recorded sessions pass while a plan is open.

    python -m benchmarks.gates.reading SAMPLES/transcripts [--judge] [--show]

Whether a line only reads was judged by eye. `read_judged.jsonl` holds the verdicts, by a hash of the line, and no word
of it. `--judge` lists the lines that have none yet. Bar: ≥ 93 % of at least 500 reading lines pass (the list of what
reads is meant to be small); none that changes something may.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from pathlib import Path

from benchmarks.gates.commands import shell_lines
from clew.core.gate.readonly import refusal

JUDGED = Path(__file__).with_name("read_judged.jsonl")


def key(text: str) -> str:
    """What stands for a line in the list of verdicts."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gates.reading", description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--judge", action="store_true")
    parser.add_argument("--show", action="store_true", help="reading lines that are refused")
    arguments = parser.parse_args(argv)
    lines = shell_lines(arguments.folder)
    rows = [json.loads(row) for row in JUDGED.read_text().splitlines()] if JUDGED.exists() else []
    verdicts = {row["line"]: row["reads"] for row in rows}
    if arguments.judge:
        for text in lines:
            if key(text) not in verdicts:
                print(key(text), json.dumps(text[:300], ensure_ascii=False), refusal(text) or "passes", sep="\t")
        return 0
    reading = [text for text in lines if verdicts.get(key(text))]
    others = [text for text in lines if verdicts.get(key(text)) is False]
    refused = [text for text in reading if refusal(text)]
    passed = [text for text in others if not refusal(text)]
    if arguments.show:
        for text in refused:
            print(f"refused ({refusal(text)}): {text[:120]!r}")
        for text in passed:
            print(f"passed: {text[:120]!r}")
    share = 1 - len(refused) / len(reading) if reading else 0.0
    print(f"{len(lines)} lines, {len(reading)} that read: {share:.1%} pass; {len(others)} others: {len(passed)} pass")
    return int(bool(passed) or share < 0.93 or len(reading) < 500)


if __name__ == "__main__":
    sys.exit(main())
