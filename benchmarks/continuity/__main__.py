"""All of it, with the plot of the reference page: `python -m benchmarks.continuity [--live] [--plot FILE]`.

Offline and without a model: constraints through the hooks, identifiers and the successor take two minutes; `--live`
adds the real clients (five sessions a client and arm, about half an hour). Exit code 1 when clew loses a fact or lets a
forbidden call pass in `constraints`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from statistics import median

from benchmarks.continuity import constraints, identifiers, live, successor
from benchmarks.continuity.cases import FACTS
from benchmarks.lib.tables import markdown

_ROW, _LABEL, _BAR, _GAP, _WIDTH = 24, 150, 150, 60, 810
_OURS, _THEIRS = "#2f7d5b", "#9aa3ad"


def plot(tallies: Mapping[str, constraints.Tally], paid: Mapping[str, list[successor.Paid]]) -> str:
    """An SVG picture: facts lost by arm, and below what the successor pays. Bars that are clipped are numbered all the
    same.
    """
    lost = {arm: float(sum(one.looked[fact] - one.held[fact] for fact in FACTS)) for arm, one in tallies.items()}
    looked = sum(next(iter(tallies.values())).looked[fact] for fact in FACTS)
    middle = {arm: [median(figures) for figures in zip(*several, strict=True)] for arm, several in paid.items()}
    rows = [_text(0, 18, f"Of {looked:,} facts, lost behind a compaction", bold=True)]
    y = 32
    for arm, value in lost.items():
        rows += [_text(0, y + 15, arm), *_bar(_LABEL, y, value, looked, f"{value:,.0f}", ours="clew" in arm, width=500)]
        y += _ROW
    y += 20
    rows.append(_text(0, y + 14, "To the first needed edit", bold=True))
    y += 20
    columns = (("events", 0, "{:.0f}"), ("new tokens", 1, "{:,.0f}"), ("tool minutes", 2, "{:.1f}"))
    rows += [_text(_LABEL + at * (_BAR + _GAP), y + 14, name) for at, (name, _, _) in enumerate(columns)]
    y += 22
    # What the arm without anything pays is the whole of a scale; a client's resume costs more tokens than any other.
    most = {figure: middle["nothing"][figure] * 1.05 for _, figure, _ in columns}
    for arm, figures in middle.items():
        rows.append(_text(0, y + 15, arm))
        for at, (_, figure, form) in enumerate(columns):
            value = figures[figure]
            x = _LABEL + at * (_BAR + _GAP)
            rows += _bar(x, y, value, most[figure], form.format(value), ours="clew" in arm, width=_BAR)
        y += _ROW
    height = y + 16
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-16 -8 {_WIDTH} {height}" role="img" '
        'font-family="system-ui, sans-serif" font-size="13">'
        "<title>What compactions lose and what successors pay, by arm</title>"
        f'<rect x="-16" y="-8" width="{_WIDTH}" height="{height}" fill="#ffffff"/>\n' + "\n".join(rows) + "\n</svg>\n"
    )


def _text(x: float, y: float, words: str, *, bold: bool = False) -> str:
    weight = ' font-weight="600"' if bold else ""
    return f'<text x="{x:.0f}" y="{y:.0f}" fill="#1f2328"{weight}>{escape(words)}</text>'


def _bar(x: float, y: float, value: float, most: float, shown: str, *, ours: bool, width: float) -> Sequence[str]:
    long = max(1.0, width * min(value / most, 1.0))
    bar = f'<rect x="{x:.0f}" y="{y + 4:.0f}" width="{long:.1f}" height="15" fill="{_OURS if ours else _THEIRS}"/>'
    return bar, _text(x + long + 5, y + 16, shown)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.continuity", description=__doc__)
    parser.add_argument("--cases", type=int, default=50, help="made sessions that are compacted")
    parser.add_argument("--repositories", type=int, default=20)
    parser.add_argument("--samples", help="a folder of recorded sessions for the identifiers")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="write the picture")
    parser.add_argument("--live", action="store_true", help="also with the real clients")
    arguments = parser.parse_args(argv)
    print("## Constraints through compactions\n")
    with tempfile.TemporaryDirectory() as temporary:
        tallies = constraints.run(arguments.cases, Path(temporary))
    print(markdown(constraints.HEAD, [tally.row(arm) for arm, tally in tallies.items()]))
    print("\n## What the successor pays\n")
    paid = successor.run(arguments.repositories)
    print(successor.table(paid))
    print("\n## Exact identifiers\n")
    identifiers.main(["--samples", arguments.samples] if arguments.samples else [])
    if arguments.live:
        print("\n## The real clients\n")
        live.main([])
    if arguments.plot:
        arguments.plot.write_text(plot(tallies, paid), encoding="utf-8")
    return int(bool(tallies["clew"].losses))


if __name__ == "__main__":
    sys.exit(main())
