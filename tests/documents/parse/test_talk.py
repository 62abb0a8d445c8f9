"""Conversations: lists are filed, and little of what was said."""

from __future__ import annotations

from clew.documents.parse import parse
from tests.documents.parse.told import told

TALK = (
    "# Talk\n\n**User:** I want to learn to sail this year. I have a boat.\n\n"
    "**Assistant:** Good. I will make a plan:\n\n- Week 1: knots\n- it is windy\n- Practise the turn\n\n"
    "**User:** Fine. Decision: I take the course in May.\n\n**Assistant:** Agreed. You must never sail alone.\n\n"
    "**User:** Also let's use the small boat. I'll buy a vest tomorrow. Should I swim?\n"
)


def test_what_is_wanted_decided_and_promised_is_filed() -> None:
    """What the one says who asks; an assistant's offers and questions are nobody's state."""
    assert [
        ("goal", "", "I want to learn to sail this year."),
        ("phase", "", "Week 1: knots"),
        ("finding", "", "it is windy"),
        ("finding", "", "Practise the turn"),
        ("decision", "", "I take the course in May."),
        ("decision", "", "let's use the small boat."),
        ("step", "pending", "I'll buy a vest tomorrow."),
    ] == told(TALK)


def test_the_rest_of_a_line_is_kept_as_a_note() -> None:
    """An entry that quotes a part of its line may not hide the rest."""
    assert any("I have a boat." in note.text for note in parse(TALK).notes)
