"""The scorer of the document parser: it gives nothing for words without place, kind or content, and nothing twice."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.documents.score import Score, score, sheets

from clew.documents.entry import Entry, Lines

TEXT = "## Done\n\n- Built the parser\n- Wrote the tests\n\n## Open\n\n- Who owns it?\n"


def judged(tmp_path: Path, rows: list[dict[str, object]], *entries: Entry) -> Score:
    marks = tmp_path / "marks.jsonl"
    rows = [{"file": "a.md", "range": [1, 8]}, *({"file": "a.md", **row} for row in rows)]
    marks.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return score(TEXT, entries, sheets([marks])["a.md"])


def entry(kind: str, text: str, line: int, *, status: str = "") -> Entry:
    return Entry(kind, text, status=status, lines=Lines(line, line))  # type: ignore[arg-type]


PARSER = {"lines": [3, 3], "kind": "step", "status": "done"}


def test_a_mark_is_found_by_kind_place_and_words(tmp_path: Path) -> None:
    """Each of the three alone would let a parser that guesses look good."""
    right = judged(tmp_path, [PARSER], entry("step", "Built the parser", 3, status="done"))
    assert (1, [], []) == (right.found.total(), right.missed, right.extra)
    for wrong in (
        entry("finding", "Built the parser", 3),
        entry("step", "Built the parser", 4),
        entry("step", "Shipped a compiler", 3),
        entry("step", "the", 3),
    ):
        result = judged(tmp_path, [PARSER], wrong)
        assert (0, 1, 1) == (result.found.total(), len(result.missed), len(result.extra)), wrong


def test_an_entry_counts_once(tmp_path: Path) -> None:
    """Two marks on one line need two entries."""
    result = judged(tmp_path, [PARSER, PARSER], entry("step", "Built the parser", 3, status="done"))
    assert (1, 1) == (result.found.total(), len(result.missed))


def test_a_second_kind_is_right_where_the_marker_said_so(tmp_path: Path) -> None:
    """What is open to a reader is open to the parser."""
    row = {"lines": [8, 8], "kind": "question", "or": "blocker"}
    assert 1 == judged(tmp_path, [row], entry("blocker", "Who owns it?", 8)).found["question"]


def test_statuses_are_counted_apart(tmp_path: Path) -> None:
    """A wrong status is no miss, and is told."""
    result = judged(tmp_path, [PARSER], entry("step", "Built the parser", 3, status="pending"))
    assert ([(3, "done", "pending")], 1) == (result.wrong, result.statuses)


def test_passages_that_count_neither_way(tmp_path: Path) -> None:
    """An entry in an unclear passage is not held against the parser; one that reaches out of it is."""
    either = {"lines": [8, 8], "kind": "either"}
    assert [] == judged(tmp_path, [either], entry("question", "Who owns it?", 8)).extra
    reaching = Entry("question", "Who owns it?", lines=Lines(6, 8))
    assert 1 == len(judged(tmp_path, [either], reaching).extra)
