"""What a `tool_result` block says: outcome, exit code, the user's reason or answers, and its text.

Everything is read from the block's text, because the client's structured copy (`toolUseResult`) is half of all bytes
of a session and left undecoded; only the answers to questions are looked up there, where the text is ambiguous.
"""

from typing import Any, Final

from clew.clients.fields import joined, labels
from clew.clients.tools import CallOutcome

_REFUSED: Final = (
    "The user doesn't want to proceed with this tool use.",
    "The user doesn't want to take this action right now.",
    "The tool use was rejected",
    "User rejected tool use",
)
_PLAN_REFUSED: Final = (  # said without `is_error` at times
    "The agent proposed a plan that was rejected by the user.",
    "User chose to stay in plan mode",
)
# A hook's denial ("PreToolUse:Bash hook error: …", of a tool of any name), and one by a rule of permissions.
_DENIED_BY_HOOK: Final = "PreToolUse:"
_DENIED_BY_RULE: Final = ("Permission to use ", "Permission for this action has been denied")
_SAID: Final = "the user said:"
_NOTE: Final = "\n\nNote: The user's next message may contain"
_STOPPED: Final = (
    "[Request interrupted by user",
    "Sibling tool call errored",
    "Cancelled: parallel tool call",
    "Interrupted by user",
)
_ABORTED: Final = "<error>Command was aborted before completion</error>"
# How the answer to a questionnaire begins.
ANSWERED: Final = ("User has answered your questions: ", "Your questions have been answered: ")
_TASK_MADE: Final = "Task #"


def outcome(content: Any, is_error: bool | None) -> CallOutcome:
    """Read a result's `content` (a string, or a list of blocks); the text is left without the client's own wrapping."""
    text = content if isinstance(content, str) else joined(content)
    if text.endswith(("</system-reminder>", "</system-reminder>\n")):
        text = _without_reminder(text)
    if is_error:
        return _failure(text)
    if text.startswith(_PLAN_REFUSED):
        return CallOutcome("rejected", None, text, _reason(text))
    if text.endswith(_ABORTED):
        return CallOutcome("interrupted", None, text[: -len(_ABORTED)].rstrip())
    return CallOutcome("ok", None, text, todo=_task_number(text) if text.startswith(_TASK_MADE) else "")


def answers(structured: Any) -> tuple[tuple[str, str], ...]:
    """(question, answer) pairs of a questionnaire; `structured` is the line's `toolUseResult` or None."""
    given = structured.get("answers") if isinstance(structured, dict) else None
    return tuple((question, labels(value)) for question, value in given.items()) if isinstance(given, dict) else ()


def _failure(text: str) -> CallOutcome:
    if text.startswith("<tool_use_error>"):
        text = text.removeprefix("<tool_use_error>").removesuffix("</tool_use_error>")
    if text.startswith(_REFUSED + _PLAN_REFUSED):
        return CallOutcome("rejected", None, text, _reason(text))
    if text.startswith(_STOPPED):
        return CallOutcome("interrupted", None, text)
    if _is_denied(text):
        return CallOutcome("denied", None, text)
    code, rest = _exit_code(text)
    if rest.endswith(_ABORTED):
        return CallOutcome("interrupted", code, rest[: -len(_ABORTED)].rstrip())
    return CallOutcome("error", code, rest)


def _is_denied(text: str) -> bool:
    line = text.partition("\n")[0]
    is_hooks = line.startswith(_DENIED_BY_HOOK) and " hook error: " in line
    return is_hooks or (text.startswith(_DENIED_BY_RULE) and "denied" in text)


def _reason(text: str) -> str:
    """The user's own words in a refusal, without what the client says before and after them."""
    return text.partition(_SAID)[2].partition(_NOTE)[0].strip()


def _exit_code(text: str) -> tuple[int | None, str]:
    """The code of "Exit code N" in the first line and the text after it."""
    if not text.startswith("Exit code "):
        return None, text
    line, _, rest = text.partition("\n")
    digits = line[len("Exit code ") :].strip()
    if not (digits.isdecimal() and len(digits) < 10):
        return None, text
    return int(digits), rest


def _task_number(text: str) -> str:
    number, _, rest = text[len(_TASK_MADE) :].partition(" ")
    return number if rest.startswith("created") and len(number) < 20 else ""


def _without_reminder(text: str) -> str:
    """The client hangs its reminders behind a result; a reminder inside the text may be part of a file and stays."""
    end = _end(text, len(text))
    while text.endswith("</system-reminder>", 0, end):
        start = text.rfind("<system-reminder>", 0, end)
        if start < 0:
            break
        end = _end(text, start)
    return text[:end]


def _end(text: str, end: int) -> int:
    """Where `text[:end]` ends without the white space behind it; nothing is copied."""
    while end and text[end - 1].isspace():
        end -= 1
    return end
