"""Markdown as people and agents write it: marks go, words stay, sentences stay whole."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clew.distill.blocks import blocks, plain, sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One thing. Another thing.", ["One thing.", "Another thing."]),
        ("Is it? Yes! Good.", ["Is it?", "Yes!", "Good."]),
        ("Use one, e.g. Postgres, i.e. a server.", ["Use one, e.g. Postgres, i.e. a server."]),
        ("Tabs vs. Spaces, cf. No. 3, etc. And so on.", ["Tabs vs. Spaces, cf. No. 3, etc. And so on."]),
        ("Call `a. B` first. Then c.", ["Call `a. B` first.", "Then c."]),
        ("It fails (see x. Y too) here. Then c.", ["It fails (see x. Y too) here.", "Then c."]),
        ("Version 1.2 is out. See a.py for it.", ["Version 1.2 is out.", "See a.py for it."]),
        ('He said "no." Then left.', ['He said "no."', "Then left."]),
        ("Written by A. Lovelace in code.", ["Written by A. Lovelace in code."]),
        ("", []),
    ],
)
def test_a_stop_ends_a_sentence_or_not(text: str, expected: list[str]) -> None:
    """A split after "e.g." or inside a name leaves two fragments."""
    assert expected == sentences(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**Fixed** the *sum* in __the total__", "Fixed the sum in the total"),
        ("run __main__, see src/__init__.py.", "run __main__, see src/__init__.py."),
        ("all src/*.ts, lib/*.ts and *.js files", "all src/*.ts, lib/*.ts and *.js files"),
        ("**`*args` and [a](b.py)** win", "`*args` and b.py win"),
        ("see [`sum.py`](src/sum.py#L12)", "see src/sum.py:12"),
        ("see [`src/sum.py`](src/sum.py)", "see `src/sum.py`"),
        ("2 * 3 * 4", "2 * 3 * 4"),
        ("a*b*c and **kwargs", "a*b*c and **kwargs"),
        ("__init__.py and my_name_here", "__init__.py and my_name_here"),
        ("see [sum.py](src/sum.py#L12)", "see src/sum.py:12"),
        ("see [src/sum.py:12](src/sum.py:12)", "see src/sum.py:12"),
        ("see [the docs](https://example.org/x)", "see the docs"),
        ("![shot](a.png)", "a.png"),
        ("`a[i](x)`", "`a[i](x)`"),
        ("`**kwargs` and `*args*`", "`**kwargs` and `*args*`"),
    ],
)
def test_marks_go_words_stay(text: str, expected: str) -> None:
    """Bold and links cost tokens; a name that is made of the same marks must survive."""
    assert expected == plain(text)


BEGINNINGS = st.sampled_from(["the first entry of the list that is rather long and goes on", "`a/b/c/d/e.py` is", ""])
ENTRIES = st.tuples(
    st.sampled_from(["- ", "  - ", "    * ", "1. ", ""]),
    BEGINNINGS,
    st.integers(0, 70),
    st.sampled_from(["", "…", " and more", "…:"]),
).map(lambda entry: f"{entry[0]}{entry[1][: entry[2]].rstrip()}{entry[3]}")


@given(st.lists(ENTRIES | st.text(max_size=80), max_size=12).map("\n".join))
@example(
    "- the first entry of the list that is rather long and goes on\n  - child one\n"
    "- the first entry of the list that is…\n  - child two"
)
def test_every_text_comes_to_an_end(text: str) -> None:
    """An entry that an agent shortened may be just how a longer one was told: the reader would wait for ever."""
    blocks(text)


def test_a_short_block_of_code_keeps_its_lines_apart() -> None:
    """An empty line may be all that it is about."""
    (found,) = blocks("It prints:\n\n```\nparsing\nfailed\n```")
    assert found.text == "`parsing ⏎ failed`"


@pytest.mark.parametrize("fence", ["```markdown", "~~~~md", "````"])
def test_code_inside_a_fence_that_shows_markdown_is_no_prose(fence: str) -> None:
    """An agent that shows a document shows its code too; half of it would be told as facts."""
    mark = fence.rstrip("abcdefghijklmnopqrstuvwxyz")
    shown = f"{fence}\n# Plan\n\nWe do this:\n\n```python\na = 1\nb = 2\nc = 3\nd = 4\n```\n\nAnd then this.\n{mark}"
    assert [block.text for block in blocks(f"Here it is.\n\n{shown}\n\nIt is done.")] == ["Here it is.", "It is done."]


def test_a_side_is_told_with_what_it_is_a_side_of() -> None:
    """A drawback of an option that nobody chose would be one of the way that was taken."""
    text = "### Option A: a list\n\nPros:\n- short\n\n### Option B: a tree\n\nCons:\n\n- needs a lock"
    (found,) = [block for block in blocks(text) if block.text == "needs a lock"]
    assert found.label == "Option B: a tree, Cons"
