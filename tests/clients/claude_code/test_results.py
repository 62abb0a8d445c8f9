"""What results say."""

from __future__ import annotations

from typing import Any

import pytest

from clew.clients.claude_code.results import outcome

REFUSED = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. …). "
RULE = "Permission to use Bash with command rm -rf build has been denied."


@pytest.mark.parametrize(
    ("content", "is_error", "expected"),
    [
        ("fine", False, ("ok", None, "fine", "")),
        (
            [{"type": "text", "text": "a"}, {"type": "image", "source": {}}, "b", 7],
            None,
            ("ok", None, "a\n[image]\nb", ""),
        ),
        ("Exit code 127\nsh: nope: not found", True, ("error", 127, "sh: nope: not found", "")),
        ("Exit code one\nx", True, ("error", None, "Exit code one\nx", "")),
        ("Exit code 1 is what the log says", False, ("ok", None, "Exit code 1 is what the log says", "")),
        ("<tool_use_error>No such file</tool_use_error>", True, ("error", None, "No such file", "")),
        ("Interrupted by user", True, ("interrupted", None, "Interrupted by user", "")),
        ("partial\n<error>Command was aborted before completion</error>", False, ("interrupted", None, "partial", "")),
        (REFUSED + "To tell you how to proceed, the user said:\nuse bun", True, ("rejected", None, None, "use bun")),
        ("grep found: " + REFUSED, False, ("ok", None, None, "")),
        ("PreToolUse:Edit hook error: no", True, ("denied", None, "PreToolUse:Edit hook error: no", "")),
        (RULE, True, ("denied", None, RULE, "")),
    ],
)
def test_outcomes(content: Any, is_error: bool | None, expected: tuple[Any, ...]) -> None:
    """A refusal read as an error loses the user's reason; a quoted one read as a refusal invents it."""
    found = outcome(content, is_error)
    assert expected[:2] == found[:2]
    assert expected[2] is None or expected[2] == found.text
    assert expected[3] == found.reason


def test_a_reminder_inside_a_file_stays_and_one_behind_it_goes() -> None:
    """The result of reading this very file must not be torn apart."""
    inside = "x = '<system-reminder>a</system-reminder>'"
    assert inside == outcome(inside + "\n<system-reminder>now</system-reminder>\n", None).text
