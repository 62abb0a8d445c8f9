"""List entries: one item each, groups by label, details that belong to their entry."""

from __future__ import annotations

from clew.documents.parse import parse
from tests.documents.parse.told import kinds, told


def test_nested_entries_belong_to_an_entry_that_is_complete() -> None:
    """Six details of one thing done are not seven things done."""
    assert [("step", "done", "Implemented all 24 methods:")] == told(
        "## Done\n- Implemented all 24 methods:\n  - a\n  - b\n"
    )


def test_entries_below_a_mere_label_are_items() -> None:
    """ "Backend:" is a heading that was written as an entry."""
    assert [("step", "done", "a"), ("step", "done", "b")] == told("## Done\n- Backend:\n  - a\n  - b\n")
    assert ["question", "step"] == kinds("- **Open questions:**\n  - who?\n- **Done:**\n  - it\n")


def test_boxes_and_statuses_below_an_entry_are_items() -> None:
    """A tick of its own is a state of its own."""
    text = "## Next\n1. **Implement agents**\n   - [x] one\n   - [ ] two\n   - a detail\n"
    assert [("next", "", "Implement agents"), ("step", "done", "one"), ("step", "pending", "two")] == told(text)


def test_a_box_is_open_as_its_section_says() -> None:
    """An unticked box below "In progress" is in progress."""
    text = "## In progress\n- [ ] a\n\n## Blocked\n- [ ] b\n\n## Anything\n- [ ] c\n- [x] d\n"
    assert ["in progress", "blocked", "pending", "done"] == [status for _, status, _ in told(text)]


def test_labelled_entries_without_a_section() -> None:
    """State in the form `- Label: value`."""
    text = "# State\n\n- Next: run it\n- Blocker: no key\n- **Decision:** use X\n- Branch: main\n- Latency: 20 ms\n"
    assert [
        ("next", "", "run it"),
        ("blocker", "", "no key"),
        ("decision", "", "use X"),
        ("finding", "", "Latency: 20 ms"),
    ] == told(text)


def test_the_reason_is_taken_out_of_a_decision() -> None:
    """Why a path is closed must survive the shortest budget, so it has a place of its own."""
    text = "## Dead ends\n- Polling — because of rate limits\n- Retry\n  - Why: it hides the error\n"
    assert [("Polling", "rate limits"), ("Retry", "it hides the error")] == [
        (entry.text, entry.why) for entry in parse(text).entries
    ]


def test_a_file_is_its_path_with_a_note() -> None:
    """Files are matched by path, so nothing else may be in it."""
    text = (
        "## Files\n- `src/a.py` - parser\n- Create: `src/b.py`\n- **Plan**: `docs/plan.md`\n- [c](src/c.py)\n"
        "- Makefile\n- two: `a.py` and `b.py`\n- no path here\n"
    )
    assert [
        ("file", "src/a.py", "parser"),
        ("file", "src/b.py", "Create"),
        ("file", "docs/plan.md", "Plan"),
        ("file", "src/c.py", "c"),
        ("file", "Makefile", ""),
        ("file", "two: `a.py` and `b.py`", ""),
        ("finding", "no path here", ""),
    ] == [(entry.kind, entry.text, entry.why) for entry in parse(text).entries]


def test_words_tell_the_kind_where_no_heading_does() -> None:
    """Under a subject's name, past tense is done, an imperative is to do, a rule is a rule."""
    text = (
        "## Parser\n- Added tables\n- never touch `own.py`\n"
        "- Is it fast?\n- it reads 3 MB/s\n\n## Lexer\n- Add tables\n"
    )
    assert ["step", "constraint", "question", "step", "step"] == kinds(text)
    assert [("step", "done"), ("step", "")] == [told(text)[0][:2], told(text)[-1][:2]]


def test_empty_words_and_places_to_fill_in_are_no_items() -> None:
    """ "None." below "Blockers" is good news, not a blocker; a template is nobody's plan."""
    text = "## Blockers\n- None.\n\n## Risks\n- N/A\n\n## Next steps\n1. [First thing to do]\n2. {second}\n"
    assert [] == kinds(text)


def test_quoted_lists_are_no_items() -> None:
    """What is quoted was said elsewhere."""
    assert [] == kinds("## Done\n\n> - quoted\n")


def test_marks_of_markdown_are_taken_off() -> None:
    """The words are the item; how they were set is not."""
    text = "## Done\n- **Bold** and *soft* and `**code**` and snake_case and src/**/*.py and \\*star\\*\n"
    assert ["Bold and soft and `**code**` and snake_case and src/**/*.py and *star*"] == [row[2] for row in told(text)]


def test_a_numbered_entry_is_no_label() -> None:
    """ "2. Command line:" is the second thing to do; what is nested tells how."""
    assert [("step", "", "Command line:")] == told("## Plan\n1. Command line:\n   - flags\n   - help\n")


def test_a_numbered_list_that_mostly_says_what_to_do_is_work() -> None:
    """Also the entries that begin otherwise."""
    text = "# Protocol\n\n1. Run the sweep\n2. If it fails, stop\n3. Optional: plot the curve\n"
    assert ["step", "step", "step"] == kinds(text)
    assert ["finding", "finding"] == kinds("# Shop\n\n1. It sells shoes\n2. It is closed on Monday\n")


def test_created_files_are_files() -> None:
    """ "### Created (4 files)" lists them."""
    text = "## Changes\n\n### Created (1 file)\n- `src/a.py` - parser\n\n### Modified\n- `src/b.py`\n"
    assert ["file", "file"] == kinds(text)


def test_a_past_verb_comes_before_a_rule_in_the_same_sentence() -> None:
    """What was done so that something must never happen was done."""
    assert [("step", "done", "Fixed labels: empty ones must not be stored")] == told(
        "# Log\n\n- Fixed labels: empty ones must not be stored\n"
    )


def test_an_entry_that_only_introduces_is_a_label() -> None:
    """ "The open items are:" says nothing by itself; what is nested says it."""
    text = "## State\n\n- The next open items are:\n  - review the pull request\n  - write the docs\n- All is merged\n"
    assert [("next", ""), ("step", "pending"), ("finding", "")] == [row[:2] for row in told(text)]
    assert ["step"] == kinds("## Plan\n\n- Normalize the origin:\n  - top left\n  - bottom left\n")


def test_what_a_list_tells_of_the_repository_is_no_item() -> None:
    """Branches, commits and links are looked up, not remembered."""
    text = "## Deployment status\n\n- **Branch**: `main`\n- **Commit**: `21c53b0`\n- Main: `https://example.org`\n"
    assert [] == kinds(text)


def test_a_command_that_checks_is_a_check() -> None:
    """In a list of what to run, the command is the item; a name without a word on it is none."""
    text = "# Before a commit\n\nRun:\n\n1. `make test` runs the tests\n2. `uv run ruff check`\n"
    assert ["validation", "validation"] == kinds(text)
    assert [] == kinds("# Tags\n\n- `quality`\n- `v8.47.1`\n")


def test_a_prohibition_among_checks_is_a_rule() -> None:
    """ "Do not edit the changelog" passes or fails nothing."""
    assert ["validation", "constraint"] == kinds("## Verification\n\n- All pages load\n- Do NOT edit CHANGELOG\n")


def test_what_follows_a_step_that_stands_alone_tells_of_it() -> None:
    """A plan's step with a paragraph and a list below is one piece of work, and its command is a check."""
    text = (
        "# Export plan\n\n### Task 1: The reader\n\n- [ ] **Step 1: Write the tests**\n\nAssert that:\n- it reads\n"
        "- it stops\n\n- [ ] **Step 2: Run them**\n\nRun: `make one`\n\nExpected: FAIL, there is no reader.\n\n"
        "- [ ] **Step 3: Run all**\n\nRun:\n```bash\nmake all\n```\n\nExpected: PASS\n\n- [x] **Step 4: Commit**\n"
    )
    assert [
        ("step", "", "Task 1: The reader"),
        ("step", "pending", "Step 1: Write the tests"),
        ("step", "pending", "Step 2: Run them"),
        ("validation", "", "`make one`"),
        ("step", "pending", "Step 3: Run all"),
        ("validation", "", "`make all`"),
        ("step", "done", "Step 4: Commit"),
    ] == told(text)


def test_how_a_check_came_out_is_a_check() -> None:
    """ "All checks pass" is no fact about the code."""
    text = "## Quality\n\n- All checks pass (make check)\n- The linting is clean\n- The suite has 40 files\n"
    assert ["validation", "validation", "finding"] == kinds(text)


def test_a_command_says_nobody_what_to_do() -> None:
    """ "`make dev`" begins with no verb."""
    assert [("finding", "", "`make dev` — starts it")] == told("# Commands\n\n## Daily\n\n- `make dev` — starts it\n")


def test_a_bold_name_that_is_described_is_a_fact() -> None:
    """ "Key features" of what was built are no work; criteria with an id still are."""
    text = "### Key features\n\n- **Sorting**: null values stand last\n- **Sort it**: by date\n- Colours\n"
    assert ["finding", "step", "step"] == kinds(text)
    assert ["step"] == kinds("## Acceptance criteria\n\n1. **Sorting**: null values stand last\n")


def test_work_on_tests_in_a_phase_is_work() -> None:
    """A phase called "Tests" holds steps."""
    text = "### Phase 4: Tests\n\n1. Add tests of the reader\n2. `make all` is green\n"
    assert ["phase", "step", "validation"] == kinds(text)


def test_a_status_alone_is_no_entry() -> None:
    """ "Status: accepted" tells of the document."""
    assert ["finding"] == kinds("# Queue\n\n- Status: accepted\n- Deciders: Ana, Bo\n\n## Context\n\n- It failed\n")


def test_how_far_a_step_is_stands_in_front_of_what_is_told_of_it() -> None:
    """Behind its label, in brackets, at the end of its bold words, or in front within these."""
    text = (
        "## Tasks\n\n- **Parser**: done. All ten kinds.\n- **Linter** (in progress): nine rules.\n"
        "- **Store: complete.** One file.\n- **✅ DONE: Import**\n- Export: not started, needs the key\n"
    )
    assert ["done", "in progress", "done", "done", "pending"] == [how_far for _, how_far, _ in told(text)]


def test_statements_among_what_was_done_are_no_steps() -> None:
    """The list began with work, but this entry tells how something is."""
    text = "## Reader\n\n- Added the cache\n- The cache is never cleared\n"
    assert ("finding", "", "The cache is never cleared") in told(text)


def test_numbered_titles_are_groups() -> None:
    """ "1. Performance" with a list names what stands below it; a decision is one, however much is told of it."""
    listed = (
        "1. Speed\n   - Long pages are slow\n   - The first start takes a second\n2. Looks\n   - Headings are small\n"
    )
    assert ["finding"] * 3 == kinds(f"## Known issues\n\n{listed}")
    assert ["decision"] * 2 == kinds(f"## Decisions\n\n{listed}")
    assert ["step"] * 2 == kinds("## Done\n\n1. Reader released\n   - tagged\n2. Plan created\n   - two pages\n")


def test_a_rule_among_steps_is_a_rule() -> None:
    """What must not be done is never work, unless it was."""
    text = "## Tasks\n\n- Load the first page\n- Do not load all of them\n\n## Done\n\n- Never loads twice now\n"
    assert ["step", "constraint", "step"] == kinds(text)


def test_what_is_to_be_done_stands_among_facts_too() -> None:
    """ "Errors" in a plan says what they are on, the entry that it is work."""
    text = "# Notes\n\n## Errors\n\n- Show them next to the row\n- Rows keep their place\n- Build time: 2 s\n"
    assert ["step", "finding", "finding"] == kinds(text)


def test_a_shouted_label_is_a_reminder_in_any_list() -> None:
    """It is bold, and says that it is important."""
    text = "## Steps\n\n- Make the account\n\n⚠️ **IMPORTANT:** Change its password at once!\n"
    assert [("step", ""), ("reminder", "")] == [row[:2] for row in told(text)]


def test_lettered_work_is_no_description() -> None:
    """ "**A — Reader:** …" counts packages of work."""
    assert ["step", "step"] == kinds(
        "## Work breakdown\n\n- **A — Reader:** the lexer and its tests\n- **B — Writer:** all of the other parts\n"
    )


def test_a_label_without_a_value_is_no_entry() -> None:
    """Templates fill the place with a dash."""
    assert [] == kinds("## Metrics\n\n- Average duration: -\n- Total: —\n")


def test_a_focus_is_aimed_at_in_a_sentence_and_worked_on_in_a_list() -> None:
    """Four goals would be none."""
    assert [("goal", "", "Ship the reader.")] == told("## Current focus\n\nShip the reader.\n")
    assert [("step", "in progress", "The lexer"), ("step", "in progress", "Docs")] == told(
        "## Current focus\n\n- The lexer\n- Docs\n"
    )


def test_numbered_features_are_steps_without_a_section() -> None:
    """Their form says it."""
    text = "# Notes\n\n## Features of the list\n\nSee below.\n\n# Other\n\n- Feature 1 (2 days): the lexer\n"
    assert "step" in kinds(text)


def test_a_rule_on_a_file_is_a_rule() -> None:
    """It begins with a path, and tells nothing about the file."""
    assert ["constraint", "file"] == kinds(
        "# Notes\n\n## Odds\n\n- `src/pipe.py` must remain as it is\n- `src/a.py` - the parser\n"
    )


def test_what_must_not_be_done_is_a_rule_among_reminders() -> None:
    """Notes for whoever goes on hold both."""
    assert ["reminder", "constraint"] == kinds("## Notes for the next agent\n\n- The key is old\n- Do not print it\n")


def test_a_bold_label_says_what_an_entry_among_steps_is() -> None:
    """The fields of a piece of work hold what was decided."""
    text = "## Tasks\n\n- **Decision:** keep one file\n- **Blocker:** no key\n- **Sort it:** by date\n"
    assert ["decision", "blocker", "step"] == kinds(text)


def test_work_that_is_done_in_japanese_and_russian() -> None:
    """The end of the verb says so in one, the form of the participle in the other."""
    assert [("step", "done")] == [row[:2] for row in told("# Notes\n\n- クラウドへ適用済み\n")]
    assert [("step", "done")] == [row[:2] for row in told("# Notes\n\n- Добавлена поддержка\n")]
    assert [("finding", "")] == [row[:2] for row in told("# Notes\n\n- Нужна проверка\n")]


def test_an_entry_on_a_file_with_its_parts_is_one() -> None:
    """ "`src/login.py` - new nodes:" is no heading of what is new in it, a list of deeds tells each."""
    text = "## Files\n- `src/login.py` - new nodes:\n  - Reader, Writer\n- `src/log.py` - fixed:\n  - Fixed the leak\n"
    assert ["src/login.py", "Fixed the leak"] == [words for _, _, words in told(text)]
    past = "## Done\n- Corrected the name: `out/model.bin` (flat)\n"
    assert [("step", "done")] == [row[:2] for row in told(past)]


def test_an_entry_whose_bold_front_says_how_far_its_subject_is_is_a_step() -> None:
    """ "Where we stopped" counts off pieces of work among facts."""
    text = (
        "# X\n\n## Where we stand\n- **The reader (parts 1–5): done & verified**, in one pass\n"
        "- **Keep the door open**, it is warm\n- **Caches are cold.**\n"
    )
    assert [("step", "done"), ("finding", ""), ("finding", "")] == [row[:2] for row in told(text)]


def test_labels_in_a_list_of_what_was_learned_say_what_an_entry_is() -> None:
    """A decision that stands among notes is one."""
    text = "# X\n\n## Learnings\n- **Design decisions for the reader:** one buffer\n- **Buffers** are small\n"
    assert ["decision", "learning"] == kinds(text)


def test_an_entry_that_only_points_elsewhere_says_nothing() -> None:
    """ "See the tests" is no decision, with a sentence behind it there is one."""
    text = "# X\n\n## Decisions\n- See `docs/reader.md` for full details\n- One buffer for all files\n"
    assert [("decision", "One buffer for all files")] == [row[::2] for row in told(text)]


def test_two_paths_in_front_are_files() -> None:
    """ "`a.c` / `b.c` — the readers" tells of files, as one path does."""
    assert ["file"] == kinds("# X\n\n## Design\n- `src/a.c` / `src/b.c` — the readers\n")


def test_a_title_with_orders_below_it_is_a_group_beside_entries_told_in_a_line() -> None:
    """Two of seven tasks are told by their parts: the parts are the tasks."""
    text = (
        "## Priority tasks\n1. Fix the cache\n2. Persona system improvements:\n   - Add length limits\n"
        "   - Fix duplicates\n3. Optional features:\n   - a clock\n   - a footer\n"
    )
    assert ["Fix the cache", "Add length limits", "Fix duplicates", "Optional features:"] == [
        row[2] for row in told(text)
    ]
    assert {"pending"} == {row[1] for row in told(text)}


def test_a_bold_name_with_its_parts_is_the_entry() -> None:
    """What a feature is made of is no work by itself; what is to be done below a title is."""
    text = "## Features\n1. **Pattern learning**\n   - personal patterns\n2. **Sharing**\n   - links\n"
    assert ["Pattern learning", "Sharing"] == [row[2] for row in told(text)]
    text = "## Order of work\n1. **P0 (must)**:\n   - rows\n2. **P1 (should)**:\n   - columns\n"
    assert ["rows", "columns"] == [row[2] for row in told(text)]
    text = "## Features\n1. **Patterns**\n   - Take one\n   - Add hints\n2. **Sharing**\n   - Add links\n   - Send it\n"
    assert ["Take one", "Add hints", "Add links", "Send it"] == [row[2] for row in told(text)]


def test_a_group_below_what_is_to_do_keeps_what_the_heading_says() -> None:
    """ "Testing" below "Next steps" lists things to do, as a heading and as an entry."""
    text = "## Next steps\n1. Sync\n   - Add a queue\n2. Testing & validation\n   - Conflicts\n   - Large files\n"
    assert ["next", "step", "step"] == kinds(text)
    assert ["step"] * 3 == kinds(
        "## To do\n\n### Reader\n- rows\n\n### Testing\n- large files\n\n### Bugs\n- the clock\n"
    )


def test_actions_are_done_where_they_are_told_as_such() -> None:
    """ "Actions" of a log were taken, those of a plan are to be."""
    text = "## Actions\n- Wrote the reader\n- Ask for the key\n"
    assert [("step", "done"), ("step", "pending")] == [row[:2] for row in told(text)]


def test_a_task_by_its_code_is_a_step() -> None:
    """Codes say what the words leave open: "T3: Error responses"."""
    text = (
        "## Details\n- **T1: Reserved words**\n- T2: Error responses\n- X7: Compare the two\n- The rest is as it was\n"
    )
    assert ["step", "step", "step", "finding"] == kinds(text)


def test_a_phase_with_a_box_is_a_phase() -> None:
    """A checklist of phases tells how far each is."""
    text = "## Checklist\n- [x] **Phase 0 — Skeleton** — builds\n- [ ] Ask for the key\n\n## Milestones\n- [ ] Beta\n"
    assert [("phase", "done"), ("step", "pending"), ("phase", "pending")] == [row[:2] for row in told(text)]


def test_a_try_that_came_to_nothing_failed() -> None:
    """In a log it is not done."""
    assert ["step", "failed"] == kinds("## 2026-02-11\n- Added a cache\n- Tried threads, too slow, reverted\n")


def test_a_verb_that_is_the_same_in_the_past_says_what_to_do_in_a_plan() -> None:
    """ "Split the reader" in a list of work was not done yet."""
    assert [("step", ""), ("step", "done")] == [
        row[:2] for row in told("# Plan\n\n## Reader\n- Split it\n- Added it\n")
    ]
