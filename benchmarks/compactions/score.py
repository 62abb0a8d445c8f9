"""How well clew tells what a compaction's summary lost: against marks made by hand.

    python -m benchmarks.compactions.score SAMPLES/transcripts [--marks FILE] [--list]

A mark is `{"file", "at", "id", "verdict": "lost" | "kept" | "either"}`, one for each item that `sheet` prints; "either"
counts neither way. Precision and recall are those of what is told again as lost, and of what is left out as kept.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

from benchmarks.compactions.sheet import compactions
from benchmarks.lib.tables import markdown
from clew.app.context.compact import lost

MARKS = Path(__file__).with_name("marks.jsonl")


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compactions.score")
    parser.add_argument("transcripts", type=Path)
    parser.add_argument("--marks", type=Path, default=MARKS, help="the marks (default: those of the samples)")
    parser.add_argument("--list", action="store_true", help="print every item that is judged otherwise")
    arguments = parser.parse_args(argv)
    rows = [json.loads(line) for line in arguments.marks.read_text(encoding="utf-8").splitlines() if line]
    marks = {(row["file"], row["at"], row["id"]): row["verdict"] for row in rows}
    table, total, unmarked = [], Counter[str](), 0
    for one in compactions(arguments.transcripts):
        told = {item.id for item in lost(one.items, one.summary)}
        counts = Counter[str]()
        for item in one.items:
            verdict = marks.get((one.file, one.at, item.id))
            unmarked += verdict is None
            if verdict in ("lost", "kept"):
                found = "lost" if item.id in told else "kept"
                counts[f"{verdict} {found}"] += 1
                if arguments.list and found != verdict:
                    print(f"{verdict}, taken for {found}: {item.id} {item.kind}: {item.text}")
        total += counts
        table.append([Path(one.file).parent.name, *_figures(counts)])
    table.append([f"all {len(table)}", *_figures(total)])
    print(markdown(["compaction", "items", "lost", "precision", "recall", "kept: precision", "recall"], table))
    if unmarked:
        print(f"\n{unmarked} items have no mark: the rules give other items than were judged.")
    return 0


def _figures(counts: Counter[str]) -> list[str]:
    """Items, how many are lost, precision and recall of "lost", and of "kept"."""
    lost_right, kept_right = counts["lost lost"], counts["kept kept"]
    lost_all, kept_all = lost_right + counts["lost kept"], kept_right + counts["kept lost"]
    told, untold = lost_right + counts["kept lost"], kept_right + counts["lost kept"]
    shares = [(lost_right, told), (lost_right, lost_all), (kept_right, untold), (kept_right, kept_all)]
    return [
        str(lost_all + kept_all),
        str(lost_all),
        *(f"{part / whole:.2f}" if whole else "–" for part, whole in shares),
    ]


if __name__ == "__main__":
    sys.exit(main())
