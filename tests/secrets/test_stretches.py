"""Lines that were broken at a width are put together, and places in them are places in the whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.secrets.stretches import folded


def test_a_text_without_full_lines_is_not_looked_at_twice() -> None:
    assert list(folded("one\ntwo\nthree")) == []
    assert list(folded("")) == []


@pytest.mark.parametrize("newline", ["\n", "\\n"])
def test_full_lines_go_on_in_the_next(newline: str) -> None:
    text = newline.join(["short", "a" * 80, "b" * 80, "c", "d"])
    (stretch,) = folded(text)
    assert stretch.text == "a" * 80 + "b" * 80 + "c"
    start, end = stretch.place(70, 161)
    assert text[start:end] == newline.join(["a" * 10, "b" * 80, "c"])


@given(st.text(alphabet="ab ", min_size=81, max_size=400), st.integers(0, 400), st.integers(1, 60))
def test_a_place_covers_what_it_stands_for(words: str, start: int, size: int) -> None:
    """A span that is off by one break would leave the end of a secret behind."""
    text = "\n".join(words[at : at + 80] for at in range(0, len(words), 80))
    for stretch in folded(text):
        assert stretch.text == words
        piece = words[start : start + size]
        if piece:
            first, last = stretch.place(start, start + len(piece))
            assert text[first:last].replace("\n", "") == piece
