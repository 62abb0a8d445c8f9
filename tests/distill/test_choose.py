"""Which points are taken, in which order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from clew.distill.distil import choose
from clew.distill.identifiers import content_words, identifiers, words_of
from clew.distill.prose import Point

PLENTY = 10_000


def point(key: int, text: str, *, message: int = -1) -> Point:
    """A point of a message of its own, unless said otherwise; its heading is its key."""
    words, event = content_words(words_of(text)), 100 + (key if message < 0 else message)
    return Point(text, "", str(key), None, event, identifiers(text), words, 0)


def chosen(
    *points: Point, covered: frozenset[str] = frozenset(), named: frozenset[str] = frozenset(), chars_max: int = PLENTY
) -> list[int]:
    """The keys, in the order of choice."""
    found = choose(list(points), covered=set(covered), named=set(named), chars_max=chars_max)
    return [int(one.heading) for one in found]


WORDS = ["parser", "cache.py", "`total`", "fails", "because", "slow", "MAX_SIZE", "reader", "v1.2", "never", "writes"]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join)
POINTS = st.lists(TEXTS, max_size=12).map(
    lambda texts: [point(key, text, message=key // 3) for key, text in enumerate(texts)]
)


@given(POINTS, st.integers(0, 200), st.integers(0, 200))
def test_a_smaller_budget_takes_a_front_part(points: list[Point], one: int, other: int) -> None:
    """A document under a budget takes items by rank: the rank must not depend on the budget."""
    small, large = sorted((one, other))
    fewer, more = chosen(*points, chars_max=small), chosen(*points, chars_max=large)
    assert fewer == more[: len(fewer)]


@given(POINTS)
def test_nothing_is_chosen_twice_or_made_up(points: list[Point]) -> None:
    """Each at most once, and as it was."""
    keys = chosen(*points)
    assert len(keys) == len(set(keys))
    assert set(keys) <= {int(one.heading) for one in points}


def test_what_was_said_is_not_said_again() -> None:
    """The same fact in the summary and in the last message takes its room once."""
    assert len(chosen(point(0, "`total` rounds twice in tax.py"), point(1, "`total` rounds twice in tax.py"))) == 1


def test_new_names_count_more_than_told_ones() -> None:
    """What the lines of facts have told already is worth less than a file not named yet."""
    old = point(0, "the reader in tax.py waits for rates")
    new = point(1, "each writer of sum.py leaves locks behind")
    assert chosen(old, new, covered=frozenset({"tax.py"})) == [1, 0]
    assert chosen(old, new, covered=frozenset({"sum.py"})) == [0, 1]


def test_the_users_own_names_count_more() -> None:
    """They are what the next session goes on with."""
    one, other = point(0, "the reader in tax.py is slow"), point(1, "the writer in sum.py is slow")
    assert chosen(one, other, named=frozenset({"tax.py"}))[0] == 0
