"""Pictures of numbers in signs of a terminal."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from clew.interfaces.cli.picture import bar, curve, joined, sparkline

VALUES = st.lists(st.floats(min_value=0, max_value=1e9), max_size=200)


def test_a_line_of_bars() -> None:
    """The highest is the highest; nothing is a dot."""
    assert ("·▄█▁", "··", "") == (sparkline([0, 3, 7, 0.01]), sparkline([0, 0]), sparkline([]))
    assert ["", "▏", "████▌", "█████"] == [bar(share, 5) for share in (0, 0.001, 0.9, 3)]
    assert [[3, 3, 4], []] == [joined(one, 3) for one in ([1, 2, 3, 0, 4], [])]


@given(VALUES, st.integers(1, 30))
def test_joining_keeps_the_sum(values: list[float], most: int) -> None:
    """No more than asked for, and nothing is lost."""
    found = joined(values, most)
    assert len(found) <= most and abs(sum(found) - sum(values)) <= 1e-6 * (1 + sum(values))


def test_a_curve() -> None:
    """It rises to the top line, falls where it was compacted, and the mark stands below."""
    drawn = curve([1, 2, 3, 4, 1, 2], [4], width=20, height=4, told="{:,}k".format)
    assert ["4k ┤   █", "3k ┤  ██", "   ┤ ███ █", "0k ┤██████", "        ▲"] == drawn
    assert [] == curve([], [], width=9, height=3, told=str)


@given(VALUES, st.sets(st.integers(0, 200), max_size=5), st.integers(1, 80), st.integers(1, 9))
def test_a_curve_keeps_to_its_room(values: list[float], marks: set[int], width: int, height: int) -> None:
    """Whatever it is told."""
    drawn = curve(values, marks, width=width, height=height, told=str)
    assert all(len(line) <= len(line.partition("┤")[0]) + 1 + width + 20 for line in drawn)
    assert len(drawn) in ((0,) if not values else (height, height + 1))
