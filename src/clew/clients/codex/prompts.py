"""The user's own words, without what the client or an editor puts around them; and the summary of a compaction."""

from __future__ import annotations

from typing import Final

# The editor's extension writes the open files before the prompt, and this line between.
_EDITOR: Final = "# Context from my IDE setup:"
_REQUEST: Final = "## My request for Codex:"
_SHELL: Final = "<user_shell_command>"
_SUMMARY_LEAD: Final = "Another language model started to solve this problem and produced a summary"
_SUMMARY_BEGINS: Final = "to assist with your own analysis:"
_SUMMARY_LEAD_CHARS_MAX: Final = 1000


def typed(text: str, images: int = 0) -> str:
    """What was typed, with a mark for each image beside it; "" if nothing was."""
    if text.startswith(_EDITOR):
        text = text.partition(_REQUEST)[2]
    return "\n".join(["[image]"] * images + [text.strip()]).strip()


def escaped(text: str) -> str:
    """The command that the user ran with "!" as `! command`; "" if `text` records none."""
    if not text.startswith(_SHELL):
        return ""
    command = text.partition("<command>")[2].partition("</command>")[0].strip()
    return f"! {command}" if command else ""


def summarised(text: str) -> str:
    """The summary without the client's words before it, which are for the next model."""
    if text.startswith(_SUMMARY_LEAD):
        before, found, after = text.partition(_SUMMARY_BEGINS)
        if found and len(before) < _SUMMARY_LEAD_CHARS_MAX:
            return after.strip()
    return text.strip()
