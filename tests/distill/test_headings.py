"""Kinds from headings and labels."""

from __future__ import annotations

import pytest

from clew.core.state.items import Kind
from clew.distill.prose import kind_named, kind_said


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("Next", "next"),
        ("Next steps", "next"),
        ("Remaining", "step"),
        ("What's left to do", "step"),
        ("Not done yet", "step"),
        ("Open questions", "question"),
        ("Key decisions", "decision"),
        ("Risks", "risk"),
        ("Dead ends", "failed"),
        ("What didn't work", "failed"),
        ("Out of scope", "deferral"),
        ("Blockers", "blocker"),
        ("Next.js upgrade", None),
        ("Failed tests", None),
        ("Left panel", None),
        ("Scope", None),
        ("What not to do", None),
        ("Open questions (none)", None),
        ("Resolved risks", None),
        ("Changes", None),
        ("", None),
    ],
)
def test_a_heading_names_a_kind_only_with_all_of_its_words(heading: str, expected: Kind | None) -> None:
    """ "What not to do" as a to-do turns the meaning round; "Failed tests" are no approach given up."""
    assert kind_named(heading) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I tried an upsert in `store.py`, but it failed because the old SQLite has none.", "failed"),
        ("Attempted a lock per row; that did not help, since readers wait too.", "failed"),
        ("We tried `flock` and gave up on it.", "failed"),
        ("I tried the new store and it works.", None),
        ("The upload failed, so the client tried again.", None),
        ("The test did not work on 3.8.", None),
    ],
)
def test_an_approach_that_failed_is_known_by_its_own_words(text: str, expected: Kind | None) -> None:
    """Told among facts, the next session walks into the same wall."""
    assert kind_said(text) == expected
