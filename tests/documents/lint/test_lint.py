"""Each rule speaks where it must and nowhere else; what a document is for decides which rules it is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.core.text.tokens import estimate
from clew.documents.lint.page import RULES, LintGround, page_of
from clew.documents.lint.rules import lint
from clew.documents.parse import parse
from tests.accept import LINTING_PAGE, linting_page
from tests.documents.lint.cases import CASES, GOOD, linted
from tests.gold.stories import FOLDER

SPEAKS = [(rule, source) for rule, case in CASES.items() for source in case.speaks]
SILENT = [(rule, source) for rule, case in CASES.items() for source in case.silent]


def test_every_rule_is_told_and_tried() -> None:
    """A rule without a case is one that nobody knows to work."""
    assert list(CASES) == list(RULES)
    assert all(case.speaks and case.silent for case in CASES.values())
    for rule in RULES.values():
        assert rule.meaning.endswith(".") and rule.fix.endswith(".") and rule.genres


@pytest.mark.parametrize(("rule", "source"), SPEAKS, ids=[f"{rule}-{at}" for at, (rule, _) in enumerate(SPEAKS)])
def test_a_rule_speaks(rule: str, source: str) -> None:
    """And names the line that it is about."""
    found = [one for one in linted(source) if one.rule == rule]
    assert found
    for one in found:
        assert one.text == source.split("\n")[one.line - 1].strip()
        assert one.message and one.fix


@pytest.mark.parametrize(("rule", "source"), SILENT, ids=[f"{rule}-{at}" for at, (rule, _) in enumerate(SILENT)])
def test_a_rule_keeps_silent(rule: str, source: str) -> None:
    """A linter that cries wolf is switched off."""
    assert [one for one in linted(source) if one.rule == rule] == []


def test_a_good_handoff_has_no_finding() -> None:
    """Else the rules contradict each other."""
    assert linted(GOOD) == ()


def test_the_page_tells_the_rules_as_they_are() -> None:
    """Write it with `python -m tests.accept`."""
    page = LINTING_PAGE.read_text(encoding="utf-8")
    assert linting_page(page) == page


@pytest.mark.parametrize("path", sorted(FOLDER.glob("profile-*.md")), ids=lambda path: path.stem)
def test_our_own_documents_have_no_finding(path: Path) -> None:
    """Given each profile as it is rendered, read on the next day: who preaches has to practise."""
    source = path.read_text(encoding="utf-8").replace("MARKED", "5aab3a")
    parsed = parse(source)
    assert parsed.format == "clew"
    assert lint(page_of(parsed, source, "HANDOFF.md"), LintGround(today="2026-11-21", budget_tokens=2000)) == ()


def test_findings_come_in_the_order_of_their_lines_and_twice_the_same() -> None:
    """So that a person mends from top to bottom, and CI can compare."""
    source = "# Handoff\n\n## Done\n\n- Works now\n- See `till/notes.md`\n- It crashes\n  - a\n    - b\n"
    found = linted(source)
    assert [one.line for one in found] == sorted(one.line for one in found)
    assert len({one.rule for one in found}) > 4, found
    assert linted(source) == found == linted(source.replace("\n", "\r\n"))


def test_the_budget_is_spent_at_a_line() -> None:
    """What stands below it is what no reader gets."""
    rows = [f"- Share {at} is rounded to whole cents." for at in range(60)]
    source = "\n".join(["# Handoff", "", *rows])
    (one,) = [one for one in linted(source, budget_tokens=200) if one.rule == "over-budget"]
    assert abs(estimate("\n".join(source.split("\n")[: one.line])) - 200) < 20
    assert not [one for one in linted(source, budget_tokens=10_000) if one.rule == "over-budget"]


def test_a_moved_file_is_named_where_it_is_now() -> None:
    """The fix that saves a search."""
    (one,) = [one for one in linted("# Handoff\n\nSee `tests/unit/test_split.py`.\n") if one.rule == "file-gone"]
    assert one.fix == "Say tests/test_split.py, if that is it; else that it was removed."


def test_a_file_is_gone_only_once() -> None:
    """And where it is said to be gone, nowhere."""
    twice = "# Handoff\n\n- `till/a.py` splits\n- `till/a.py` rounds\n"
    assert [one.line for one in linted(twice) if one.rule == "file-gone"] == [3]
    assert not [one for one in linted(twice + "- `till/a.py` was removed\n") if one.rule == "file-gone"]


def test_lists_that_are_too_deep_are_one_finding() -> None:
    """With their number: whoever flattens one flattens them all."""
    deep = "- a\n  - b\n    - c\n    - d\n"
    (one,) = [one for one in linted(f"# Handoff\n\n{deep}\nThen\n\n{deep}") if one.rule == "nested-list"]
    assert (one.line, one.message) == (5, "4 points are in a list in a list in a list")


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("docs/archive/2025/HANDOFF.md", "# Handoff\n\n- Works now\n"),
        ("HANDOFF.md", "# Handoff\n\n**Status:** Superseded by PLAN.md\n\n- Works now\n"),
        ("PLAN.md", "# Plan: cents\n\nStatus: Implemented\n\n- Works now\n"),
    ],
)
def test_nothing_is_said_of_what_is_closed(path: str, source: str) -> None:
    """Nobody resumes from it, so that each finding is noise."""
    assert linted(source, path=path) == ()


@pytest.mark.parametrize(
    "status", ["Complete, ready for review", "Phase 1 complete", "In progress", "Done except tips"]
)
def test_what_is_nearly_done_is_open(status: str) -> None:
    """Neither is a session's hand-off closed by a session that is."""
    assert [one.rule for one in linted(f"# Plan: cents\n\nStatus: {status}\n\n- Works now\n", path="PLAN.md")]
    assert "empty-phrase" in {one.rule for one in linted("# Handoff\n\nStatus: Complete\n\n- Works now\n")}


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("HANDOFF.md", "# Till\n\nWhole cents.\n", "handoff"),
        ("notes.md", "# Session Handoff - 2026-03-14\n", "handoff"),
        ("PLAN.md", "# Whole cents\n\n- [ ] Split refunds\n", "plan"),
        ("progress.md", "# Till\n", "log"),
        ("notes.md", "# Till\n\n## 2026-03-14\n\n- a\n\n## 2026-03-15\n\n- b\n", "log"),
        ("DECISIONS.md", "# Decisions\n\n## 2026-03-14 - a\n\nb\n\n## 2026-03-15 - c\n\nd\n", "decisions"),
        ("TODO.md", "# To-do\n\n- [ ] Split refunds\n", "state"),
        (".claude/commands/handoff.md", "# Handoff\n\nSay what failed.\n", "guide"),
        ("handoff.md", "# Handoff template\n\n## Goal\n\n[Describe it]\n", "guide"),
        ("docs/money.md", "# Money\n\nCents are integers.\n", "reference"),
        ("task-1.md", "---\nid: task-1\ntitle: Split\nstatus: To Do\n---\n\n## Description\n\nBy weight.\n", "task"),
    ],
)  # fmt: skip
def test_what_a_document_is_for(path: str, source: str, expected: str) -> None:
    """By its name, its title and its headings."""
    assert page_of(parse(source, name=path.rpartition("/")[2]), source, path).genre == expected


@pytest.mark.parametrize(
    "source", ["", "\n", "\ufeff", "#", "- ", "```", "|a|\n|-|\n", "- " * 3000, "[x](y.md)" * 900, "{"]
)
def test_anything_can_be_linted(source: str) -> None:
    """People name the wrong file."""
    for path in ("HANDOFF.md", "PLAN.md", ""):
        assert isinstance(linted(source, path=path), tuple)
