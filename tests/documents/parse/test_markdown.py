"""Text to blocks: lines, nesting and tables are as written, also where the text is no proper Markdown."""

from __future__ import annotations

from clew.documents.parse.markdown import Block, blocks


def read(text: str) -> list[Block]:
    return blocks(text.split("\n"))


def test_an_entry_knows_its_own_lines_and_those_nested_in_it() -> None:
    """Marks of a merge are set by these lines."""
    found = read("- [x] one\n  more\n  - two\n\n  para\n- three\n")
    assert [
        ("item", 1, 5, 3, 2, "one\nmore", "x"),
        ("item", 3, 3, 2, 3, "two", ""),
        ("text", 5, 5, 3, 5, "para", ""),
        ("item", 6, 6, 4, 6, "three", ""),
    ] == [(b.form, b.first, b.last, b.end, b.own_last, b.text, b.box) for b in found]


def test_numbers_boxes_and_depth() -> None:
    """A plan's order and its ticks are what people look for first."""
    found = read("1. [ ] a\n   - b\n2) c\n")
    assert [("1", " ", 1), ("", "", 2), ("2", "", 1)] == [(b.number, b.box, b.level) for b in found]


def test_rulers_around_a_title_are_decoration() -> None:
    """Progress files frame their titles; the frame may not become a title of its own."""
    found = read("=====\n## GOAL\n=====\nwin\n\n=====\nTITLE\n=====\n\n-----\n")
    assert [("heading", "GOAL", 2), ("text", "win", 0), ("heading", "TITLE", 7)] == [
        (b.form, b.text, 2 if b.text == "GOAL" else 7 if b.form == "heading" else 0) for b in found
    ]


def test_a_paragraph_with_a_ruler_below_is_no_title() -> None:
    """People forget the blank line in front of a rule; two lines of prose are no heading."""
    assert ["text", "rule"] == [b.form for b in read("some words\nand more\n---\n")]
    assert ["heading"] == [b.form for b in read("Next steps\n----------\n")]


def test_comment_lines_of_a_text_file_are_no_titles() -> None:
    """`# Created: …` below the title would close every section around it."""
    forms = [b.form for b in read("# Title\n# Created: x\n\n## A\n\n- a\n\n# Priority: high\n# Source: y\n\n# B\n")]
    assert ["heading", "text", "heading", "item", "text", "text", "heading"] == forms


def test_a_list_indented_too_far_is_a_list() -> None:
    """By the letter of Markdown it would be code, or a part of the sentence above."""
    assert ["text", "item", "item"] == [b.form for b in read("Use these:\n    - a\n    - b\n")]
    assert ["item"] == [b.form for b in read("      - a\n")]


def test_rows_have_their_header() -> None:
    """A cell says nothing without its column."""
    head, row = read("| Task | Status |\n|---|:-:|\n| a | done |\n")
    assert (1, 2, ()) == (head.first, head.last, head.cells)
    assert (3, ("a", "done"), ("Task", "Status")) == (row.first, row.cells, row.header)


def test_front_matter_is_apart_and_may_come_twice() -> None:
    """Exported memories carry two; read as text they would be a title."""
    found = read("---\na: b\n---\n\n---\nc: d\n---\n\ntext\n")
    assert [("matter", 1, 3), ("matter", 5, 7), ("text", 9, 9)] == [(b.form, b.first, b.last) for b in found]
    assert ["rule", "text", "rule"] == [b.form for b in read("---\n\nJust words here.\n\n---\n")]


def test_code_and_quotes_are_told_apart() -> None:
    """What stands in a fence or a quote was not said by the document."""
    found = read("```sh\n# not a title\n```\n\n> - quoted\n")
    assert [("code", "sh", False), ("item", "", True)] == [(b.form, b.info, b.quoted) for b in found]


def test_a_drawn_tree_is_a_list_as_deep_as_it_is_drawn() -> None:
    """Status files draw their plans; unread, nothing of such a plan would be known."""
    text = (
        "Plan\n├─ ✅ M1 — Reader\n├── ⬜ M2 — Writer\n│   ├─ ✅ rows\n│   │  of all kinds\n"
        "│   └─ ⬜ columns\n└─M3 — Rest\n\nafter\n"
    )
    found = read(text)
    entries = [(b.first, b.level, b.text) for b in found if b.form == "item"]
    assert [
        (2, 1, "✅ M1 — Reader"),
        (3, 1, "⬜ M2 — Writer"),
        (4, 2, "✅ rows\nof all kinds"),
        (6, 2, "⬜ columns"),
        (7, 1, "M3 — Rest"),
    ] == entries
    assert ("text", 9) == (found[-1].form, found[-1].first)


def test_drawn_tables_and_trees_in_code_are_no_lists() -> None:
    """The rows of a table that is drawn have no branch, and a tree in a fence shows folders."""
    assert [] == [b for b in read("┌──┬──┐\n│ a │ b │\n├──┼──┤\n└──┴──┘\n") if b.form == "item"]
    assert ["code"] == [b.form for b in read("```\nsrc\n├── a.py\n└── b.py\n```\n")]
