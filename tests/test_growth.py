"""The measure of growth itself: it must be able to fail."""

from __future__ import annotations

import pytest

from .growth import calls_in_proportion, costs_at_most, in_proportion


def spin(count: int) -> None:
    for _ in range(count):
        pass


def test_the_length_passes() -> None:
    """What reads each part once is what every reader may cost."""
    in_proportion(lambda size: size, spin, 200_000)


def test_the_square_fails() -> None:
    """A measure that lets it through guards nothing."""
    with pytest.raises(AssertionError, match="times the"):
        in_proportion(lambda size: size, lambda size: spin(size * size // 1_000), 15_000)


def test_what_costs_too_much_fails() -> None:
    """The message says by how much, for whoever sees it in a log."""
    with pytest.raises(AssertionError, match=r"it cost .* s of its yardstick"):
        costs_at_most(2, lambda: spin(2_000_000), lambda: spin(100_000))


def test_calls_tell_the_length_from_the_square() -> None:
    """Where a few hundred calls tell it, no machine has to be fast or idle."""
    calls_in_proportion(lambda size: size, lambda size: [len("") for _ in range(size)], 100)
    with pytest.raises(AssertionError, match="calls for 4 times"):
        calls_in_proportion(lambda size: size, lambda size: [len("") for _ in range(size * size)], 10)
