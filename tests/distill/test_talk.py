"""Announcements and cheers: what agents say between the facts."""

from __future__ import annotations

import pytest

from clew.distill.talk import is_talk, without_talk


@pytest.mark.parametrize(
    "text",
    [
        "Let me look at the parser",
        "Now let me update the docs.",
        "I'll run the tests again.",
        "Okay, now I need to check the build.",
        "Running the linter",
        "First, I'm going to read the config.",
        "All tests pass.",
        "The tests still pass!",
        "Build is green ✅",
        "Done.",
        "Perfect! All good.",
        "Committed and pushed.",
        "Here is what I found:",
        "You want to use the components with their own scrolling.",
    ],
)
def test_talk(text: str) -> None:
    """Each took the room of a fact, and told a fresh session to do what was done."""
    assert is_talk(text)


@pytest.mark.parametrize(
    "text",
    [
        "The parser drops the last line because it waits for a newline.",
        "I'll keep `parse_all` instead of `parse` because callers rely on it.",
        "All tests pass except `test_sum`.",
        "The build is green only with `CGO_ENABLED=0`.",
        "Tests do not pass on Windows.",
        "It now exits successfully instead of failing.",
        "Nothing is pushed yet.",
    ],
)
def test_no_talk(text: str) -> None:
    """What announces and gives a reason about something named, or limits the cheer, is a fact."""
    assert not is_talk(text)


def test_talk_around_a_fact_goes_and_the_fact_stays() -> None:
    """Whole sentences only: taking words out can turn a meaning round."""
    text = "Great, the tests pass. `total` rounds twice because of the tax. Let me update the docs."
    assert without_talk(text) == "`total` rounds twice because of the tax."


def test_an_announcement_behind_a_dash_goes() -> None:
    """Seen in a payload: what the agent meant to add stood there as if it had been added."""
    found = "No helper for readable sizes"
    assert without_talk(f"{found} — I'll add a simple formatter.") == found
    for kept in (f"{found} — I'll keep `parse_all` because callers rely on it.", "It reads `a – I'll b` and stops."):
        assert without_talk(kept) == kept
