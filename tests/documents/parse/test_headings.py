"""Headings that govern what stands below them, and headings that are items themselves."""

from __future__ import annotations

from clew.documents.parse import parse
from tests.documents.parse.told import kinds, told


def test_sections_give_their_kind_to_lists_and_paragraphs() -> None:
    """The plainest hand-off there is."""
    text = (
        "# Hand-off\n\n## Goal\nShip v1.\n\n## Done\n- parser\n"
        "\n## Blockers\nNone\n\n## Next steps\n1. lexer\n2. docs\n"
    )
    assert [
        ("goal", "", "Ship v1."),
        ("step", "done", "parser"),
        ("next", "", "lexer"),
        ("step", "pending", "docs"),
    ] == told(text)


def test_a_sub_heading_that_names_nothing_inherits() -> None:
    """ "Backend" below "Completed" is a group of what was completed."""
    text = "## Completed\n\n### Backend\n- a\n\n### Notes\n- b\n\n## Other\n- c\n"
    assert [("step", "done"), ("finding", ""), ("finding", "")] == [row[:2] for row in told(text)]


def test_only_the_first_open_entry_is_next() -> None:
    """Two next actions are none: whoever resumes would have to choose."""
    text = "## Next steps\n\n### Now\n- [x] a\n- [ ] b\n\n### Later this week\n- [ ] c\n"
    assert [("step", "done", "a"), ("next", "", "b")] == told(text)[:2]
    assert 1 == kinds(text).count("next")


def test_phases_are_items_with_their_status() -> None:
    """A plan's phases are what progress is told in."""
    text = (
        "### Phase 1: CLI (done)\nText that explains.\n- a step\n"
        "\n### Phase 2: API\n\n**Status**: in progress\n\n1. b\n"
    )
    assert [
        ("phase", "done", "Phase 1: CLI"),
        ("step", "done", "a step"),
        ("phase", "in progress", "Phase 2: API"),
        ("step", "", "b"),
    ] == told(text)
    assert (1, 2) == tuple(parse(text).entries[0].lines)


def test_a_decision_takes_its_fields_and_leaves_its_files() -> None:
    """The reason belongs to the decision, a list of files does not."""
    text = (
        "## Decision: Use SQLite\n\nReason: one file.\n\nDate: 2026-01-01\n\nRelated files:\n\n- `src/db.py`\n\n"
        "Consequence: one writer.\n\n## Decision 2: No daemon\n\n- **Why**: they leak\n- **Impact**: slower start\n"
    )
    assert [("decision", "", "Use SQLite"), ("file", "", "src/db.py"), ("decision", "", "No daemon")] == told(text)
    assert ["one file.", "", "they leak"] == [entry.why for entry in parse(text).entries]


def test_an_adr_with_headings_is_one_decision() -> None:
    """Context, decision and consequences are parts of one record."""
    text = (
        "## ADR-001: Use SQLite\n\n### Context\n\nNo server.\n\n"
        "### Decision\n\nSQLite.\n\n### Consequences\n\n- one writer\n"
    )
    assert [("decision", "", "Use SQLite")] == told(text)
    assert "No server." == parse(text).entries[0].why


def test_headings_below_a_kind_that_only_tell_are_items() -> None:
    """ "### Use SQLite" and a paragraph, below "Decisions"."""
    text = "## Decisions\n\n### Use SQLite\n\nIt is one file.\n\n### Storage\n\n- keep blobs out\n- no cache\n"
    assert [("decision", "", "Use SQLite"), ("decision", "", "keep blobs out"), ("decision", "", "no cache")] == told(
        text
    )


def test_a_journals_entry_is_a_thing_done() -> None:
    """Dated headings tell what happened; what they list explains it, files are apart."""
    text = (
        "## 2026-06-02 — Bootstrap\n\nCreated the harness:\n\n"
        "- `AGENTS.md` — knowledge base\n- a detail\n\n### Verified\n\n- it runs\n"
    )
    assert [
        ("step", "done", "2026-06-02 — Bootstrap"),
        ("file", "", "AGENTS.md"),
        ("validation", "", "it runs"),
    ] == told(text)


def test_a_date_in_front_of_a_known_heading_is_dropped() -> None:
    """ "2026-06-02: Decisions" names decisions."""
    assert ["decision"] == kinds("## 2026-06-02: Decisions\n- use X\n")


def test_a_title_names_what_stands_below_only_as_a_whole() -> None:
    """ "# Decisions" does, "# Billing decisions of the second quarter, a plan" does not."""
    assert ["decision"] == kinds("# Decisions\n\n- use X\n")
    assert ["finding"] == kinds("# Status\n\n## Storage\n\n- blobs are big\n")


def test_numbered_headings_below_what_was_done_are_done() -> None:
    """Session summaries number what they built; words in these titles name nothing."""
    text = "## What was accomplished\n\n### 1. Prompt enhancements ✅\n\nText.\n\n### 2. Test harness\n\nMore.\n"
    assert [("step", "done", "Prompt enhancements"), ("step", "done", "Test harness")] == told(text)


def test_nothing_below_references_is_filed() -> None:
    """Links are no findings."""
    assert [] == kinds("## References\n\n- [a](https://x.org)\n\n### More\n\n- b\n")


def test_urgency_and_areas_below_a_kind_are_groups_of_it() -> None:
    """ "### High" does not turn known issues into work, "### Components" not completed work into facts."""
    text = "## Known issues\n\n### High\n- it leaks\n\n## Completed\n\n### Components\n- a tree\n"
    assert [("finding", "", "it leaks"), ("step", "done", "a tree")] == told(text)


def test_a_done_heading_with_its_entries() -> None:
    """The heading is a thing done, and so is each entry below it."""
    text = "## What was delivered\n\n### ✅ Complete test harness\n- runner configured\n- fixtures written\n"
    assert [("step", "done")] * 3 == [row[:2] for row in told(text)]


def test_numbered_headings_below_findings_are_findings() -> None:
    """What explains one, a table as well, belongs to it."""
    text = "## Findings\n\n### 1. The cache is cold\n\nMeasured twice.\n\n| Metric | Value |\n|---|---|\n| hits | 3 |\n"
    assert [("finding", "", "The cache is cold")] == told(text)


def test_experiments_and_lettered_bugs_are_items() -> None:
    """Research plans number experiments, reviews letter bugs; a bug's fix belongs to it."""
    assert [("step", "", "Experiment 2: Larger batches")] == told("### Experiment 2: Larger batches\n\nText.\n")
    text = "## Review\n\n### Bug A: the counter never falls\n\n**Problem**: it is read twice.\n\n**Fix**: read once.\n"
    assert [("finding", "", "the counter never falls")] == told(text)


def test_work_below_a_step_that_is_to_do() -> None:
    """Its entries are steps; between boxes they only explain the boxes."""
    assert ["step", "step"] == kinds("### Task 1: Parser\n\n- read tables\n")
    assert ["step", "step"] == kinds("### Task 1: Parser\n\n- [ ] Write a test\n\nIt covers:\n\n- tables\n- lists\n")


def test_a_phase_lists_work_and_facts() -> None:
    """A whole sentence on how something is tells no work."""
    text = "## Phase 1: Hooks\n\n- Register the hook\n- The client does not document a stop hook.\n"
    assert ["phase", "step", "finding"] == kinds(text)


def test_a_heading_over_a_stamp_files_nothing() -> None:
    """ "## Last updated" is no work that was updated."""
    assert [] == kinds("## Last updated\n\n2026-01-02\n")


def test_the_first_paragraph_of_an_overview_may_be_the_goal() -> None:
    """A plan says there what is to be built; an overview that only describes is none."""
    assert [("goal", "", "Implement an event stream for the shop.")] == told(
        "# Plan\n\n## Overview\n\nImplement an event stream for the shop.\n\nIt is small.\n"
    )
    assert [] == kinds("# Notes\n\n## Overview\n\nThe shop sells shoes.\n")


def test_a_plans_entries_are_steps() -> None:
    """Its title says so for sections that name nothing; a section that describes is not one of the steps."""
    text = "# Cleanup Plan\n\n## Build stage\n\n- Shard manifests\n\n## Benefits\n\n- Less waiting\n"
    assert [("step", "Shard manifests"), ("finding", "Less waiting")] == [(row[0], row[2]) for row in told(text)]


def test_a_principle_with_its_rules() -> None:
    """Both bind: the heading, and each rule in its list."""
    text = "## Core principles\n\n### I. Tests first\n\nNo code before.\n\n- Each fix has a test\n- No skipped tests\n"
    assert ["constraint"] * 3 == kinds(text)


def test_a_part_of_what_was_done_was_done() -> None:
    """Sub-headings below "### 2. Prompts ✅" are pieces of it."""
    text = "## Completed\n\n### 2. Prompts ✅\n\n#### Supervisor v2\n\n**File**: `a/b.py`\n\nIt debates.\n"
    assert [("step", "done", "Prompts"), ("step", "done", "Supervisor v2"), ("file", "", "a/b.py")] == told(text)


def test_a_story_is_known_by_its_id() -> None:
    """Its criteria are boxes below it."""
    text = "## User stories\n\n### US-001: See the budget\n\nAs an owner I see it.\n\n- [ ] `status` shows it\n"
    assert [("step", "US-001: See the budget"), ("step", "`status` shows it")] == [(r[0], r[2]) for r in told(text)]


def test_groups_of_files_are_files() -> None:
    """ "### Tests" below "Files changed" is no section of checks."""
    assert ["file", "file"] == kinds("## Files changed\n\n### Core\n\n- `a.py`\n\n### Tests\n\n- `tests/a.py`\n")


def test_problem_and_solution_are_told_in_a_paragraph_with_its_list() -> None:
    """The list goes on with the sentence; entries of it say nothing alone."""
    text = (
        "# Design\n\n## Problem\n\nDuring long runs the context grows and can:\n\n- cost tokens\n- lose focus\n\n"
        "## Solution\n\nAn optional field says whether the context is cleared.\n"
    )
    assert ["finding", "decision"] == kinds(text)


def test_a_paragraph_alone_under_a_name_tells_how_that_is() -> None:
    """Descriptions of a design are facts; an introduction below the title is none."""
    text = "# Events\n\nThis page is on the events of the shop.\n\n## shop.created\n\nIt is sent once for a new shop.\n"
    assert [("finding", "", "It is sent once for a new shop.")] == told(text)


def test_a_status_line_tells_how_far_a_phase_is() -> None:
    """ "- **Status:** complete" is no step of it."""
    text = "### Phase 1: Discovery\n\n- [x] Ask\n- **Status:** complete\n"
    assert [("phase", "done", "Phase 1: Discovery"), ("step", "done", "Ask")] == told(text)


def test_a_ranks_number_is_no_ticket() -> None:
    """ "P0 - Critical" groups steps and is none."""
    text = "## Priorities\n\n### P0 - Critical\n\n1. **Drop it** - old\n\n### P1 - High\n\n2. **Join it** - 5 of them\n"
    assert ["step", "step"] == kinds(text)


def test_the_checks_of_a_phase_and_the_words_of_a_plan() -> None:
    """Numbered like its steps, they are none."""
    text = (
        "# A checklist\n\n## 0. Definitions\n\n- wrong: p = 0\n\n## Phase 1: Clean\n\n### 1.1 Remove it\n\n"
        "### 1.2 Verification\n\n```bash\nmake all\n```\n"
    )
    assert ["finding", "phase", "step", "validation"] == kinds(text)


def test_a_heading_that_names_a_piece_of_work() -> None:
    """ "Refactor: one place" is a step, done where its first paragraph says so."""
    text = "## Fix: the board\n\nFixed the drag.\n\nAll 380 tests pass.\n\n## Refactor: one place\n\nIt is to be one.\n"
    assert [("step", "done"), ("validation", ""), ("step", "")] == [(kind, how_far) for kind, how_far, _ in told(text)]


def test_a_sprints_plan_lists_its_stories() -> None:
    """A title with a number is one sprint, not a list of them."""
    assert [("step", "done", "SSO | 5")] == told(
        "# Sprint 12 (Mar 3)\n\n| Story | Points | Status |\n|---|---|---|\n| SSO | 5 | Done |\n"
    )


def test_a_heading_that_is_a_path_is_a_file() -> None:
    """With what is to know of it below."""
    assert ("file", "src/login.py") in [
        (entry.kind, entry.text) for entry in parse("## Changes\n\n### `src/login.py`\n\nReads the token.\n").entries
    ]


def test_parts_of_a_roadmap_are_steps_though_a_list_tells_of_them() -> None:
    """Below "Near term" a heading with words and options is one thing to do."""
    text = "## Near term\n\n### Export to CSV\nWrite the rows.\n\n- Keep the order\n\n## Done\n\n- a\n"
    assert ("step", "pending", "Export to CSV") in told(text)


def test_what_is_left_stands_below_files_too() -> None:
    """ "Not yet implemented" in a list of files is no group of these."""
    text = "## Important files\n\n### Working\n- `a.py`\n\n### Not yet implemented\n- The installer\n"
    assert [("file", "", "a.py"), ("step", "pending", "The installer")] == told(text)


def test_a_heading_with_a_status_of_its_own_is_a_step_though_boxes_stand_below() -> None:
    """Its fields are no work, and a box that nobody ticked is open though its section is in progress."""
    text = (
        "# Plan\n\n## In progress\n\n### 1. Sign-in page\n**Status:** Not started\n**Priority:** high\n"
        "- [ ] Draw the form\n\n### 2. Sign-out\n**Status:** Not started\n- [x] Add the link\n"
    )
    assert [
        ("step", "pending", "Sign-in page"),
        ("step", "pending", "Draw the form"),
        ("step", "pending", "Sign-out"),
        ("step", "done", "Add the link"),
    ] == told(text)


def test_a_ticket_whose_letters_have_a_number_is_a_step() -> None:
    """ "M2-014" is an id as "US-014" is."""
    text = "# Tickets\n\n## M2-014 — The reader\n\n**Status:** DONE\n\n- [x] It reads\n\n**Depends on:** M2-013\n"
    assert [("step", "done"), ("step", "done")] == [row[:2] for row in told(text)]


def test_a_part_of_a_phase_with_a_tick_is_a_step() -> None:
    """It is said of the part that it is done."""
    text = "## Phase 1: Course\n\n#### Lesson group A ✓\n- [x] Intro\n\n#### Lesson group B\n- [ ] Outro\n"
    assert [
        ("phase", "", "Phase 1: Course"),
        ("step", "done", "Lesson group A"),
        ("step", "done", "Intro"),
        ("step", "pending", "Outro"),
    ] == told(text)


def test_what_a_day_of_a_journal_lists_was_done() -> None:
    """Also below its sub-headings, and where no entry has a verb; what says how something is stays a finding."""
    text = (
        "# Log\n\n## May 4, 2026 — First rooms\n\n### Code\n- Kitchen and hall\n- The door is still too small\n"
        "\n### Sketches\n- Cat on a sofa\n"
    )
    assert [("step", "done"), ("finding", ""), ("step", "done")] == [row[:2] for row in told(text)][-3:]


def test_a_day_of_decisions_holds_those_below_it() -> None:
    """The day itself decides nothing where its headings do."""
    text = (
        "# Decisions\n\n## 2026-05-04 — Close of the trial\n\n### Keep one file\nIt is small.\n\n"
        "### Drop the cache\nNo use.\n"
    )
    assert [("decision", "Keep one file"), ("decision", "Drop the cache")] == [
        (kind, text_) for kind, _, text_ in told(text) if kind == "decision"
    ]


def test_a_phase_that_says_behind_its_number_that_it_is_complete() -> None:
    """Without a sign or a dash."""
    text = "## Status\n\n### Phase 1 complete\n- the reader\n\n### 里程碑 2 已完成\n- the writer\n"
    assert ["done"] * 4 == [how_far for _, how_far, _ in told(text)]


def test_a_phase_that_begins_with_a_word_for_rules_is_work() -> None:
    """ "Contract, tests" are what it builds."""
    text = "## Phase 2 — contract, tests\n\n### The store\n\nIt holds rows.\n"
    assert "constraint" not in kinds(text)


def test_what_a_day_tells_below_its_headings_is_not_lost_in_it() -> None:
    """Each sentence is an item; the headings are no steps because the day was done."""
    text = (
        "# Hand-off\n\n## 2026-03-18 — The clock\n\nFixed it.\n\n### Cause of the failure\n\n"
        "The clock was driven by a constant in the shell.\n\n### Slow adder\n\nThe adder is read in one cycle only.\n"
    )
    assert ["finding", "finding"] == kinds(text)[-2:]
    assert "Slow adder" not in [text_ for _, _, text_ in told(text)]


def test_an_issue_with_headings_of_its_own_is_told_by_these() -> None:
    """Below "1. Slow start" stand its symptom and its cause, each of them a finding."""
    text = (
        "## Known issues\n\n### 1. Slow start\n\n#### Symptom\n\nThe window stays white for ten seconds.\n\n"
        "#### Root cause\n\nThe cache is read twice at the start.\n\n### 2. No sound\n\nThe driver is missing.\n"
    )
    assert ["The window stays", "The cache is", "No sound"] == [
        " ".join(text_.split()[:3]) for kind, _, text_ in told(text) if kind == "finding"
    ]


def test_a_numbered_priority_with_a_title_is_a_step() -> None:
    """ "Priority 1" alone is a rank."""
    text = "## To do\n\n### Priority 1: Check the build\n\nRead its log.\n\n### Priority 2\n\n- Load it\n"
    assert [("step", "Check the build"), ("step", "Load it")] == [(kind, text_) for kind, _, text_ in told(text)]


def test_the_validation_that_a_phase_builds_is_work() -> None:
    """ "Input validation" is no check of the phase, "Validation" is."""
    text = "## Phase 2: Polish (done)\n\n### Input validation\n- Names of 200 letters\n\n### Validation\n- all green\n"
    assert ["phase", "step", "validation"] == kinds(text)


def test_sessions_and_days_with_lists_are_frames() -> None:
    """A session's number is no thing that was done: what is listed below it is."""
    text = "# Tracker\n\n## Session 1 — Setup and core\n- Installed the tools\n\n## Session 2 — Done\n- the reader\n"
    assert [("step", "done", "Installed the tools"), ("step", "done", "the reader")] == told(text)
    text = "# X\n\n## 2026-03-02 09:30 top-up\n- did: cleared the queue\n\n### Design\n- new icons\n"
    assert [("step", "done", "cleared the queue"), ("step", "done", "new icons")] == told(text)


def test_a_rank_with_a_name_is_a_part_of_its_section() -> None:
    """ "P1: Core" groups steps, as "High priority" does; "US-1: …" is one."""
    text = "## Next steps\n\n### P1: Core\n- the reader\n\n### P2: Rest\n- the writer\n"
    assert [("next", "", "the reader"), ("step", "pending", "the writer")] == told(text)


def test_improvements_below_next_steps_are_to_be_made() -> None:
    """What names work says below pending work nothing of how far it is."""
    text = (
        "## Next steps\n\n1. **Improvements**:\n   - faster start\n   - less memory\n\n2. **Fixes**:\n   - the leak\n"
    )
    assert {"done"}.isdisjoint(status for _, status, _ in told(text))
    assert [("step", "done", "faster start")] == told("## Improvements\n- faster start\n")


def test_a_box_below_a_heading_is_the_headings() -> None:
    """A plan may tick its headings a line below."""
    text = "# Plan\n\n### Step 1: Reader\n`[x]`\n- Open the file\n\n### Step 2: Writer\n`[ ]`\n- Write rows\n"
    assert ["done", "done", "pending", "pending"] == [status for _, status, _ in told(text)]


def test_a_section_on_the_repository_tells_facts() -> None:
    """Branch and id are metadata, sentences beside them are not."""
    text = "# X\n\n## Repository\n- Branch: main\n- **`topic/reader` is merged and closed.** Start from `main`.\n"
    assert ["finding"] == [kind for kind, _, _ in told(text)]


def test_headings_below_milestones_are_these() -> None:
    """Their lists are the work, and what ends one is no work."""
    text = (
        "## Milestones\n\n### v0.1 — First window\n- A window that opens\n- **Exit**: it opens on all systems\n\n"
        "### Security\n- Keys in the store\n"
    )
    assert [
        ("phase", "v0.1 — First window"),
        ("step", "A window that opens"),
        ("constraint", "it opens on all systems"),
        ("phase", "Security"),
        ("step", "Keys in the store"),
    ] == [(kind, words) for kind, _, words in told(text)]


def test_what_must_hold_at_the_end_is_no_work_unless_it_is_ticked_off() -> None:
    """ "Success criteria" with boxes or signs are steps, others are constraints."""
    text = "## Success criteria\n- Starts within 100 ms\n- ✅ Reads all files\n- [ ] Writes all files\n"
    assert [("constraint", ""), ("step", "done"), ("step", "pending")] == [row[:2] for row in told(text)]
    rows = "### Goals\n\n| Criterion | Target |\n|---|---|\n| Memory | below 50 MB |\n"
    assert ["constraint"] == kinds(rows.replace("### Goals", "### Exit criteria"))
    assert ["step"] == kinds("| Criterion | Status |\n|---|---|\n| Starts fast | done |\n")


def test_a_dated_heading_over_a_list_of_deeds_is_a_frame() -> None:
    """What was done that day is the list; with a list of other things the heading was done."""
    text = "## 2026-05-01 — Reader\n\nCreated the reader.\n\n- Added a buffer\n- Fixed the leak\n"
    assert [("step", "done", "Created the reader."), ("step", "done", "Added a buffer")] == told(text)[:2]
    other = "## 2026-05-01 — Footer\n\nMade the footer useful.\n\n- Left: the model\n- Right: the cost\n"
    assert [("step", "done", "2026-05-01 — Footer")] == told(other)


def test_how_to_build_is_no_check() -> None:
    """ "Build" as a heading tells how, in front of a sentence how it went."""
    assert [] == told("# Notes\n\n## Build and install\n\n```sh\nmake install\n```\n")
    assert ["validation"] == kinds("# Notes\n\n## State\n\n**Build:** green on both systems\n")


def test_a_version_in_a_roadmap_is_a_phase() -> None:
    """ "v0.2 — All rows" is planned below a roadmap, and what is listed below it is the work."""
    text = "# Roadmap\n\n## v0.2 — All rows\n- Read the files\n\n## 1.1 — Debugger (first)\n- Step through\n"
    assert ["phase", "step", "phase", "step"] == kinds(text)
    assert ["phase", "step", "phase", "step"] == kinds(
        "# Roadmap\n\n## Q3 2026\n- Reader\n\n## Version 1.0\n- Writer\n"
    )


def test_a_paragraph_with_a_bold_sentence_below_a_phase_says_something_by_itself() -> None:
    """Other paragraphs explain the phase; this one is about something else."""
    text = "# Log\n\n## Stage C is done\n\nIt took two days.\n\n**The cache is never cleared.** Restart the server.\n"
    assert ["phase", "finding"] == kinds(text)


def test_a_quote_right_below_a_heading_is_what_it_says() -> None:
    """Goals are often set apart; a quote elsewhere was said elsewhere."""
    assert [("goal", "", "Ship the reader.")] == told("# X\n\n## Goal\n\n> Ship the reader.\n")
    assert [] == told("# X\n\nSome words.\n\n> Ship the reader.\n")


def test_a_heading_that_calls_out_a_kind_is_one() -> None:
    """Journals write "DECISION — one buffer" over a paragraph that explains it; the title is what was decided."""
    text = (
        "# Log\n\n### DECISION — one buffer for all\nIt is simpler.\n\n### ⭐ FINDING — the cache is cold\nEach day.\n"
    )
    assert [("decision", "one buffer for all"), ("finding", "the cache is cold")] == [row[::2] for row in told(text)]
    assert ["decision"] == kinds("SETTLED - NOT AGAIN\n-----------------------\n* One buffer for all\n")


def test_a_ranked_heading_below_risks_is_one_of_these() -> None:
    """ "P1 — …" with prose below is the risk; over a list it ranks what is listed."""
    text = "## Risks\n\n### P1 — Limits are not shared\nEach instance has its own.\n\n### P2\n- It is slow\n"
    assert [("risk", "P1 — Limits are not shared"), ("risk", "It is slow")] == [row[::2] for row in told(text)]


def test_a_ticked_heading_below_the_focus_is_a_thing_done() -> None:
    """ "Current focus" lists what is worked on, done or not."""
    text = "# X\n\n## Current focus\n\n### Timeline fix complete ✅\n- It was slow\n\n### Next: the writer\n- Rows\n"
    assert ("step", "done", "Timeline fix complete") == told(text)[0]


def test_notes_without_marks_have_headings() -> None:
    """A word by itself above a list, in small letters, is a heading as people jot it down."""
    text = "# Notes\n\ndone\n- pinned the browser\n\nnot done\n- upload\n\nnext\n- ask Kim\n- Do not touch the file\n"
    assert [("step", "done"), ("step", "pending"), ("next", ""), ("constraint", "")] == [row[:2] for row in told(text)]


def test_a_bug_by_its_label_is_a_finding() -> None:
    """With its cause and its fix; a share of the work is a status."""
    text = "### Bug: Mails are sent twice\n\n**Root cause:** the hook ran twice.\n\n**Fix:** moved it.\n"
    assert [("finding", "", "Mails are sent twice")] == told(text)
    assert ("step", "in progress") == told("## Done\n\n### Feature: Export\n\n**Status**: 80% complete\n")[0][:2]
