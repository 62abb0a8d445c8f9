"""Kinds come from headings, boxes and known labels; an entry keeps its words with the heading and label it stood
under."""

from __future__ import annotations

import pytest

from clew.documents.parse import parse
from tests.documents.parse.told import kinds, told


@pytest.mark.parametrize(
    ("heading", "kind", "status"),
    [
        ("Goal", "goal", ""), ("Key decisions", "decision", ""), ("2. Decisions (locked)", "decision", ""),
        ("Deferred", "deferral", ""),
        ("Failed approaches (do not retry)", "failed", ""), ("What didn't work", "failed", ""),
        ("Hypotheses", "hypothesis", ""),
        ("Constraints", "constraint", ""), ("Hard rules", "constraint", ""), ("Don't forget", "reminder", ""),
        ("Assumptions", "assumption", ""),
        ("Open questions", "question", ""), ("Risks & mitigations", "risk", ""), ("Known issues", "risk", ""),
        ("Blockers", "blocker", ""),
        ("Lessons learned", "learning", ""), ("✅ Completed this session", "step", "done"),
        ("In progress", "step", "in progress"),
        ("Remaining work", "step", "pending"), ("What's left", "step", "pending"), ("Next steps", "next", ""),
        ("Parser risks", "risk", ""),
        ("Steps", "step", ""), ("未完了", "step", "pending"), ("Decisiones", "decision", ""),
        ("Nächste Schritte", "next", ""),
        ("The parser", "note", ""), ("Usage", "note", ""), ("How decisions are made", "note", ""),
        ("Completing the port", "note", ""),
    ],
)  # fmt: skip
def test_a_heading_names_the_kind_or_nothing(heading: str, kind: str, status: str) -> None:
    """What a heading does not say for certain is a note, never a guess."""
    assert [(kind, status, "one buffer")] == told(f"# Handoff\n\n## {heading}\n\n- one buffer\n")


@pytest.mark.parametrize(
    ("line", "kind", "status", "text"),
    [
        ("- [x] ship", "step", "done", "ship"), ("* [ ] ship", "step", "pending", "ship"),
        ("- [~] ship", "step", "in progress", "ship"),
        ("- ✅ ship", "step", "done", "ship"), ("- ship — DONE", "step", "done", "ship"),
        ("- ship (in progress)", "step", "in progress", "ship"),
        ("- ~~ship~~", "step", "dropped", "ship"), ("- [DONE] ship", "step", "done", "ship"),
        ("- 🔴 ship", "note", "", "🔴 ship"),
        ("- ✅ Do: use tabs", "note", "", "✅ Do: use tabs"),
        ("- ship it when done", "note", "", "ship it when done"),
        ("- **Decision:** one buffer", "decision", "", "one buffer"), ("Goal: win", "goal", "", "win"),
        ("Next: wire it", "next", "", "wire it"),
        ("- TODO: wire it", "step", "pending", "wire it"),
        ("- Known bug: it is slow", "risk", "", "Known bug: it is slow"),
        ("- Reader: one buffer", "note", "", "Reader: one buffer"), ("1. `a.py`", "note", "", "`a.py`"),
        ("- [x] T001 [P] Make it in `a.toml`", "step", "done", "T001 [P] Make it in `a.toml`"),
    ],
)  # fmt: skip
def test_a_mark_or_a_label_of_its_own(line: str, kind: str, status: str, text: str) -> None:
    """State comes from marks of status alone, a kind from a label that is known."""
    assert [(kind, status, text)] == told(f"# Page\n\n## The reader\n\n{line}\n")


def test_an_entry_knows_the_heading_it_stood_under() -> None:
    """A documents shows it; a heading that says no more than the kind needs no words."""
    text = "# H\n\n## To do\n\n- a b\n\n### Reader\n\n- c d\n\n## Known bugs\n\n- e f\n\n**Writer:**\n\n- g h\n"
    assert [("a b", ""), ("c d", "To do: Reader"), ("e f", "Known bugs"), ("g h", "Writer")] == [
        (entry.text, entry.label) for entry in parse(text).entries
    ]


def test_phases_and_numbered_tasks_are_entries_themselves() -> None:
    """Their headings are the plan; what a phase holds are steps without a state unless a box has one."""
    text = "# Plan\n\n## Phase 1: Setup ✅\n\n- Make it\n- [x] Lint it\n\n### Task 2: Tips\n\nBy weight.\n"
    text += "\nPhase 2 - Ship\n"
    assert [
        ("phase", "done", "Phase 1: Setup"), ("step", "done", "Make it"), ("step", "done", "Lint it"),
        ("step", "", "Task 2: Tips"),
        ("note", "", "By weight."), ("phase", "", "Phase 2 - Ship"),
    ] == told(text)  # fmt: skip


def test_of_a_list_of_next_steps_the_first_open_one_is_next() -> None:
    """There is one next action; the others are to be done."""
    assert [("step", "done", "a b"), ("next", "", "c d"), ("step", "pending", "e f")] == told(
        "## Next steps\n\n1. [x] a b\n2. c d\n3. e f\n"
    )


def test_a_reason_goes_with_its_entry() -> None:
    """A decision without its reason is made again."""
    text = "## Decisions\n\n- One file, because it is copied\n- One buffer\n  - Why: it is quick\n"
    text += "\n**Decision:** Cents\n\n**Why:** floats drift\n"
    assert [("One file", "it is copied"), ("One buffer", "it is quick"), ("Cents", "floats drift")] == [
        (entry.text, entry.why) for entry in parse(text).entries
    ]


def test_what_is_nested_below_an_entry_is_told_beside_it() -> None:
    """An entry's text is its own words; a box of its own has a state of its own."""
    assert [("step", "done", "Built it"), ("note", "", "reads tables"), ("step", "pending", "reads trees")] == told(
        "## Done\n\n- Built it\n  - reads tables\n  - [ ] reads trees\n"
    )


def test_only_a_column_of_status_tells_the_state_of_a_row() -> None:
    """A colour tells a priority as often."""
    head = "| Task | {} | Owner |\n|---|---|---|\n"
    row = "| Ship it | {} | Tom |\n"
    assert [("step", "done", "Ship it; Owner: Tom")] == told(head.format("Status") + row.format("✅ Done"))
    assert [("step", "in progress", "Ship it; Owner: Tom")] == told(head.format("State") + row.format("80% complete"))
    assert [("note", "", "Ship it; Priority: 🟢 done first; Owner: Tom")] == told(
        head.format("Priority") + row.format("🟢 done first")
    )
    assert [("note", "", "Ship it; Result: 404; Owner: Tom")] == told(head.format("Result") + row.format("404"))


def test_a_table_of_decisions_has_its_reasons() -> None:
    """Decision logs are tables as often as lists."""
    (entry,) = parse("| # | Decision | Why |\n|---|---|---|\n| 1 | One `a|b` file | it is copied |\n").entries
    assert ("decision", "One `a|b` file", "it is copied") == (entry.kind, entry.text, entry.why)


def test_files_have_a_path_and_a_remark() -> None:
    """What names no file under such a heading is a note."""
    text = "## Files modified\n\n- `src/a.py` — one buffer\n- [b](docs/b.md)\n- Created: `c.toml`\n- all of them\n"
    assert [
        ("file", "src/a.py", "one buffer"),
        ("note", "[b](docs/b.md)", ""),
        ("file", "c.toml", "Created"),
        ("note", "all of them", ""),
    ] == [(entry.kind, entry.text, entry.why) for entry in parse(text).entries]


def test_none_and_a_templates_place_are_no_entries() -> None:
    """ "Blockers: none" blocks nothing."""
    assert [] == kinds("## Blockers\n\nNone.\n\n## Risks\n\n- [Describe the risk]\n- N/A\n")


def test_text_files_have_labels_in_capitals() -> None:
    """`progress.txt` knows no headings."""
    text = "DONE:\n- the reader\n\nNEXT STEPS\n- the writer\n\n=====\nBLOCKERS\n=====\n- a key\n"
    assert [("step", "the reader"), ("next", "the writer"), ("blocker", "a key")] == [
        (entry.kind, entry.text) for entry in parse(text, name="progress.txt").entries
    ]


def test_a_task_file() -> None:
    """Backlog.md: its title is the goal, its boxes the criteria."""
    text = "---\nid: B-1\ntitle: 'CLI: view'\nstatus: Done\n---\n\n"
    text += "## Acceptance Criteria\n<!-- AC:BEGIN -->\n- [x] #1 it scrolls\n<!-- AC:END -->\n"
    parsed = parse(text, name="b-1 - view.md")
    assert ("backlog", "CLI: view") == (parsed.format, parsed.title)
    assert [("goal", "", "CLI: view"), ("step", "done", "#1 it scrolls")] == told(text)


def test_code_and_quotes() -> None:
    """Code is no list; a quote is read as what it quotes."""
    assert [] == kinds("## Done\n\n```\n- a b\n```\n")
    assert [("decision", "", "one buffer")] == told("> ## Decisions\n>\n> - one buffer\n")
