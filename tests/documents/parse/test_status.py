"""How far a step is, by words, emoji, brackets, boxes and a line through it."""

from __future__ import annotations

import pytest

from clew.documents.parse.status import marked, of_box, of_word


@pytest.mark.parametrize(
    ("line", "text", "status"),
    [
        ("✅ Parser", "Parser", "done"),
        ("Parser ✅", "Parser", "done"),
        ("Phase 1: Parser ✅ COMPLETE", "Phase 1: Parser", "done"),
        ("Phase 2: CLI (In Progress)", "Phase 2: CLI", "in progress"),
        ("DONE: parser", "parser", "done"),
        ("[WIP] lexer", "lexer", "in progress"),
        ("Parser - done", "Parser", "done"),
        ("Docs — pending", "Docs", "pending"),
        ("Evaluate scores ← PENDING", "Evaluate scores", "pending"),
        ("🚧 Refunds", "Refunds", "in progress"),
        ("⏳ Pending: audit", "audit", "pending"),
        ("⬜ Deploy", "Deploy", "pending"),
        ("Deploy [blocked]", "Deploy", "blocked"),
        ("~~Old plan~~", "Old plan", "dropped"),
        ("Phase 1 (完了)", "Phase 1", "done"),
        ("Week 2 (Days 8-14) 🎯 IN PROGRESS", "Week 2 (Days 8-14)", "in progress"),
    ],
)
def test_marks_are_read_and_taken_off(line: str, text: str, status: str) -> None:
    """A mark that stays in the text makes two items of one when it changes."""
    assert (text, status) == marked(line)[:2]


@pytest.mark.parametrize(
    "line",
    [
        "Next: run it",
        "The run is done by CI",
        "Make it complete.",
        "Open the file",
        "a live test",
        "Done",
        "Use the new one",
        "x",
    ],
)
def test_words_of_a_sentence_are_no_marks(line: str) -> None:
    """ "Open the file" is not an open step called "the file"."""
    assert (line, "") == marked(line)[:2]


@pytest.mark.parametrize(
    ("cell", "status"),
    [("✅ Complete (27 min)", "done"), ("Closed", "done"), ("**Done**", "done"), ("🔄 In progress", "in progress"),
     ("Open", "pending"), ("To Do", "pending"), ("on hold", "blocked"), ("won't do", "dropped"), ("P2", ""), ("", ""),
     ("openly", "")],
)  # fmt: skip
def test_a_cell_tells_a_status_by_its_first_words(cell: str, status: str) -> None:
    """Trackers write the same five states in many ways."""
    assert status == of_word(cell)


def test_boxes() -> None:
    """An unknown sign in a box is open: better done twice than never."""
    assert ["done", "done", "pending", "dropped", "in progress", "pending"] == [of_box(box) for box in "xX -~?"]


def test_a_share_and_hyphens_tell_how_far_it_is() -> None:
    """Dashboards count in percent, and keep their words in one."""
    assert ["done", "in progress", "pending"] == [of_word(share) for share in ("100 %", "~75%", "0%")]
    assert ["pending", "in progress", "done"] == [of_word(word) for word in ("NOT-STARTED", "in_progress", "erledigt")]


def test_what_is_to_be_built_is_open() -> None:
    """People say so in brackets behind the name."""
    assert ("Writer: Node.js", "pending") == marked("Writer: Node.js (to be built)")[:2]
