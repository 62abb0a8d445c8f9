"""No entry's meaning turns round: not by a heading, a label, a lead-in or a mark."""

from __future__ import annotations

import pytest
from benchmarks.documents.phrasings import PHRASINGS, Phrasing, inverted
from hypothesis import given
from hypothesis import strategies as st

from clew.core.state.negation import doubtful, turned
from clew.documents.parse import parse
from tests.documents.parse.told import told

_NOT = (
    "must not do",
    "we will never do",
    "to avoid",
    "off limits",
    "not allowed",
    "rejected",
    "out of scope",
    "we decided against",
)
_BELOW = ("- {}", "1. {}", "* [ ] {}", "- [x] {}", "- ✅ {}", "- **Next:** {}", "**Decision:** {}", "{}",
          "- Area\n  - {}", "### Tasks\n\n- {}",
          "| Task | Status |\n|---|---|\n| {} | done |", "**Steps:**\n\n1. {}", "Then:\n\n- {}")  # fmt: skip


@pytest.mark.parametrize("one", PHRASINGS, ids=lambda one: f"{one.meaning}-{one.kept or one.words}")
def test_no_phrasing_turns_round(one: Phrasing) -> None:
    """A prohibition told as a rule to do it, done as open, open as done: worse than nothing in the next session."""
    assert "" == inverted(one)


@given(
    st.sampled_from(_NOT), st.sampled_from(_BELOW), st.sampled_from(("## What is {}", "**{}:**", "{}:", "## Things {}"))
)
def test_whatever_stands_under_a_prohibition_keeps_it(words: str, below: str, above: str) -> None:
    """And is nothing to be done, however it is written."""
    lead = above.format(words)
    if not lead.startswith("#") and below.startswith(("#", "**Steps")):
        return  # a heading, or a label in bold, ends what a label leads in
    text = f"# Handoff\n\n{lead}\n\n{below.format('push to main')}\n"
    found = [entry for entry in parse(text).entries if "push to main" in entry.text]
    assert found
    for entry in found:
        assert entry.kind not in ("step", "next", "goal", "phase", "validation") and not entry.status
        assert words in entry.text


def test_a_word_in_passing_makes_no_prohibition() -> None:
    """Else each heading of a bug report would forbid what stands under it."""
    assert "" == turned("Fix the reader so that it can avoid a second copy")
    assert "" == turned("For the record (so they don't get lost)")
    assert "reminder" == turned("Do not forget")
    assert doubtful("For the record (so they don't get lost)") and not doubtful("Steps for the reader")
    text = "# Plan\n\n## Task 3: Avoid stale reads\n\n- [ ] Write a test\n"
    assert [
        ("step", "", "Task 3: Avoid stale reads"),
        ("step", "pending", "Task 3: Avoid stale reads: Write a test"),
    ] == told(text)


def test_what_turns_round_below_a_prohibition_keeps_both_words() -> None:
    """ "Instead" under "Do not" says what to do; with one of the two words alone it would say the contrary."""
    text = "## Do not\n\n- push to main\n\nInstead:\n\n- open a request\n"
    assert ("constraint", "", "Do not: Instead: open a request") in told(text)


def test_an_open_question_with_a_ticked_box_is_over() -> None:
    """It was answered, and is asked no more; an open one is asked."""
    assert [("question", "done", "Which bank?"), ("question", "", "Whose account?")] == told(
        "## Open questions\n\n- [x] Which bank?\n- [ ] Whose account?\n"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("## Next (only if CI is red)\n\n- Revert it\n", ("next", "", "Next (only if CI is red): Revert it")),
        ("## Rules\n\n- Not a problem: Slow tests\n", ("note", "", "Not a problem: Slow tests")),
        ("Previously forbidden, now allowed: push\n", ("note", "", "Previously forbidden, now allowed: push")),
        ("## Nothing here is forbidden\n\n- edit it\n", ("note", "", "Nothing here is forbidden: edit it")),
        ("## ❌ Tried\n\n- [x] Using celery\n", ("failed", "", "Using celery")),
        ("## Next steps\n\n- Never run `make reset`\n", ("constraint", "", "Never run `make reset`")),
        ("## Verboten\n\n- push to main\n", ("constraint", "", "Verboten: push to main")),
        ("## Do not merge unless green\n\n- x y\n", ("constraint", "", "Do not merge unless green: x y")),
    ],
)
def test_words_beside_a_kind_keep_their_sense(text: str, expected: tuple[str, str, str]) -> None:
    """A condition, a rule that was lifted, a dead end that was ticked: each was told as its contrary."""
    assert [expected] == told(f"# Handoff\n\n{text}")
