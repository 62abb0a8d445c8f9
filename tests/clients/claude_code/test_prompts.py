"""Whose words a text holds."""

from __future__ import annotations

import pytest

from clew.clients.claude_code.prompts import said, summarised
from clew.clients.claude_code.wire import ContentBlock


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  fix it  ", [("typed", "fix it")]),
        ("a<system-reminder>x</system-reminder>b<system-reminder>y</system-reminder>", [("typed", "ab")]),
        ("why is <system-reminder> in my log?", [("typed", "why is <system-reminder> in my log?")]),
        ("<ide_selection>lines 1-4\nof a.py</ide_selection>explain", [("typed", "explain")]),
        ("<ide_open but not closed", [("typed", "<ide_open but not closed")]),
        ("<Button> does not render", [("typed", "<Button> does not render")]),
        ("[Request interrupted by user]", [("interruption", "")]),
        ("[Request interrupted by user for tool use]try sqlite", [("interruption", ""), ("typed", "try sqlite")]),
        ("<command-name>/model</command-name>", [("command", "/model")]),
        ("<command-name>deploy</command-name><command-args>prod now</command-args>", [("command", "/deploy prod now")]),
        ("<bash-input>ls -l</bash-input>", [("command", "! ls -l")]),
        ("<user-memory-input>always use tabs</user-memory-input>", [("typed", "always use tabs")]),
        ("<bash-stdout>total 0</bash-stdout><bash-stderr></bash-stderr>", []),
        ("Implement the following plan:\n\n# P\n\ndo", [("plan", "# P\n\ndo")]),
        (
            "This session is being continued from a previous conversation. The user asked for a gauge.",
            [("summary", "The user asked for a gauge.")],
        ),
        (
            "<task-notification>\n<task-id>1</task-id>\n</task-notification>",
            [("notice", "<task-notification>\n<task-id>1</task-id>\n</task-notification>")],
        ),
        ('Another Claude session sent a message:\n<teammate-message teammate_id="a">Drop it</teammate-message>', []),
        ('Another Claude session sent a message:\n<cross-session-message from="b">Go</cross-session-message>', []),
        ('<\\cross-session-message from="b">Go</cross-session-message>\n\nIt was not typed by your user.', []),
        ('<agent-message from="c">Done</agent-message>', []),
        ("Why does <agent-message> show up?", [("typed", "Why does <agent-message> show up?")]),
    ],
)
def test_texts(text: str, expected: list[tuple[str, str]]) -> None:
    """Each of these was taken for the user by some tool, or the user's words were lost with it."""
    assert expected == [tuple(piece) for piece in said(text)]


def test_blocks_of_one_message_are_one_prompt() -> None:
    """An editor's note, words and a picture arrive as blocks of one message."""
    blocks = [
        ContentBlock(type="text", text="<ide_opened_file>a.py</ide_opened_file>"),
        ContentBlock(type="text", text="see"),
        ContentBlock(type="image"),
    ]
    assert [tuple(piece) for piece in said(blocks)] == [("typed", "see\n[image]")]


def test_the_lines_own_copy_of_a_plan_is_taken() -> None:
    """The prompt's text has a pointer to the old transcript behind the plan."""
    assert [tuple(p) for p in said("Implement the following plan:\n\n# P\n\nread it at: /x", "# P")] == [
        ("plan", "# P")
    ]


LEAD = "This session is being continued from a previous conversation that ran out of context."
BELOW = f"{LEAD} The summary below covers the earlier portion of the conversation.\n\n"
TOOLS = (
    "<system-reminder>\n<tools-used-before-summary>Bash, Edit, Read</tools-used-before-summary>\n</system-reminder>\n"
)
SECTIONS = "1. Primary Request:\n   Fix the gauge.\n\n9. Next Step:\n   Continue with the reader."
READ = (
    "\n\nIf you need specific details from before compaction (like exact code snippets), read the full transcript at:"
    " /home/mira/.claude/x.jsonl"
)
ON = "\nPlease continue the conversation from where we left it off without asking the user any further questions."
DIRECTLY = (
    "\nContinue the conversation from where it left off without asking the user any further questions. Resume directly"
    " – do not acknowledge the summary.\n\nThe messages after this summary are the most recent messages from before"
    " compaction, kept verbatim. The summary was written without seeing them."
)


@pytest.mark.parametrize(
    "text",
    [
        f"{BELOW}{TOOLS}Summary:\n{SECTIONS}{READ}{DIRECTLY}",
        f"{BELOW}{TOOLS}Summary:\n{SECTIONS}{DIRECTLY}",
        f"{BELOW}Analysis:\nLet me go through it.\n\nSummary:\n{SECTIONS}{READ}{ON}",
        f"{LEAD} The conversation is summarized below:\nAnalysis:\nFirst.\n\nSummary:\n{SECTIONS}{ON}",
        f"{LEAD}\n\n{SECTIONS}{READ}",
        f"{BELOW}{SECTIONS}\n\nRecent messages are preserved verbatim.",
        SECTIONS,
    ],
    ids=["2.1.330", "no transcript", "2.1.39", "2.0", "no word", "partial", "bare"],
)
def test_a_summary_is_what_the_model_wrote(text: str) -> None:
    """What the client says around it to its model would be told as facts about the project."""
    assert SECTIONS == summarised(text)


def test_a_summary_keeps_what_only_looks_like_the_clients_words() -> None:
    """Inside a line they are the summary's own."""
    text = "The user said: continue the conversation from where we were. Summary: fix it."
    assert text == summarised(text)
