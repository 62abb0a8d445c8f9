"""Labels and lines: bold labels as headings, labelled lines, upper-case states, bare phases, text files."""

from __future__ import annotations

from clew.documents.parse import parse
from tests.documents.parse.told import kinds, told


def test_bold_labels_stand_as_headings() -> None:
    """Half of all hand-offs are written this way."""
    text = "**Completed:**\n- a\n\n**Next steps**\n- b\n- c\n\n**Files changed**:\n- `x.py`\n"
    assert [("step", "done", "a"), ("next", "", "b"), ("step", "pending", "c"), ("file", "", "x.py")] == told(text)


def test_a_paragraph_behind_its_list_ends_a_label() -> None:
    """Otherwise everything up to the next heading would be "done"."""
    assert ["step"] == kinds("**Done:**\n- a\n\nAnd then some words about the weather.\n")


def test_labelled_lines_in_a_paragraph() -> None:
    """One line each, also without a blank between."""
    text = "**Goal**: ship\n**Status**: in review\n**Date**: 2026-01-01\n**Next**: test it\n**Note**: keep it small\n"
    assert [("goal", "", "ship"), ("next", "", "test it"), ("reminder", "", "keep it small")] == told(text)


def test_a_status_that_is_a_sentence_is_a_finding() -> None:
    """ "Status: done" is metadata, "Status: fixed, build still running on CI" is where things stand."""
    assert ["finding"] == kinds("**Status**: fix complete, network build still running\n")
    assert [] == kinds("**Status**: done\n")


def test_upper_case_states_and_bare_phases_of_a_text_file() -> None:
    """claude-progress.txt is no Markdown."""
    text = (
        "DONE:\n- parser\n\nBLOCKED: no key\nNEXT: bench\n"
        "Phase 1: parser - DONE\nPhase 2: docs\n\nNOTES\n-----\n* slow\n"
    )
    assert [
        ("step", "done", "parser"),
        ("blocker", "", "no key"),
        ("next", "", "bench"),
        ("phase", "done", "Phase 1: parser"),
        ("phase", "", "Phase 2: docs"),
        ("finding", "", "slow"),
    ] == told(text, name="claude-progress.txt")


def test_a_bold_task_with_what_explains_it() -> None:
    """ "**Task 1 — …**" and its paragraph are one item."""
    parsed = parse(
        "**Task 1 — fix the port.**\nIt binds locally. Verify from outside.\n\nText below.\n\n**Task 2: ship**\n- how\n"
    )
    assert [("step", (1, 4)), ("step", (6, 7))] == [(entry.kind, tuple(entry.lines)) for entry in parsed.entries]


def test_a_reason_on_the_next_line_belongs_to_the_line_above() -> None:
    """Rules with their reason: the reason is not a rule."""
    text = "## Rules\n\n**Prove each step.**\nNo gaps.\n**Why**: gaps were found.\n**How to apply**: cite.\n"
    assert [("constraint", "Prove each step. No gaps.", "gaps were found.")] == [
        (entry.kind, entry.text, entry.why) for entry in parse(text).entries
    ]


def test_a_label_with_its_fields_is_one_item() -> None:
    """A known issue with severity and fix is one issue, not three."""
    text = "## Known issues\n\n**pytest is missing**:\n- Impact: no tests\n- Fix: install it\n- Priority: high\n"
    assert [("finding", "pytest is missing")] == [(kind, text_) for kind, _, text_ in told(text)]


def test_bullets_that_markdown_does_not_know_and_signs_in_lines() -> None:
    """Chat clients paste these."""
    text = "## Done\n• one\n• two\n\n✅ three\n✅ four\n"
    assert ["one", "two", "three", "four"] == [row[2] for row in told(text)]
    assert {("step", "done")} == {row[:2] for row in told(text)}


def test_a_warning_is_heard_everywhere() -> None:
    """Also below a heading that files nothing else."""
    assert [("reminder", "", "this restarts the live worker")] == told(
        "## Usage\n\nNote: this restarts the live worker\n"
    )


def test_a_pointer_is_no_item() -> None:
    """ "See TODO.md" does not say what is next."""
    assert [] == kinds("## What's next\n\nSee [TODO.md](TODO.md) for the remaining tasks.\n")


def test_a_label_within_bold_and_behind_a_picture() -> None:
    """ "**Task: …** so that …" and "📊 **Coverage**: …" are labels, too."""
    assert [("goal", "", "take screenshots so that the store has them")] == told(
        "# Prompt\n\n**Task: take screenshots** so that the store has them\n"
    )
    assert ["finding"] == kinds("## Conclusion\n\n📊 **Quality**: all 560 cases are covered\n")


def test_a_label_with_a_path_is_a_file_and_one_with_a_measure_a_finding() -> None:
    """ "Created: src/a.py" is a file of the work, "Sprint progress: 25%" no work."""
    text = "## Work completed\n\n**Created**: `src/a.py` (20 lines)\n\n**Sprint progress**: 25% (1 of 4)\n"
    assert ["file", "finding"] == kinds(text)
    assert ["file", "finding"] == kinds("# Note\n\n## Storage\n\n- Report: `docs/report.md`\n- Latency: 20 ms\n")


def test_a_reason_alone_on_its_line_takes_its_list() -> None:
    """Reasons are no work."""
    assert [("step", "done", "a")] == told("## Done\n- a\n\n**Rationale**:\n- it is small\n- it is fast\n")


def test_a_decision_in_front_of_the_list_of_its_reasons() -> None:
    """The paragraph decides, the list does not."""
    text = "## Decision\n\n**Keep one SQLite file** rather than a server for:\n- simple backups\n- no daemon\n"
    assert [("decision", "", "Keep one SQLite file rather than a server for")] == told(text)
    assert "simple backups no daemon" == parse(text).entries[0].why


def test_a_bare_line_above_its_list_is_a_heading() -> None:
    """People leave out the signs; "Next steps" is one all the same."""
    assert [("next", "", "a"), ("step", "pending", "b")] == told("# X\n\nNext steps\n\n- a\n- b\n")


def test_a_label_that_names_files_and_no_path_is_no_list_of_files() -> None:
    """ "Chunked files: rejected" is an alternative."""
    text = "## Alternatives considered\n\n**Chunked files**: rejected, because one file is asked for.\n"
    assert [("decision", "", "Chunked files: rejected")] == told(text)


def test_sentences_that_say_what_they_are() -> None:
    """Notes without headings still tell what was tried, chosen and comes next."""
    text = (
        "# Session 14\n\nWe tried polling, but it lost events.\n\nWe chose a queue.\n\n"
        "**Decision — the server writes**, and nobody else.\n\nNext session should begin with retries.\n"
    )
    assert ["failed", "decision", "decision", "next"] == kinds(text)


def test_a_label_behind_an_example_is_heard() -> None:
    """An example ends with its code."""
    text = "## Notes\n\n**Usage example:**\n```bash\nx\n```\n\nKnown limitation: recurring tasks are lost.\n"
    assert ["finding"] == kinds(text)


def test_a_label_ends_the_list_above_it() -> None:
    """In a text file nothing but the indent tells that "NEXT:" is no part of the last entry."""
    text = "DONE:\n  - the parser\nNEXT:\n  - the linter\n"
    assert [("step", "done", "the parser"), ("next", "", "the linter")] == told(text, name="progress.txt")


def test_a_sentence_tells_what_the_list_below_it_is() -> None:
    """Who writes in sentences has no headings for each list."""
    text = "## Login\n\nWe must never:\n\n- log the token\n\nThese were fixed:\n\n- the port\n"
    assert ["constraint", "step"] == kinds(text)


def test_prose_that_only_explains_is_no_item() -> None:
    """What leads into a list of work, and what tells about the document."""
    text = (
        "## Next steps\n\nThis document lists them.\n\n- Ship it\n\n"
        "## Open questions\n\n1. Which port?\n\nStart with these questions and go on from there.\n"
    )
    assert ["next", "question"] == kinds(text)


def test_bold_sentences_and_dated_lines_tell_of_one_thing_each() -> None:
    """A log that has neither headings nor bullets."""
    text = (
        "# Log\n\n**Parser complete (v0.2).** It reads tables.\n**Linter complete (v0.3).** It knows nine rules.\n\n"
        "2026-03-01 — Added the store.\n2026-03-02 — Fixed the port.\n"
    )
    assert [
        ("step", "done", "Parser complete (v0.2). It reads tables."),
        ("step", "done", "Linter complete (v0.3). It knows nine rules."),
        ("step", "done", "2026-03-01 — Added the store."),
        ("step", "done", "2026-03-02 — Fixed the port."),
    ] == told(text)


def test_bold_words_in_a_sentence_are_no_label() -> None:
    """A line of a paragraph may begin with them by chance."""
    text = "## Open questions\n\nTwo are left, and they are\n**priced rather than open**: whether it pays.\n"
    assert ["question"] == kinds(text)


def test_a_label_among_facts_says_what_was_done_and_who_is_waited_for() -> None:
    """A list of how things stand holds both."""
    text = "## State\n\n- **Done this week:** port fixed\n- **Waiting on the owner:** a key\n- **Queue:** empty now\n"
    assert ["step", "blocker", "finding"] == kinds(text)


def test_what_a_sentence_says_that_it_will_not_do_is_put_off() -> None:
    """Also in a section on the scope of a plan, whose other lists are its work."""
    text = (
        "# Reader plan\n\n## Scope\n\nThe first version will not support:\n\n- Accounts\n- Votes\n\n"
        "It should show:\n\n- Titles\n"
    )
    assert ["deferral", "deferral", "step"] == kinds(text)


def test_sentences_in_a_section_are_told() -> None:
    """Whatever it is called; what only leads on, points or speaks of the document is not."""
    text = (
        "# Viewer\n\n## Prices\n\nNo price is stored; each is computed when it is asked for.\n\n"
        "The order of lookup: pins, then the file, then the network, one after another.\n\n- a\n\n"
        "Screenshots are deliberately deferred until all pages are there.\n\n"
        "`pins.json` is empty and should stay so as long as it can.\n\n"
        "See docs/prices.md.\n\nThis document is kept short.\n"
    )
    assert ["finding", "finding", "finding", "deferral", "constraint"] == kinds(text)


def test_the_first_thing_that_a_plan_says_to_do_is_its_goal() -> None:
    """The steps come behind it."""
    text = "# Feed plan\n\n## Brief\n\nBuild an app that finds news and keeps them.\n\n## Tasks\n\n- Draw it\n"
    assert ["goal", "step"] == kinds(text)


def test_a_quoted_rule_is_a_rule() -> None:
    """People set their rules apart, as quotes; other quotes were said elsewhere."""
    text = "# Ports\n\n## Server\n\n> It must not bind 3391.\n\n> It was a long day for all of us.\n"
    assert [("constraint", "", "It must not bind 3391.")] == told(text)


def test_a_list_is_what_the_sentence_right_in_front_of_it_says() -> None:
    """Not the reason of what the paragraph began with."""
    text = "## Current state\n\nIt is one process. The following has been done:\n\n- The lexer\n- Docs\n"
    assert [("finding", ""), ("step", "done"), ("step", "done")] == [row[:2] for row in told(text)]


def test_a_bold_rule_with_its_reason_is_a_rule() -> None:
    """It reads as a label with words behind."""
    assert ["constraint"] == kinds("# Build\n\n## Clock\n\n**Do not send any of the old files** — they all fail.\n")


def test_a_verification_that_passed_is_a_check() -> None:
    """Whatever was run for it."""
    assert ["validation"] == kinds("# Slices\n\n- Verification passed: the unit tests and a build\n")


def test_a_line_that_a_picture_leads_or_that_points_to_a_file_is_a_heading_of_its_list() -> None:
    """A status page has few headings: "👉 next — …" is the next thing, "open → QUESTIONS.md" lists questions."""
    text = (
        "# Status\n\n👉 next — **merge the reader** into main.\n\n❓ open → [QUESTIONS.md](./QUESTIONS.md)\n"
        "- a cache in front of it\n\n📌 recent → `docs/DECISIONS.md`\n- one buffer for all files\n\n"
        "penciled in — for some other day\n   ✏️ a second window\n"
    )
    assert [
        ("next", "merge the reader into main."),
        ("question", "a cache in front of it"),
        ("decision", "one buffer for all files"),
        ("deferral", "a second window"),
    ] == [(kind, words) for kind, _, words in told(text)]
    assert ["step", "step"] == kinds("✅ Tests — all of them\n✅ Parser — in one pass\n")


def test_labels_in_a_template_and_labels_without_words_tell_nothing() -> None:
    """What is to be filled in was not said, and "Deferred: none." defers nothing."""
    text = (
        "# Log\n\n## Template\n\n### Sprint N\n\n**Gate results:**\n- lint:\n- coverage: web __ %\n\n"
        "## Sprint 1 — Reader\n\n**Requirements deferred:** none.\n\n**Gate results:**\n- lint is clean\n"
    )
    assert [("phase", "Sprint 1 — Reader"), ("validation", "lint is clean")] == [
        (kind, words) for kind, _, words in told(text)
    ]


def test_what_is_listed_below_a_users_story_must_hold() -> None:
    """The list tells what the user sees, nobody's work and no fact yet."""
    text = "# X\n\n**US-1: Choose a project**\n- A list of projects is shown\n- The last one is on top\n"
    assert ["constraint", "constraint"] == kinds(text)


def test_a_label_says_no_more_than_yes_or_a_rank() -> None:
    """ "Risk: low" is a field of what stands above, "Commit: …" metadata, "Open: … ?" a question."""
    text = "Commit: 1f0c2a Fix the reader\nUncommitted: no\nRisk: Low\nOpen: who owns the key?\n"
    assert [("question", "", "who owns the key?")] == told(f"# Hand-off\n\n{text}")


def test_the_focus_may_be_a_phase() -> None:
    """A state file names the phase that is worked on."""
    assert ["phase"] == kinds("# State\n\n## Position\n\n**Current focus:** Phase 3 — Sync engine\n")
    text = "## Current focus\nWriting the sync engine, with a merge of these:\n- rows\n- columns\n"
    assert [("goal", "Writing the sync engine, with a merge of these")] == [row[::2] for row in told(text)]


def test_parts_of_a_step_that_is_done_are_done() -> None:
    """ "Features:" below "### 1. Checkout ✅" were built."""
    text = (
        "## Summary\n\n### 1. Checkout ✅\n\n**Key features:**\n- one key a cart\n\n"
        "**Phase 1** (9 rows): all\n- the form\n"
    )
    assert {"done"} == {row[1] for row in told(text)}


def test_how_to_go_on_does_not_take_the_files_away() -> None:
    """A lead-in of a list of files speaks to whoever reads them."""
    assert ["file"] == kinds("## Files to read\n\nIf picking up where this left off:\n\n1. **`a.md`** — the flow\n")


def test_what_is_to_be_changed_is_told_before_its_list() -> None:
    """A sentence that says what to do is a step, and what it introduces the rest of it."""
    assert ["Move the port to 8005", "the agent"] == [
        row[2] for row in told("# To do\n\n## Port\n\nMove the port to 8005. Update it in:\n- the agent\n")
    ]


def test_a_sentence_says_when_the_work_is_done() -> None:
    """ "It ships when:" lists conditions, and rules that hold are no steps, wherever work is listed."""
    text = "# Roadmap\n\n## Before 1.0\n\n1.0 keeps its formats. It ships when:\n\n- No badge is wrong\n"
    assert ["constraint"] == kinds(text)
    assert ["phase", "constraint"] == kinds(
        "# Plan\n\n## Phase 1: Disk\n\nTwo rules hold for every value:\n\n- Old ones stay.\n"
    )


def test_a_label_among_findings_that_is_on_something_is_a_finding() -> None:
    """ "Slow tests" below "Problems" is no check, "Reader TODO" is work."""
    text = "## Problems\n\n**Slow tests** — starting takes 20 s.\n\n**Reader TODO** — count the rows again.\n"
    assert ["finding", "step"] == kinds(text)


def test_an_order_in_front_of_a_list_makes_work_of_it() -> None:
    """ "… Implement:" behind a sentence on why."""
    assert ["step", "step"] == kinds(
        "## Loading\n\nFiles are the point. Implement:\n- A button that opens one\n- Tiles\n"
    )
