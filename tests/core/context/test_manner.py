"""What a message or a reply is, by its words."""

from __future__ import annotations

import pytest

from clew.core.context.exchange import corrects, is_vague


@pytest.mark.parametrize(
    "text",
    [
        "No, I meant the other file",
        "hmm... that's not what I asked for",
        "ok, but this still fails on Windows",
        "the button should be left of the title",
        "Wait, don't touch the migration",
        "Why did you remove the cache?",
        "Nein, das stimmt nicht",
        "non, pas comme ça",
        "eso no es lo que pedí",
        "não, o outro arquivo",
    ],
)
def test_a_message_that_corrects(text: str) -> None:
    """In the words of people who are not content."""
    assert corrects(text)


@pytest.mark.parametrize(
    "text",
    [
        "yes, do it",
        "Add a test for the empty list",
        "no problem, go on",
        "open a PR",
        "Now write the docs. " + "Some more about what they hold. " * 20 + "This is wrong in the old ones.",
        "",
    ],
)
def test_a_message_that_does_not(text: str) -> None:
    """The next task, a question, consent; and what stands far behind is often pasted."""
    assert not corrects(text)


def test_a_reply_that_tells_nothing() -> None:
    """ "Done." may stand for anything; a name or a number tells something."""
    assert [True] * 4 == [is_vague(text) for text in ("Done.", "All good now!", "Fertig.", "It works.")]
    told = (
        "No findings.",
        "Committed as `f5cbb41`.",
        "All 12 tests pass.",
        "",
        "The parser is done and handles quotes.",
    )
    assert not any(is_vague(text) for text in told)
