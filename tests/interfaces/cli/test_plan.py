"""`clew plan …`: each command as it is typed."""

from __future__ import annotations

import json

import pytest

from tests.interfaces.cli.conftest import Desk

PLAN = """\
# Fix the tide

## Questions

- Does the moon count?

## Phase 1: Look

- [ ] Who calls `moon()` in `src/a.py`
- [ ] matching done
- validate: `python -m pytest -q`
- budget: 50k
"""


def written(desk: Desk, text: str = PLAN) -> None:
    file = desk.shop.top / "draft.md"
    file.write_text(text)
    assert desk.bot("plan", "import", "draft.md").code == 0


def test_a_day_with_a_plan(desk: Desk) -> None:
    """Open, take in, look, look over, answer, approve, tick, export: each line what people read."""
    ran = desk.ada("plan", "new", "Fix", "the tide", "--template", "phased")
    assert (ran.code, ran.err) == (0, "next: clew plan edit\n")
    assert ran.out.startswith("Planning is open: Fix the tide. Agents may only read")
    assert "[ ] 2. Implementation (planned, 200k tokens, build, after 1)\n" in desk.ada("plan", "show").out
    assert "next        clew plan edit · clew resume\n" in desk.ada("status").out
    assert "<" not in desk.ada("resume").out.replace("<clew-data", "").replace("</clew-data", "")
    written(desk)
    shown = desk.ada("plan", "show").out
    assert shown.startswith("Fix the tide (planning; 0 of 1 phase done)\nfrom draft.md\n")
    assert "    [ ] 1.2 matching done\n    validate: python -m pytest -q\n" in shown
    looked = desk.ada("plan", "lint")
    assert looked.code == 1 and 'plan:10: empty-step: "matching done" says nothing to act on' in looked.out
    name = desk.ada("plan", "questions").out.split()[0]
    assert "[E-plan-questions]" in desk.ada("plan", "approve").err
    desk.ada("answer", name, "It does")
    assert "note: No question waits for an answer." in desk.ada("plan", "questions").err
    assert "[E-not-a-person]" in desk.bot("plan", "approve").err
    assert desk.ada("plan", "approve", "--dry-run").out.startswith("Dry run, nothing was recorded.")
    ran = desk.ada("plan", "approve")
    assert (ran.out, "next: clew phase start 1" in ran.err) == (
        "Approved: Fix the tide, 1 phase. Edits pass again\n",
        True,
    )
    assert "plan        approved, 0 of 1 phase done; phase 1 Look (planned)\n" in desk.ada("status").out
    assert desk.bot("plan", "tick", "1.1").out == "Step 1.1 is done: Who calls `moon()` in `src/a.py`\n"
    assert "phase 1 has 2 steps, and none is called 1" in desk.bot("plan", "tick", "1").err
    assert "Name one as 1.1" in desk.bot("plan", "tick", "1.7").err
    assert "next        clew phase start 1 · clew resume\n" in desk.ada("status").out
    assert desk.bot("plan", "export").out == PLAN.replace("[ ] Who", "[x] Who")
    assert desk.bot("plan", "export", "--back").out == "Set 1 box in draft.md\n"
    assert desk.bot("plan", "tick", "1.1", "--undo").out.startswith("Step 1.1 is not done")
    assert desk.bot("plan", "prompt", "1").out.startswith("# Phase 1 of 1: Look\n")
    assert desk.bot("plan", "reopen", "--why", "more").code == 0
    assert desk.ada("plan", "drop").out == "Dropped: Fix the tide. Work goes on without a plan\n"


def test_a_question_that_the_plan_answers_is_put_with_that_answer(desk: Desk) -> None:
    """What an agent wrote behind a question is seen before it is agreed to, and counts then."""
    written(desk, PLAN.replace("moon count?", "moon count? → It does, at night"))
    put = desk.ada("plan", "questions").out.splitlines()
    assert put[0].endswith("  Does the moon count?") and "  the plan says: It does, at night" == put[1]
    assert desk.ada("plan", "approve").code == 0
    assert "No question waits" in desk.ada("plan", "questions").err


def test_as_json(desk: Desk) -> None:
    written(desk)
    shown = json.loads(desk.ada("plan", "show", "--json", "--names").out)
    assert ("kept", "draft.md", PLAN) == (shown["mode"], shown["source"], shown["text"])
    [phase] = shown["phases"]
    assert (1, "Look", "planned", 50_000) == (phase["number"], phase["title"], phase["status"], phase["budget_tokens"])
    assert [False, False] == [step["ticked"] for step in phase["steps"]]
    assert {"src/a.py": "verified", "moon": "missing"} == {one["name"]: one["standing"] for one in shown["names"]}
    asked = json.loads(desk.ada("plan", "questions", "--json").out)
    assert (1, "Does the moon count?") == (asked["open"], asked["questions"][0]["text"])
    linted = json.loads(desk.ada("plan", "lint", "--json").out)
    assert ["open-question", "empty-step"] == [one["rule"] for one in linted["findings"]]
    assert "kept" == json.loads(desk.ada("status", "--json").out)["plan"]["mode"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("plan", "show"), "[E-no-plan]"),
        (("plan", "edit", "x"), "it is edited in an editor, or comes from stdin: -"),
        (("plan", "import", "none.md"), "[E-import-unreadable]"),
        (("plan", "nwe", "x"), "did you mean new?"),
    ],
)
def test_what_cannot_be(desk: Desk, words: tuple[str, ...], said: str) -> None:
    ran = desk.ada(*words)
    assert ran.code in (1, 64) and said in ran.err
