"""Lines become blocks by their shape alone, each line in one block, in time that grows with the lines."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from clew.core.text.segments import Block, segments


def forms(text: str) -> list[tuple[str, int, int, str]]:
    return [(block.form, block.first, block.last, block.text) for block in segments(text.split("\n"))]


def items(text: str) -> list[tuple[int, str, str]]:
    return [(block.level, block.box, block.text) for block in segments(text.split("\n")) if block.form == "item"]


def test_headings_of_all_shapes() -> None:
    """Hashes, a line below, a slip without a space; a hash tag is none."""
    text = "# A #\n\nB\n===\nC\n---\n##D\n#tag\n\n---\n"
    assert [("heading", 1, 1, "A"), ("heading", 3, 4, "B"), ("heading", 5, 6, "C"), ("heading", 7, 7, "D"),
            ("text", 8, 8, "#tag"), ("other", 10, 10, "")] == forms(text)  # fmt: skip


def test_lists_are_as_deep_as_they_are_indented() -> None:
    """By two, by four, by a tab, and too far to the right from the start."""
    assert [(1, "", "a"), (2, "x", "b"), (3, "", "c"), (1, " ", "d")] == items("- a\n  - [x] b\n\t- c\n- [ ] d\n")
    assert [(1, "", "a"), (2, "", "b")] == items("      - a\n        - b\n")


def test_a_line_without_a_sign_goes_on_with_the_entry_above_it() -> None:
    """Editors wrap; after a blank line only what is indented belongs to the entry."""
    blocks = list(segments("- a\nb\n  c\n\n  d\n\ne\n".split("\n")))
    assert [("item", 1, "a\nb\nc"), ("text", 1, "d"), ("text", 0, "e")] == [
        (one.form, one.level, one.text) for one in blocks
    ]


def test_labels_begin_a_text_of_their_own() -> None:
    """`**Why:**` right below a sentence, and lines of keys."""
    assert ["a", "**Why:** b"] == [one.text for one in segments(["a", "**Why:** b"])]
    assert ["goal: x", "next: y"] == [one.text for one in segments(["goal: x", "next: y"])]
    assert ["a sentence: x\nand so on"] == [one.text for one in segments(["a sentence: x", "and so on"])]


def test_tables_have_their_header_in_each_row() -> None:
    """A bar in code or behind a backslash parts no cells."""
    rows = list(segments(["|a|b|", "|-|-|", "| `x|y` | z\\|z |", "", "c | d"]))
    assert rows[1] == Block("row", 3, 3, header=("a", "b"), cells=("`x|y`", "z|z"))
    assert rows[2].form == "text"


def test_front_matter_comments_and_fences() -> None:
    """They hold what is no list; one that never ends takes the rest of a fence, and of a comment its line."""
    assert ["matter", "other", "code", "text"] == [
        row[0] for row in forms("---\na: b\n---\n<!-- x\ny -->\n~~~\n- a\n~~~\nb")
    ]
    assert [("other", 1, 1, ""), ("item", 2, 2, "a")] == forms("<!-- x\n- a")
    assert [("code", 1, 3, "- a\n")] == forms("```\n- a\n")


def test_a_hash_in_yaml_is_a_comment() -> None:
    """And no heading."""
    assert ["other", "text"] == [block.form for block in segments(["# note", "a: b"], comments=True)]


@given(st.lists(st.text(alphabet="-*#>|`~ \t1.)[]xa:\\<!=_", max_size=8), max_size=12))
def test_every_line_that_is_not_blank_is_in_one_block(lines: list[str]) -> None:
    """In order, none twice: what a reader passes over is lost without a word."""
    covered = [at for block in segments(lines) for at in range(block.first, block.last + 1)]
    assert covered == sorted(set(covered))
    assert {at for at, line in enumerate(lines, 1) if line.strip()} <= set(covered)
