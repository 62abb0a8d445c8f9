"""Head and tail of a long text: whole words, and never a secret without what gives it away."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.sessions.redaction import excerpt
from tests.app.worlds import private_key

LINE = "The answer is a long one.\n"


@given(st.text(st.sampled_from("ab \n"), max_size=400), st.integers(2, 300))
def test_an_excerpt_is_head_and_tail_and_no_more_than_asked(text: str, chars: int) -> None:
    """What was never said must not be quoted, and half a word may be half a token."""
    short = excerpt(text, chars)
    if len(text) <= chars:
        assert text == short
        return
    head, _, tail = short.partition("…")
    assert len(head) + len(tail) <= chars + 2
    assert text.startswith(head.removesuffix("\n"))
    assert text.endswith(tail.removeprefix("\n"))
    assert tail == "\n" or text[-len(tail)] in " \n"


def test_the_tail_begins_behind_an_empty_line_if_there_is_one() -> None:
    """A name and its value can be two lines."""
    text = LINE * 100 + "password:\n  hunter\n\nDone.\n" + LINE * 3
    at = len(text) - text.index("  hunter")
    assert "…\nDone.\n" in excerpt(text, 2 * at)


@pytest.mark.parametrize("kept", range(40, 1700, 120))
@pytest.mark.parametrize("blank", [False, True])
def test_the_tail_never_begins_inside_a_private_key(kept: int, blank: bool) -> None:
    """Its lines without its header are base64 like any other. An armoured key has an empty line of its own."""
    key = private_key()
    if blank:
        key = key.replace("-----\n", "-----\nComment: made\n\n", 1)
    behind = LINE * 80
    text = LINE * 400 + key + "\n" + behind
    assert excerpt(text, 2 * (len(behind) + kept)).partition("…")[2] == "\n" + behind


def test_of_one_endless_line_whole_words_are_kept() -> None:
    """Half a token would not look like one; and the words behind a pasted picture are the request."""
    head, _, tail = excerpt("Look: " + "QUJD" * 1000 + " What is it?", 100).partition("…")
    assert "Look:\n" == head
    assert "\nWhat is it?" == tail
