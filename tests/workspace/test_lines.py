"""How many lines a change adds and removes, in time that grows with its length."""

from __future__ import annotations

import pytest

from clew.workspace.examine import line_counts


@pytest.mark.parametrize(
    ("before", "after", "counts"),
    [
        (b"a\nb\n", b"a\nc\nd\n", (2, 1)),
        (b"", b"a\n", (1, 0)),
        (b"a\nb", b"a\r\n", (0, 1)),
        (b"a\nb\n", b"b\na\n", (-1, -1)),  # they only moved
        (b"\x89PNG\0\n\n", b"\x89PNG\0\n", (-1, -1)),
    ],
)
def test_lines_are_counted(before: bytes, after: bytes, counts: tuple[int, int]) -> None:
    assert counts == line_counts(before, after)
