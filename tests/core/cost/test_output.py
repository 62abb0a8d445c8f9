"""Lines that edits added, and how many of them are still there."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from clew.app.cost.efficiency import Added, per_thousand, surviving, telling


def test_an_edit_adds_what_was_not_there() -> None:
    """Context around a change is nobody's output, and a bracket is none."""
    added = Added()
    added.edit("def a():\n    return 1\n", "def a():\n    x = 2\n    return 1\n}\n")
    assert Counter({"x = 2": 1}) == added.lines and not added.is_whole


def test_a_file_that_is_written_whole_twice_counts_once() -> None:
    """Each version of a draft is not new work."""
    added = Added()
    added.edit("", "one\ntwo\n")
    added.edit("", "one\ntwo\nthree\n")
    assert 3 == added.count and added.is_whole


def test_a_line_survives_once() -> None:
    """Two sessions that wrote the same line have one line between them."""
    there = telling("a = 1\nb = 2\n")
    assert (2, 0) == (surviving(telling("a = 1\nb = 2\nc = 3"), there), surviving(telling("a = 1"), there))


TEXTS = st.lists(st.sampled_from(["a = 1", "b = 2", "c = 3", "}", ""]), max_size=8).map("\n".join)


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=6), TEXTS)
def test_no_more_survives_than_was_added_or_is_there(edits: list[tuple[str, str]], now: str) -> None:
    """Whatever was edited."""
    added, there = Added(), telling(now)
    for removed, text in edits:
        added.edit(removed, text)
    assert 0 <= surviving(added.lines, Counter(there)) <= min(added.count, there.total())


def test_without_tokens_there_is_no_share() -> None:
    """And no division."""
    assert (0.0, 0.05) == (per_thousand(3, 0), per_thousand(3, 60_000))
