"""Tables: rows are items by their heading, their header or their status."""

from __future__ import annotations

from clew.documents.parse import parse
from tests.documents.parse.told import kinds, told


def test_rows_with_a_status_are_steps() -> None:
    """A tracker's export."""
    text = (
        "## Plan\n\n| # | Task | Priority | Status |\n|---|---|---|---|\n"
        "| 1 | Parse | P1 | ✅ Done |\n| 2 | Lint | P2 | Open |\n"
    )
    assert [("step", "done", "Parse"), ("step", "pending", "Lint")] == told(text)


def test_a_decision_table_keeps_its_reasons() -> None:
    """The reason has a column of its own."""
    text = "| Date | Decision | Rationale |\n|---|---|---|\n| 2026-01-01 | Use SQLite | one file |\n"
    assert [("decision", "Use SQLite", "one file")] == [(e.kind, e.text, e.why) for e in parse(text).entries]


def test_files_risks_and_plain_rows() -> None:
    """By header, by heading, and as a finding where nothing says more."""
    text = (
        "| File | Change |\n|---|---|\n| `a.py` | new |\n\n"
        "## Risks\n\n| What | How likely |\n|---|---|\n| It breaks | low |\n\n"
        "## Benchmarks of readers\n\n| Reader | MB/s |\n|---|---|\n| ours | 3 |\n| **Total** | 3 |\n"
    )
    assert ["file", "risk", "finding"] == kinds(text)


def test_a_legend_is_no_list_of_steps() -> None:
    """ "State | Meaning" explains words."""
    assert [] == kinds("## Legend\n\n| State | Meaning |\n|---|---|\n| Done | it is merged |\n")


def test_rows_that_tell_how_far_they_are_are_steps_below_metrics_too() -> None:
    """A status in each row says more than a heading on facts."""
    text = "### Metrics\n\n| Metric | From | Status |\n|---|---|---|\n| norm | direct | ✅ |\n| cos | products | ☐ |\n"
    assert [("step", "done"), ("step", "pending")] == [(kind, how_far) for kind, how_far, _ in told(text)]
