"""Broken lines are put together, escapes undone, and places in what comes of it are places in the whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.secrets.scanner import folded, stretches, unescaped


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


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("a%3Db", "a=b"),
        ("a%25253Db", "a=b"),
        ("&amp;quot;a&#34;", '"a"'),
        ("a\\\\u0022b\\x3d", 'a"b='),
        ("a\u200bb\u00adc", "abc"),
        ("\x1b[1;32ma\x1b[0m and \\u001b[31mb", "a and b"),
    ],
)
def test_escapes_are_undone(text: str, read: str) -> None:
    assert [stretch.text for stretch in unescaped(text)] == [read]


@pytest.mark.parametrize("text", ["100% of 3", "a & b; c", "\\u4e2d\\n", "\\x1f and 0x3d", "%E4%B8%AD", "ab"])
def test_what_hides_no_letter_is_not_read_again(text: str) -> None:
    """Other letters and control characters are told by no rule."""
    assert list(unescaped(text)) == []


@given(
    st.lists(st.sampled_from(["%3D", "%2541", "&quot;", "\\u0041", "\u200b", "x", " ", "\\", "&", "%"]), max_size=60)
)
def test_a_place_in_an_unescaped_text_covers_its_escapes(parts: list[str]) -> None:
    """Half of an escape that is left would change what stands beside the placeholder."""
    text = "".join(parts)
    for stretch in unescaped(text):
        assert stretch.place(0, len(stretch.text))[1] <= len(text)
        for place, char in enumerate(stretch.text):
            start, end = stretch.place(place, place + 1)
            assert text[start:end] == char or [one.text for one in unescaped(text[start:end])] == [char]


def test_far_escapes_are_read_apart() -> None:
    """Only what stands around an escape is read twice, however long the text."""
    text = "a%3D1" + "." * 10_000 + "b%3D2"
    found = list(unescaped(text))
    assert [stretch.text[:3] for stretch in found[:1]] == ["a=1"]
    assert sum(len(stretch.text) for stretch in found) < 2_000


def test_escapes_in_broken_lines_are_undone_in_place() -> None:
    text = "k" * 79 + "%\n3Dvalue"
    inner = list(stretches(text))[-1]
    start, end = inner.place(79, 80)
    assert inner.text == "k" * 79 + "=value"
    assert text[start:end] == "%\n3D"
