"""The review: what each key does. Pure."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from clew.app.handoff.review import KEYS, ReviewState, Row
from clew.core.state.items import Place, Provenance, new_item
from clew.documents.grammar import entry_of


def rows(number: int, *, proved: int = 0) -> list[Row]:
    """So many entries, the first of them proved."""
    made = []
    for at in range(number):
        by: Provenance = "verified" if at < proved else "agent"
        item = new_item("decision", f"Number {at}", client="c", place=Place("s", at, ""), provenance=by, time=f"t{at}")
        made.append(Row(at + 1, item, entry_of(item), "Decisions", "✓" if at < proved else "?", ""))
    return made


def test_what_nothing_vouches_for_is_asked_about_first() -> None:
    """The rest is mostly accepted in one go."""
    review = ReviewState(rows(4, proved=2))
    assert 3 == review.row.number
    assert ["next", "next"] == [review.press("a"), review.press("a")]
    assert 1 == review.row.number


def test_a_number_chooses_and_a_letter_acts_on_it() -> None:
    """So that a usual review takes a few keys."""
    review = ReviewState(rows(25))
    for key in "12c":
        review.press(key)
    for key in "3":
        review.press(key)
    assert "edit" == review.press("e")
    review.edited("Number three")
    assert "done" == review.press("A")
    assert [("edit", "Number three"), ("cut", None)] == [
        (one.deed, one.wish.data.get("text")) for one in review.result()
    ]
    assert review.keys <= 20


def test_undo_takes_back_the_last() -> None:
    """And goes back to it."""
    review = ReviewState(rows(3))
    review.press("c")
    assert "next" == review.press("u") and 1 == review.row.number
    assert [] == review.result() and "" == review.press("u")


def test_an_edit_that_changes_nothing_is_none() -> None:
    """Return leaves it as it is."""
    review = ReviewState(rows(2))
    review.press("e")
    review.edited("Number 0")
    review.press("e")
    review.edited("  ")
    assert [] == review.result()


@given(st.lists(st.sampled_from([*KEYS, *"0123456789x"]), max_size=40), st.integers(1, 30))
def test_no_keys_make_it_fail(keys: list[str], number: int) -> None:
    """Whatever is pressed: each entry has one fate at most, and what was not chosen is accepted."""
    review = ReviewState(rows(number))
    for key in keys:
        meant = review.press(key)
        if meant == "edit":
            meant = review.edited("other words")
        if meant in ("done", "quit"):
            break
    found = [one.item.id for one in review.result() if one.item]
    assert len(found) == len(set(found)) <= number
    assert 0 <= review.left <= number
