"""What the words of a user ask for."""

from __future__ import annotations

import pytest

from clew.core.state.requests import asks_for_work, first_sentence, keywords, says_nothing


@pytest.mark.parametrize(
    "text", ["hi", "Hello there!", "good morning", "thanks", "Guten Tag", "你好", "go on", "ok", ""]
)
def test_a_greeting_says_nothing(text: str) -> None:
    """A list of tasks called "hi" helps nobody."""
    assert says_nothing(text) and not asks_for_work(text)


@pytest.mark.parametrize(
    "text",
    [
        "What does src/a.py hold?",
        "why is the build red? and since when?",
        "Can you explain how the cache works?",
        "Warum ist das so?",
        "これは何ですか？",
    ],
)
def test_a_question_asks_for_no_work(text: str) -> None:
    """Its answer is not work that somebody goes on with."""
    assert not says_nothing(text) and not asks_for_work(text)


@pytest.mark.parametrize(
    "text",
    [
        "Fix the tide",
        "hi, fix the tide in src/a.py",
        "Can you fix the tide?",
        "Please, could you round it?",
        "The build is red. Why? Fix it.",
        "夜間料金を直して",
    ],
)
def test_whatever_else_is_said_asks_for_work(text: str) -> None:
    """In doubt it does: to lose work is worse than to list a word too much."""
    assert asks_for_work(text)


def test_a_title_is_a_sentence() -> None:
    """A prompt can be a page."""
    assert first_sentence("Fix the tide in src/a.py. Then\nthe moon.") == "Fix the tide in src/a.py"


def test_words_that_every_request_has_tell_nothing() -> None:
    """Two requests would else share them, whatever they are about."""
    assert keywords(["Please fix the tide test in that file"]) == {"tide"}
