"""Headings with a rank, a template's date or a sign in front."""

from __future__ import annotations

from tests.documents.parse.told import told


def test_a_colour_in_front_of_a_rank_is_no_status() -> None:
    """🟢 low priority is not done, 🔴 high priority not blocked."""
    text = (
        "# To do\n\n## 🔴 High priority\n- reader\n\n## 🟢 Low priority - nice to have\n\n"
        "### 3. Name the numbers\n**Status**: ready\n- [ ] all\n"
    )
    assert [("step", "", "reader"), ("step", "pending", "Name the numbers"), ("step", "pending", "all")] == told(text)


def test_a_rank_with_a_piece_of_work_behind_it_is_that() -> None:
    """ "P0 — …" with its symptom and its cause tells of one thing."""
    text = "# Plan\n\n## P0 - The tree is broken\n- Symptom: a crash\n- Cause: no route\n\n## P1 - Later\n- the clock\n"
    assert ["P0 - The tree is broken", "the clock"] == [row[2] for row in told(text)]


def test_a_template_at_the_end_of_a_log_is_not_filed() -> None:
    """It shows how to write the next entry."""
    text = (
        "# Log\n\n### 2026-04-12 - Two tables\n\nThey are read apart.\n\n### YYYY-MM-DD - Title\n\n"
        "Context:\n- Why it was needed\n"
    )
    assert 1 == len(told(text))


def test_a_phase_of_testing_that_is_over_is_a_thing_done() -> None:
    """ "✅ Completed testing phase" makes no phases of the headings beside it."""
    text = (
        "## Today\n\n### ✅ Completed testing phase\n- Tested the reader: 80 %\n\n"
        "### ✅ Built the writer\n- Added a queue\n"
    )
    assert {"step"} == {row[0] for row in told(text)}
    assert "Tested the reader: 80 %" in [row[2] for row in told(text)]


def test_a_numbered_decision_below_another_is_one() -> None:
    """Levels of headings slip in long logs."""
    assert ["decision", "decision"] == [row[0] for row in told("## D-3 — No mapper\n\n### ADR-4: Flags\n\nOne file.\n")]


def test_a_label_is_over_where_a_table_begins_behind_its_list() -> None:
    """The table has a header of its own."""
    text = (
        "## Notes\n\nRejected alternatives:\n- a table\n\n"
        "| # | Decision | Why |\n|---|---|---|\n| 5 | Cookies | they end |\n"
    )
    assert ["failed", "decision"] == [row[0] for row in told(text)]


def test_a_decision_of_a_month_is_one() -> None:
    """Some logs count in months."""
    text = "# Decision log\n\n## 2026-08: One parser for both\n\nThe other was a copy.\n\n- It had drifted.\n"
    assert [("decision", "", "One parser for both")] == told(text)
