"""A stack's text, changed source by source: whatever else stands there stays to the byte."""

from __future__ import annotations

import tomllib
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.app.stack.stack_file import appended, removed
from clew.core.errors import InputError

_TEXT = """\
# Ours.
title = "T"

# The first.
[[source]]  # a
kind = "files"
paths = ["x"]  # all
# after it

# Between them, of nobody.

[[source]] # b
kind = "text"
text = '''
[[source]]

# no comment'''

# Of the last.
[[source]]
kind = "payload"
"""
_WORDS = st.sampled_from(["a", "b", '"', "\\", "#", "[[source]]", "\n", "\n\n", "'", "'''", '"""', "é", "= 1"])
_VALUES = st.lists(_WORDS, max_size=6).map("".join)
_GAPS = st.sampled_from(["", "\n", "\n# apart\n\n", "# above\n", "\n\n# above\n", "\n# apart\n\n# above\n"])


def _tables(text: str) -> list[dict[str, Any]]:
    return tomllib.loads(text).get("source", [])


def _lines(text: str) -> Counter[str]:
    """The lines that say something."""
    return Counter(row.strip() for row in text.split("\n") if row.strip())


@st.composite
def _stacks(draw: st.DrawFn) -> str:
    text = draw(st.sampled_from(["", 'title = "x"  # t\n', "# only a comment\n\n", "budget = 5\n"]))
    for number in range(draw(st.integers(1, 4))):
        text = text + draw(_GAPS)
        text = appended(text, {"kind": "text", "text": draw(_VALUES), "name": f"n{number}"})
    return text + draw(_GAPS)


def test_a_source_goes_with_its_own_comments_and_others_stay() -> None:
    """What stands apart is nobody's; what only looks like a source in a text is none."""
    with pytest.raises(InputError):
        removed(_TEXT, 0)  # the text holds a line that looks like a source
    less = removed(_TEXT.replace("[[source]]\n\n# no", "source\n\n# no"), 0)
    assert "# The first." not in less and "# after it" not in less and "# Between them, of nobody." in less


@settings(max_examples=150, deadline=None)
@given(_stacks(), st.data())
def test_a_change_loses_nothing(text: str, data: st.DataObject) -> None:
    """Either it is refused, or the sources are those that were meant and every other line is there."""
    tables = _tables(text)
    at = data.draw(st.integers(0, len(tables) - 1))
    try:
        less = removed(text, at)
    except InputError:
        assert "[[source]]" in "".join(one["text"] for one in tables)
        return
    assert [one for number, one in enumerate(tables) if number != at] == _tables(less)
    assert _lines(text) >= _lines(less) and "# apart" not in _lines(text) - _lines(less)


@pytest.mark.parametrize("text", ["source = [{kind = 'payload'}]\n", "[['source']]\nkind = 'payload'\n[x]\na = 1\n"])
def test_what_is_written_in_another_way_is_not_touched(text: str) -> None:
    """Rather than written over."""
    try:
        done = appended(text, {"kind": "memory"})
    except InputError as refused:
        assert "E-stack-file" == refused.code
    else:
        assert ["payload", "memory"] == [one["kind"] for one in _tables(done)]
        assert 1 == tomllib.loads(done)["x"]["a"]
