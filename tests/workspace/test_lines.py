"""Counts of added and removed lines are what a diff would say, in bounded time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from clew.workspace.examine import LineCounter
from tests.growth import in_proportion

LINES = st.lists(st.sampled_from([b"a", b"b", b"c", b""]), max_size=12)


def _join(lines: list[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


@given(LINES, LINES)
def test_counts_are_minimal_and_add_up(before: list[bytes], after: list[bytes]):
    """ "+3 −1" must be a diff that exists: no other diff is shorter, and it leads from the one length to the other."""
    added, removed = LineCounter().count(_join(before), _join(after))
    longest = _common(before, after)
    assert (added, removed) == (len(after) - longest, len(before) - longest)


def test_binary_content_has_no_lines():
    """Counting newlines in an image says nothing."""
    assert LineCounter().count(b"\x89PNG\0\n\n", b"\x89PNG\0\n") == (-1, -1)


def test_two_large_and_different_files_take_no_time():
    """The exact search is quadratic; thousands of rewritten lines must not hold up a resume."""

    def files(size: int) -> tuple[bytes, bytes]:
        return tuple(_join([b"%d" % (factor * number) for number in range(size)]) for factor in (1, 7))

    in_proportion(files, lambda pair: LineCounter().count(*pair), 5_000)
    added, removed = LineCounter().count(*files(20_000))
    assert added == removed > 10_000


def _common(before: list[bytes], after: list[bytes]) -> int:
    """Length of the longest common subsequence, the textbook way."""
    best = [[0] * (len(after) + 1) for _ in range(len(before) + 1)]
    for i, left in enumerate(before):
        for j, right in enumerate(after):
            best[i + 1][j + 1] = best[i][j] + 1 if left == right else max(best[i][j + 1], best[i + 1][j])
    return best[-1][-1]
