"""Long fuzz of the Claude Code reader: `python tests/fuzz/fuzz_reader.py --seconds 600 [--seed N] [--file F …]`.

Mutates lines of the recordings (or of the given files) and random JSON, and asks for what tests/clients asks of few
examples: nothing raises, pieces equal the whole, and only plain values come out. Prints the seed of a failure.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import sys
import time
from pathlib import Path
from typing import Any

from clew.clients.claude_code.reader import ClaudeCodeReader
from clew.core.records.transcript import Record

RECORDINGS = Path(__file__).parents[1] / "recordings" / "claude-code"
ODD: tuple[Any, ...] = (
    *(None, True, -1, 0.5, 10**25, "", "x" * 7_000, "\ud83d", "a\u2028b\0", [], {}, [[]], [None], ["x"], [{}]),
    *({"type": "text"}, {"content": []}, [{"type": "tool_result", "content": [1, "a", {"text": 3}]}]),
    *(
        "Exit code 99999999999999999999\n",
        "<system-reminder>",
        "[Request interrupted by user]x",
        "<command-name>",
        '"="',
    ),
)


def mutated(line: bytes, chance: random.Random) -> bytes:
    """One line changed as bytes or as JSON."""
    if chance.random() < 0.5:
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(line) + 1)
            line = line[:at] + chance.randbytes(chance.randrange(6)) + line[at + chance.randrange(40) :]
        return line
    try:
        fields: Any = json.loads(line)
    except ValueError:
        return line
    for _ in range(chance.randint(1, 5)):
        change(fields, chance)
    return json.dumps(fields, ensure_ascii=chance.random() < 0.7).encode("utf-8", "replace")


def change(fields: Any, chance: random.Random) -> None:
    """Put something odd somewhere below `fields`, or take something away."""
    place = fields
    while isinstance(place, dict | list) and place:
        key = chance.choice(list(place) if isinstance(place, dict) else range(len(place)))
        if isinstance(place[key], dict | list) and chance.random() < 0.8:
            place = place[key]
            continue
        if chance.random() < 0.2:
            del place[key]
        else:
            place[key] = copy.deepcopy(chance.choice(ODD))
        return


def check(data: bytes, chance: random.Random) -> None:
    """Everything that is promised about any bytes."""
    reader = ClaudeCodeReader()
    reader.recognises(data[: 64 << 10])
    whole = reader.read(data, offset=0)
    records: list[Record] = []
    at = 0
    for cut in sorted(chance.randrange(len(data) + 1) for _ in range(3)):
        batch = reader.read(data[at : max(at, cut)], offset=at)
        records += batch.records
        at = batch.offset
    batch = reader.read(data[at:], offset=at)
    assert whole.records == records + batch.records
    assert whole.offset == batch.offset
    tail = reader.final(data[whole.offset :], offset=whole.offset)
    assert tail.offset in (whole.offset, len(data))
    for record in whole.records + tail.records:
        str(record).encode()
    for line in data.split(b"\n"):
        for version in reader.file_versions(line):
            assert isinstance(version.content, bytes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=None, help="repeat one failure")
    parser.add_argument("--file", type=Path, action="append", help="files to mutate instead of the recordings")
    chosen = parser.parse_args()
    files = chosen.file or sorted(RECORDINGS.glob("*.jsonl"))
    lines = [line for file in files for line in file.read_bytes().split(b"\n") if line]
    seed = chosen.seed if chosen.seed is not None else time.time_ns()
    end = time.monotonic() + chosen.seconds
    rounds = 0
    while rounds == 0 or (time.monotonic() < end and chosen.seed is None):
        chance = random.Random(seed)
        parts = [
            mutated(chance.choice(lines), chance) if chance.random() < 0.8 else chance.choice(lines) for _ in range(5)
        ]
        try:
            check(b"\n".join(parts) + b"\n" * chance.randrange(2), chance)
        except BaseException:
            print(f"failed: --seed {seed}", file=sys.stderr)
            raise
        rounds += 1
        seed += 1
    print(f"{rounds} rounds without a failure")


if __name__ == "__main__":
    main()
