"""Scraps: all words of a document's notes, in pieces that an item can hold."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from clew.app.importing.scraps import CHARS_MAX, joined, paragraphs, scraps_of
from clew.core.text.cleaning import one_line
from clew.documents.entry import Lines, ParsedNote

TEXTS = st.lists(st.text("ab#`- \n", max_size=60) | st.text("xy ", min_size=1990, max_size=4200), max_size=6)


def notes_of(texts: list[str]) -> list[ParsedNote]:
    return [ParsedNote(text, "Log", Lines(1, text.count("\n") + 1)) for text in texts]


@given(TEXTS)
def test_no_word_is_lost_and_each_piece_fits(texts: list[str]) -> None:
    """Nothing that was not understood is dropped."""
    pieces = joined(scraps_of(notes_of(texts)))
    assert all(len(piece.text) <= CHARS_MAX for piece in pieces)
    kept = "".join("".join(piece.parts) for piece in pieces)
    rows = [block for text in texts for block in text.split("\n\n")]
    assert [sign for sign in kept if sign.isalnum()] == [sign for row in rows for sign in row if sign.isalnum()]


@given(TEXTS)
def test_what_was_kept_is_known_again(texts: list[str]) -> None:
    """The same file adds nothing: each paragraph is found in the note that holds it."""
    scraps = list(scraps_of(notes_of(texts)))
    known = set().union(*(paragraphs(*piece.parts) for piece in joined(scraps)))
    assert {one_line(scrap.text) for scrap in scraps} <= known


def test_lines_are_those_of_the_paragraph() -> None:
    """They lead back to the place."""
    note = ParsedNote("one\ntwo\n\nthree", "", Lines(7, 10))
    assert [scrap.lines for scrap in scraps_of([note])] == [Lines(7, 8), Lines(10, 10)]
    assert [scrap.lines for scrap in joined(scraps_of([note]))] == [Lines(7, 10)]


def test_neighbours_under_another_heading_stay_apart() -> None:
    """Two subjects in one note would be found by neither."""
    notes = [ParsedNote("one", "A", Lines(1, 1)), ParsedNote("two", "B", Lines(3, 3))]
    assert [scrap.text for scrap in joined(scraps_of(notes))] == ["one", "two"]
