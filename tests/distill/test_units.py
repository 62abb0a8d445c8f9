"""Prose cut into pieces that can be quoted alone."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.core.text.cleaning import one_line
from clew.distill.blocks import plain
from clew.distill.prose import UNIT_CHARS_MAX, cut
from tests.growth import in_proportion

LONG = "The cache is filled by the reader. The writer never sees it, because it runs in another process. "


def texts(markdown: str) -> list[str]:
    return [unit.text for unit in cut(markdown)]


def letters(text: str) -> str:
    """What is left when marks and spaces are out of account."""
    return "".join(filter(str.isalnum, text))


@pytest.mark.parametrize("mark", ["-", "*", "+", "•", "1.", "2)", "- [ ]", "- [x]", "  -"])
def test_each_entry_of_a_list_is_a_unit(mark: str) -> None:
    """A list is a set of facts: one of them may be worth its room without the others."""
    assert texts(f"{mark} the parser is slow\n{mark} the printer is fine") == [
        "the parser is slow",
        "the printer is fine",
    ]


def test_a_row_is_a_unit_and_the_head_of_a_table_none() -> None:
    """Names of columns say nothing; a row without its cells' marks does."""
    table = "| File | Problem |\n| --- | :-: |\n| a.py | leaks |\n| b.py | slow |"
    assert texts(table) == ["a.py · leaks", "b.py · slow"]


def test_two_tables_lose_their_own_heads_only() -> None:
    """The last row of the first one is no head."""
    table = "| File | Problem |\n|---|---|\n| a.py | leaks |\n"
    assert texts(table + "\n" + table) == ["a.py · leaks", "a.py · leaks"]


def test_a_heading_belongs_to_what_stands_below_it() -> None:
    """ "Remaining" above a list turns its meaning."""
    units = cut("## Done\n- parser\n\n**Remaining:**\n- printer\n\n# Why\nIt was slow.")
    assert [(u.text, u.heading) for u in units] == [
        ("parser", "Done"),
        ("printer", "Remaining"),
        ("It was slow.", "Why"),
    ]


def test_a_line_that_ends_with_a_colon_is_the_label_of_its_list() -> None:
    """A dangling colon is half a sentence."""
    assert [(unit.text, unit.heading) for unit in cut("Still open:\n- printer\n- docs")] == [
        ("printer", "Still open"),
        ("docs", "Still open"),
    ]


def test_a_label_ends_with_its_list() -> None:
    """Another list further down is not "still open"."""
    assert [unit.heading for unit in cut("Still open:\n- printer\n\nAll else works.\n\n- parser")] == [
        "Still open",
        "",
        "",
    ]


def test_a_label_speaks_of_what_follows_it_only() -> None:
    """The sentence in front of it is not "still open"; nor is what stands behind a block that the label introduced."""
    units = cut("All is built. Still open:\n- printer\n\n  The old one.\n- parser")
    assert ["", "Still open", "Still open", "Still open"] == [unit.heading for unit in units]
    units = cut("Run this:\n```sh\n" + "make\n" * 9 + "```\n- parser")
    assert [("parser", "")] == [(unit.text, unit.heading) for unit in units]


def test_a_label_is_said_where_it_adds_something() -> None:
    """Once for a list entry, not for prose, nor in front of its own words."""
    entry, prose, same, long = cut(
        "# Open\n- the printer\n\nSome prose here.\n# Printer\n- the printer is open\n# " + "very " * 20 + "\n- x y"
    )
    assert (entry.label, prose.label, same.label, long.label) == ("Open", "", "", "")


def test_a_short_code_block_is_kept_as_code() -> None:
    """The one command that starts it all."""
    assert texts("Run\n```sh\nmake dev\n```") == ["Run `make dev`"]


def test_a_long_paragraph_is_cut_between_sentences() -> None:
    """A unit is quoted whole, so it must be short; it must be sentences, so that it can be read."""
    units = texts(LONG * 6)
    assert len(units) > 1
    assert all(len(unit) <= UNIT_CHARS_MAX and unit.endswith(".") for unit in units)
    assert letters(LONG * 6) == letters("".join(units))


MARKDOWN = st.lists(
    st.sampled_from(
        ["# Open", "**Next:**", "Todo:", "- one `a.b` two", "  on", "1. first", "| a | b |", "|---|---|", "```", "---",
         "A sentence, e.g. this. Another (one. Two).", "**bold** and *more*", "[x](y)", "> quote", "* ", "~~~", ""]
    )
    | st.text(st.characters(exclude_characters="[]"), max_size=20)
).map("\n".join)  # fmt: skip


@given(MARKDOWN)
def test_no_unit_says_what_the_text_does_not(markdown: str) -> None:
    """Cut, never reworded."""
    # Code keeps what would be markup in prose: those letters stand in the text as it is.
    said = letters(plain(markdown)) + letters(plain(one_line(markdown))) + "\n" + letters(markdown)
    for unit in cut(markdown):
        # A fence that stands before a paragraph becomes code in one line with it: each of the two as it stood.
        assert all(letters(piece) in said for piece in re.split(r"(`[^`]*`)", unit.text))


@pytest.mark.parametrize(
    "text",
    [
        "[a](" * 1_000,
        "# a" + " " * 9_000 + "b",
        "**" * 5_000,
        "__a " * 3_000,
        "(A b. " * 2_000,
        "`" * 10_000,
        ". " * 5_000,
    ],
    ids=lambda text: text[:6].strip(),
)
def test_an_odd_text_takes_no_long_time(text: str) -> None:
    """Transcripts hold what other people wrote: a line of 2 KB must not stop the next session from starting."""
    in_proportion(lambda times: text * times, cut, 1)
