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


def test_what_stands_below_a_long_entry_is_told_with_its_beginning() -> None:
    """Alone, or under the heading above both, it would say something else."""
    long = "Write a short list of answers that keeps only what people really ask us about"
    found = blocks(f"## Keep in the readme\n\n- {long}:\n  - smart transport only", label_chars_max=60)
    assert [block.heading for block in found if block.text == "smart transport only"] == [
        "Write a short list of answers that…"
    ]


def test_what_stands_below_entries_that_begin_alike_is_told_of_its_own() -> None:
    """Cut to one beginning they would be one file, and an edit of the second would be told of the first."""
    folder = "`server/internal/checkout/handlers/payment"
    text = f"- {folder}_refund.go`\n  - Pays back.\n- {folder}_invoice.go`\n  - Lost its import."
    found = {block.text: block.heading for block in blocks(text, label_chars_max=60)}
    assert ["`…/payment_refund.go`", "`…/payment_invoice.go`"] == [found["Pays back."], found["Lost its import."]]
    beginning = "What the reader of the monthly report gets"
    text = f"- {beginning} at first\n  - a table\n- {beginning} on request\n  - a chart"
    found = {block.text: block.heading for block in blocks(text, label_chars_max=60)}
    assert found["a table"] != found["a chart"]


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
    blocks(text, label_chars_max=60)


def test_a_numbered_list_in_a_copied_answer_is_one_list() -> None:
    """A client draws a mark in front of an answer's first line only: the second point is none of the first's parts."""
    text = "look at this:\n\n• 1. High: the sum is wrong.\n  2. Low: the name is odd."
    found = [block for block in blocks(text, label_chars_max=60) if block.listed]
    assert [("1", "look at this"), ("2", "look at this")] == [(block.number, block.heading) for block in found]


def test_entries_right_below_a_bold_line_are_of_it() -> None:
    """Under the heading above all of them what is true of one would be told of each."""
    text = "## The best three:\n\n**first/model** (8.4)\n- wide\n- rich\n\n**second/model** (5.9)\n- quick"
    found = {block.text: block.heading for block in blocks(text, label_chars_max=60)}
    assert [found[name] for name in ("wide", "rich", "quick")] == ["first/model", "first/model", "second/model"]


def test_a_short_block_of_code_keeps_its_lines_apart() -> None:
    """An empty line may be all that it is about."""
    (found,) = blocks("It prints:\n\n```\nparsing\nfailed\n```", label_chars_max=60)
    assert found.text == "`parsing ⏎ failed`"


@pytest.mark.parametrize("fence", ["```markdown", "~~~~md", "````"])
def test_code_inside_a_fence_that_shows_markdown_is_no_prose(fence: str) -> None:
    """An agent that shows a document shows its code too; half of it would be told as facts."""
    mark = fence.rstrip("abcdefghijklmnopqrstuvwxyz")
    shown = f"{fence}\n# Plan\n\nWe do this:\n\n```python\na = 1\nb = 2\nc = 3\nd = 4\n```\n\nAnd then this.\n{mark}"
    assert [block.text for block in blocks(f"Here it is.\n\n{shown}\n\nIt is done.", label_chars_max=60)] == [
        "Here it is.",
        "It is done.",
    ]


@pytest.mark.parametrize("side", ["**Cons:**", "Cons:", "#### Cons"])
def test_a_side_is_told_with_what_it_is_a_side_of(side: str) -> None:
    """A drawback of an option that nobody chose would be one of the way that was taken."""
    text = f"### Option A: a list\n\n**Pros:**\n- short\n\n### Option B: a tree\n\n{side}\n\n- needs a lock"
    (found,) = [block for block in blocks(text, label_chars_max=60) if block.text == "needs a lock"]
    assert found.heading == "Option B: a tree, Cons"
