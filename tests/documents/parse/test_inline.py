"""A line's marks come off, its words stay."""

from __future__ import annotations

import pytest

from clew.documents.parse.inline import plain


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**Bold** and *slanted* and ~~gone~~", "Bold and slanted and gone"),
        ("`**kept**` and __init__ and a_b_c", "`**kept**` and __init__ and a_b_c"),
        ("src/**/*.py", "src/**/*.py"),
        ("2 * 3 * 4 and QUILL_* > x", "2 * 3 * 4 and QUILL_* > x"),
        ("a \\* b<br>c\nd", "a * b c d"),
        ("_low_ lines", "low lines"),
    ],
)
def test_marks_come_off(text: str, expected: str) -> None:
    """Names and patterns are no marks."""
    assert expected == plain(text)
