"""What a tool's output says, where nothing but its text is left: outcome, exit code, reason.

Clients' own words are known by how they begin, whichever tool or format carries them here.
"""

from typing import Final

from clew.clients.claude_code import results as claude_code
from clew.clients.codex import results as codex
from clew.clients.tools import CallOutcome

# What Claude Code says of a call that failed, was refused or was stopped.
_FAILED: Final = (
    "<tool_use_error>",
    "Exit code ",
    "The user doesn't want to ",
    "The tool use was rejected",
    "User rejected tool use",
    "[Request interrupted by user",
    "Sibling tool call errored",
    "Cancelled: parallel tool call",
)
UNPATCHED: Final = "apply_patch verification failed"
# What Codex puts before the output of a command.
LEADS: Final = ("Chunk ID: ", "Wall time: ", "Exit code: ")


def outcome(text: str) -> CallOutcome:
    """Read the output of a tool."""
    if text.startswith(LEADS):
        told = codex.outcome(text)
        return told._replace(outcome="ok" if told.outcome == "running" else told.outcome)
    if text.startswith(UNPATCHED):
        return CallOutcome("error", None, text)
    return claude_code.outcome(text, True if text.startswith(_FAILED) else None)
