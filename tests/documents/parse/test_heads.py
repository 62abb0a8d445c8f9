"""Headings with a rank, a template's date or a sign in front."""

from __future__ import annotations

from tests.documents.parse.told import kinds, told


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


def test_a_heading_that_says_what_to_do_is_the_step() -> None:
    """Where work is listed a heading in the imperative is one of the pieces, what it tells is none."""
    text = (
        "# TODO\n\n## P1 — Hygiene\n\n### Move the tests off production\n**File:** `ci/tests.yml`\nIt is slow.\n"
        "- The runner has no role of its own.\n- Switch it to `test`.\n"
    )
    assert [
        ("step", "pending", "Move the tests off production"),
        ("file", "", "ci/tests.yml"),
        ("finding", "", "The runner has no role of its own."),
        ("step", "pending", "Switch it to `test`."),
    ] == told(text)


def test_a_heading_that_asks_among_work_is_a_question() -> None:
    """What is to be decided before the work."""
    text = "## High priority\n\n### Decide: one queue or two?\n- One is simple.\n- Decide and document.\n"
    assert ["question", "step"] == kinds(text)


def test_the_parts_of_a_road_map_are_phases() -> None:
    """Versions that are to come and modules that are to be built; what a label says to be done is."""
    text = (
        "# Road map\n\n## Future features\n\n### v1.1 - Metadata\n- [x] covers\n\n## Modules to implement\n\n"
        "### Module 1: the reader\n- [ ] rows\n\n## Task completed: Update the view\n"
    )
    assert ["phase", "step", "phase", "step", "step"] == kinds(text)
    assert ("step", "done", "Update the view") == told(text)[-1]


def test_the_status_of_a_decision_is_no_item() -> None:
    """As templates of decision records have it; a decision of one word keeps its number."""
    text = "# Decisions\n\n## ADR-001 — Redis\n\n### Decision\nUse Redis.\n\n### Status\nAccepted\n"
    assert [("decision", "", "ADR-001 — Redis")] == told(text)
    assert ["decision"] == kinds("# ADR 7: One file\n\n## Status\n\nAccepted\n\n## Decision\n\nWe keep one file.\n")


def test_a_day_that_was_a_phase_is_one() -> None:
    """A work log that counts phases by days."""
    assert ["phase", "step"] == kinds("# Worklog\n\n## 2026-07-30 — Phase 0: skeleton\n\n- Moved the brief\n")


def test_the_headings_of_a_list_of_decisions_are_these() -> None:
    """With what tells of them; a heading that asks tells how the list is kept, and what is open is asked."""
    text = (
        "# Decisions\n\n## When to record\nAt once.\n\n## Keep the monolith\nThree people.\n- Revisit at eight.\n\n"
        "## Open\n- Which queue?\n"
    )
    assert ("decision", "", "Keep the monolith") in told(text)
    assert ("question", "", "Which queue?") == told(text)[-1]
    assert "Revisit at eight." not in [row[2] for row in told(text)]


def test_a_phase_is_placed_in_time_by_the_word_in_front() -> None:
    """The current one is in progress, the next one to come; notes from a phase are none."""
    text = "## Current phase: Phase 2 — Types\n- [ ] records\n\n### Notes from this phase\n- Levels are faster\n\n"
    text += "## Next phase: Phase 3 — Code\n- Registers\n"
    assert [
        ("phase", "in progress"),
        ("step", "pending"),
        ("finding", ""),
        ("phase", "pending"),
        ("step", "pending"),
    ] == [row[:2] for row in told(text)]


def test_what_is_in_something_is_told() -> None:
    """A list of contents in a hand-off says how things are."""
    assert ["finding", "finding"] == kinds("## Situation\n\nWhat is in 4.3.0:\n\n- New scheduler\n- Node 22\n")


def test_work_is_listed_below_the_files_that_it_is_on() -> None:
    """In a list of work that is called like its file."""
    text = "# TODO.md\n\n## `parser.py`\n- handle tabs\n\n## cli\n- exit codes\n"
    assert [("file", ""), ("step", "pending"), ("step", "pending")] == [row[:2] for row in told(text)]
    assert ["file"] == kinds("## Layout\n\n### `parser.py`\n- reads the rows\n")


def test_a_heading_with_a_box_is_work_whatever_it_names() -> None:
    """Seen: thirty modules to be described, each a heading that somebody had ticked off, and none was taken in."""
    text = "# T\n\n## Libraries\n\n### [x] `lib/voice.py` — Voice\n\nIt speaks.\n\n### [ ] Phase 2: Roles\n"
    assert [("step", "done", "`lib/voice.py` — Voice"), ("phase", "pending", "Phase 2: Roles")] == told(text)
    assert told("# T\n\n## Tasks\n\n### [Roles](roles.md)\n") == []
