"""Tables: rows are items by their heading, their header or their status."""

from __future__ import annotations

from clew.documents.parse import parse
from tests.documents.parse.told import kinds, told
from tests.growth import in_proportion


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


def test_a_files_table_finds_the_column_with_the_paths() -> None:
    """ "Area | Path": what a file is for stands in front of it as often as behind it."""
    text = "## Key files\n\n| Area | Path |\n|---|---|\n| Schema | `db/schema.sql` |\n| Rules | `AGENTS.md` |\n"
    assert [("file", "db/schema.sql", "Schema"), ("file", "AGENTS.md", "Rules")] == [
        (entry.kind, entry.text, entry.why) for entry in parse(text).entries
    ]


def test_a_table_without_names_still_has_rows() -> None:
    """An empty header is no header of numbers."""
    text = "## Current state\n\n| | |\n|---|---|\n| Server | runs on port 80 |\n"
    assert [("finding", "", "Server | runs on port 80")] == told(text)


def test_a_box_in_a_cell_is_a_status() -> None:
    """Trackers draw boxes where a list has no place."""
    text = "## Tasks\n\n| Task | Done |\n|---|---|\n| Parse | [x] |\n| Lint | [ ] |\n"
    assert ["done", "pending"] == [how_far for _, how_far, _ in told(text)]


def test_rows_of_counts_are_no_work() -> None:
    """How many steps each part has is said by the steps."""
    text = (
        "## Progress\n\n| Part | Done | Total | Share |\n|---|---|---|---|\n| Pages | 1 | 5 | 20% |\n"
        "| API | 0 | 2 | 0% |\n"
    )
    assert [] == kinds(text)


def test_a_cell_of_many_figures_takes_no_long_time() -> None:
    """A document comes from anywhere."""
    table = "## Tasks\n\n| Part | Done | Total |\n|---|---|---|\n| Pages | "
    in_proportion(lambda figures: table + "1" * figures + "a | 2 |\n", told, 5_000)


def test_a_column_that_says_how_far_each_row_is_is_the_status_whatever_it_is_called() -> None:
    """Tables of other languages, and "Result", "Where": the cells tell."""
    text = (
        "| Ordner | Branch | Lage |\n|---|---|---|\n| `work/a` | `fix/a` | **WIP**, ungeprüft |\n"
        "| `work/b` | `fix/b` | **fertig**, zwei Commits |\n| `work/c` | `fix/c` | NICHT-BEGONNEN |\n"
    )
    assert [("step", "in progress"), ("step", "done"), ("step", "pending")] == [row[:2] for row in told(text)]
    alike = "## Notes\n\n| Phase | Plans |\n|---|---|\n| Reader | TBD |\n| Writer | TBD |\n"
    assert {""} == {how_far for _, how_far, _ in told(alike)}


def test_a_log_tells_what_was_done_in_a_phase() -> None:
    """In a table with dates the phase says where a row stands, not what it is."""
    text = (
        "## Session log\n\n| Date | Phase | What changed |\n|---|---|---|\n| 2026-06-14 | 2 | scaffolded the reader |\n"
    )
    assert [("step", "done", "scaffolded the reader")] == told(text)


def test_a_column_on_versions_makes_no_work() -> None:
    """ "Version / Requirement" is on the version, and code in a cell is no file."""
    text = (
        "## Tech stack\n\n"
        "| Technology | Version / Requirement | Role |\n|---|---|---|\n| Python | `3.11+` | runs it |\n"
    )
    assert ["finding"] == kinds(text)
    assert ["finding"] == kinds("## Artifacts\n\n| Item | Value |\n|---|---|\n| Port | 3000 (env `PORT`) |\n")


def test_what_a_key_does_is_no_work() -> None:
    """A table of shortcuts tells about the program."""
    assert ["finding"] == kinds("## What it is\n\n| Key | Action |\n|---|---|\n| `q` | Quit the reader |\n")
