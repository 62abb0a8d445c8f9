"""Whose words a text holds."""

from __future__ import annotations

import pytest

from clew.clients.claude_code.prompts import said
from clew.clients.claude_code.wire import Block


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  fix it  ", [("typed", "fix it")]),
        ("", []),
        ("<system-reminder>\nx\n</system-reminder>", []),
        ("a<system-reminder>x</system-reminder>b<system-reminder>y</system-reminder>", [("typed", "ab")]),
        ("why is <system-reminder> in my log?", [("typed", "why is <system-reminder> in my log?")]),
        ("<ide_selection>lines 1-4\nof a.py</ide_selection>explain", [("typed", "explain")]),
        ("<ide_new_thing>whatever</ide_new_thing>\nexplain", [("typed", "explain")]),
        ("<ide_open but not closed", [("typed", "<ide_open but not closed")]),
        ("<Button> does not render", [("typed", "<Button> does not render")]),
        ("[Request interrupted by user]", [("interruption", "")]),
        ("[Request interrupted by user for tool use]try sqlite", [("interruption", ""), ("typed", "try sqlite")]),
        ("<command-name>/model</command-name>", [("command", "/model")]),
        ("<command-name>deploy</command-name><command-args>prod now</command-args>", [("command", "/deploy prod now")]),
        ("<command-name></command-name>", []),
        ("<bash-input>ls -l</bash-input>", [("command", "! ls -l")]),
        ("<bash-input></bash-input>", []),
        ("<user-memory-input>always use tabs</user-memory-input>", [("typed", "always use tabs")]),
        ("<bash-stdout>total 0</bash-stdout><bash-stderr></bash-stderr>", []),
        ("Implement the following plan:\n\n# P\n\ndo", [("plan", "# P\n\ndo")]),
        ("Base directory for this skill: /x\n\n# Skill", []),
        (
            "This session is being continued from a previous conversation.",
            [("summary", "This session is being continued from a previous conversation.")],
        ),
        ("<task-notification>\n<task-id>1</task-id>\n</task-notification>", []),
    ],
)
def test_texts(text: str, expected: list[tuple[str, str]]) -> None:
    """Each of these was taken for the user by some tool, or the user's words were lost with it."""
    assert expected == [tuple(piece) for piece in said(text)]


def test_blocks_of_one_message_are_one_prompt() -> None:
    """An editor's note, words and a picture arrive as blocks of one message."""
    blocks = [
        Block(type="text", text="<ide_opened_file>a.py</ide_opened_file>"),
        Block(type="text", text="see"),
        Block(type="image"),
    ]
    assert [tuple(piece) for piece in said(blocks)] == [("typed", "see\n[image]")]


def test_the_lines_own_copy_of_a_plan_is_taken() -> None:
    """The prompt's text has a pointer to the old transcript behind the plan."""
    assert [tuple(p) for p in said("Implement the following plan:\n\n# P\n\nread it at: /x", "# P")] == [
        ("plan", "# P")
    ]
