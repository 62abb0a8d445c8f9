"""Scores the parser of documents against items that were marked by hand.

    python -m benchmarks.documents.score --samples DIR --marks FILE…

A mark is found by an entry of its kind (or of its `or`) that begins inside its lines and shares its words; each entry
is used once. The parser tells a kind only where a heading, a box or a known label says it; all else is a note. So three
rates are told: the precision of what is told as a kind, the recall of kinds, and the recall of places, where a note, or
an entry of another kind, with the right words in the right place counts as found. Statuses are reported apart. Exits
with
1 when the precision or the recall of places is below `--bar`.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.documents.phrasings import PHRASINGS, inverted
from clew.documents.entry import Entry
from clew.documents.parse import parse

# Words of the entry that must stand in the mark's lines, and words of the mark that must stand in the entry.
_OF_ENTRY = 0.6
_OF_MARK = 0.5
# A letter of a script without spaces is a word.
_WORDS = re.compile(r"[a-z0-9]+|[^\W\da-z_]")


class Mark(NamedTuple):
    """An item as a person marked it. `kinds`: the one or two that are right. `status` is None where none was asked.

    `place` is where its text begins in its lines, and how long it is, where it is only a part of them.
    """

    first: int
    last: int
    kinds: tuple[str, ...]
    status: str | None
    place: tuple[int, int] | None


class Sheet(NamedTuple):
    """What was marked in one file: the lines that were marked exhaustively, the marks, and lines that do not count."""

    first: int
    last: int
    marks: list[Mark]
    either: list[tuple[int, int]]


class Score(NamedTuple):
    """Of one file. `missed` and `extra` are (kind, line, text), `noted` those of the missed that are told as a note,
    `other` as another kind. `wrong` are statuses: (line, expected, found).
    """

    found: Counter[str]
    noted: int
    other: int
    missed: list[tuple[str, int, str]]
    extra: list[tuple[str, int, str]]
    wrong: list[tuple[int, str, str]]
    statuses: int


def sheets(files: list[Path]) -> dict[str, Sheet]:
    """The marks by file."""
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for file in files:
        for line in file.read_text().splitlines():
            if line.strip():
                row = json.loads(line)
                rows[row["file"]].append(row)
    found = {}
    for name, inside in rows.items():
        first, last = next(row["range"] for row in inside if "range" in row)
        marks = [
            Mark(
                *row["lines"],
                (row["kind"], *([row["or"]] if row.get("or") else [])),
                row.get("status"),
                tuple(row["at"]) if "at" in row else None,
            )
            for row in inside
            if "range" not in row and row["kind"] != "either"
        ]
        either = [(row["lines"][0], row["lines"][1]) for row in inside if row.get("kind") == "either"]
        found[name] = Sheet(first, last, marks, either)
    return found


def score(text: str, entries: tuple[Entry, ...], sheet: Sheet) -> Score:
    """Compares entries with marks."""
    lines = text.replace("\r\n", "\n").split("\n")
    within = [entry for entry in entries if sheet.first <= entry.lines.first <= sheet.last]
    inside = [entry for entry in within if entry.kind != "note"]
    notes = [entry for entry in within if entry.kind == "note"]
    used: set[int] = set()
    found: Counter[str] = Counter()
    missed, wrong, statuses = [], [], 0
    left: list[Mark] = []
    # Short passages first: a mark that spans others leaves theirs to them.
    for mark in sorted(sheet.marks, key=lambda mark: (mark.last - mark.first, mark.first)):
        at = next((i for i, entry in enumerate(inside) if i not in used and _is_it(entry, mark, lines)), -1)
        if at < 0:
            left.append(mark)
            missed.append((mark.kinds[0], mark.first, _part(mark, lines) or lines[mark.first - 1].strip()))
            continue
        used.add(at)
        found[mark.kinds[0]] += 1
        if mark.status is not None and inside[at].kind in ("step", "phase"):
            statuses += 1
            if inside[at].status != mark.status:
                wrong.append((mark.first, mark.status, inside[at].status))
    extra = [
        (entry.kind, entry.lines.first, entry.text)
        for i, entry in enumerate(inside)
        if i not in used and not any(a <= entry.lines.first and entry.lines.last <= b for a, b in sheet.either)
    ]
    noted = sum(any(_says(entry, mark, lines) for entry in notes) for mark in left)
    rest = [entry for i, entry in enumerate(inside) if i not in used]
    other = sum(
        any(_says(entry, mark, lines) for entry in rest) and not any(_says(entry, mark, lines) for entry in notes)
        for mark in left
    )
    return Score(found, noted, other, sorted(missed, key=lambda row: row[1]), extra, wrong, statuses)


def _is_it(entry: Entry, mark: Mark, lines: list[str]) -> bool:
    return entry.kind in mark.kinds and _says(entry, mark, lines)


def _says(entry: Entry, mark: Mark, lines: list[str]) -> bool:
    """Whether an entry, of whatever kind, is at the mark's place and has its words."""
    if not mark.first <= entry.lines.first <= mark.last:
        return False
    passage = set(_words(" ".join(lines[mark.first - 1 : mark.last])))
    own = _words(entry.text)
    told = set(own) | set(_words(entry.why))
    opens_code = lines[mark.first - 1].lstrip().startswith(("```", "~~~")) and mark.last > mark.first
    wanted = [words for words in (_words(_part(mark, lines)), _words(lines[mark.first - 1 + opens_code])) if words]
    shared = sum(word in passage for word in own)
    return (
        bool(own)
        and shared >= _OF_ENTRY * len(own)
        and (
            not wanted  # a record that begins with a bracket: its lines are all that the mark says
            or any(sum(word in told for word in words) >= _OF_MARK * len(words) for words in wanted)
        )
    )


def _part(mark: Mark, lines: list[str]) -> str:
    """The part of its lines that is the mark's text, "" if it is all of them."""
    if mark.place is None:
        return ""
    start, chars = mark.place
    return "\n".join(lines[mark.first - 1 : mark.last])[start : start + chars]


def _words(text: str) -> list[str]:
    return _WORDS.findall(text.lower())


def _rates(found: int, missed: int, extra: int, placed: int | None = None) -> str:
    """`placed`: how many of the missed stand at their place as something else."""
    recall = found / (found + missed) if found + missed else 1.0
    precision = found / (found + extra) if found + extra else 1.0
    told = f"precision {precision:.3f}  recall {recall:.3f}"
    if placed is not None:
        told += f"  place {(found + placed) / (found + missed) if found + missed else 1.0:.3f}"
    return f"{told}  ({found} found, {missed} missed, {extra} extra)"


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--samples", type=Path, required=True, help="the folder that the marks' files are in")
    options.add_argument("--marks", type=Path, nargs="+", required=True)
    options.add_argument("--file", default="", help="only files whose name has this in it")
    options.add_argument("--show", action="store_true", help="tell what was missed, extra and wrong")
    options.add_argument("--bar", type=float, default=0.0, help="exit with 1 below this precision or recall")
    given = options.parse_args()
    total_found, total_missed, total_extra = Counter[str](), Counter[str](), Counter[str]()
    wrong = statuses = noted = other = 0
    for name, sheet in sheets(given.marks).items():
        if given.file not in name:
            continue
        text = (given.samples / name).read_text()
        result = score(text, parse(text, name=Path(name).name).entries, sheet)
        placed = result.noted + result.other
        print(f"{_rates(result.found.total(), len(result.missed), len(result.extra), placed)}  {name}")
        if given.show:
            _show(result)
        total_found += result.found
        total_missed += Counter(kind for kind, _, _ in result.missed)
        total_extra += Counter(kind for kind, _, _ in result.extra)
        noted, other = noted + result.noted, other + result.other
        wrong, statuses = wrong + len(result.wrong), statuses + result.statuses
    print()
    for kind in sorted({*total_found, *total_missed, *total_extra}):
        print(f"{kind:11} {_rates(total_found[kind], total_missed[kind], total_extra[kind])}")
    print(f"\nstatus right {statuses - wrong} of {statuses}")
    sums = total_found.total(), total_missed.total(), total_extra.total()
    print(f"in all {_rates(*sums, noted + other)}")
    print(f"of the {sums[1]} missed {noted} are notes, {other} are of another kind")
    turned = [one for one in PHRASINGS if inverted(one)]
    print(f"inverted: {len(turned)} of {len(PHRASINGS)} phrasings")
    is_placed = sums[0] + noted + other >= given.bar * (sums[0] + sums[1])
    return 0 if is_placed and sums[0] >= given.bar * (sums[0] + sums[2]) and not turned else 1


def _show(result: Score) -> None:
    for kind, line, text in result.missed:
        print(f"    missed {line:5} {kind:10} {text[:110]}")
    for kind, line, text in result.extra:
        print(f"    extra  {line:5} {kind:10} {text[:110]}")
    for line, expected, found in result.wrong:
        print(f"    status {line:5} expected {expected or '-'}, found {found or '-'}")


if __name__ == "__main__":
    sys.exit(main())
