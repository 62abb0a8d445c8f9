"""What a tool call returned: its text, its outcome, an exit code, the user's reason or answers.

Everything is read from the `result` of a call (or the answer part in the next message) and its `status`. The words by
which the client tells them are listed in docs/clients/gemini.md, "Results".
"""

import json
import re
from typing import Any, Final

from clew.clients.gemini.prompts import apart, text_of
from clew.clients.tools import CallOutcome

SHELL: Final = "run_shell_command"
_ASK: Final = "ask_user"
_PLAN: Final = "exit_plan_mode"
_UNTRUSTED: Final = "<untrusted_context>\n"
_UNTRUSTED_END: Final = "\n</untrusted_context>"
_CANCELLED: Final = "[Operation Cancelled]"
_REFUSED: Final = ("User denied execution", "User did not allow", "User rejected", "User declined", "User refused")
_DENIED: Final = "Tool execution blocked: "
_STOPPED: Final = (
    "Command was cancelled by user",
    "Command was automatically cancelled",
    "Operation cancelled by user",
)
_PLAN_REFUSED: Final = ("Plan rejected.", "User cancelled the plan approval dialog.")
_FEEDBACK: Final = "User feedback: "
_FEEDBACK_ENDS: Final = "\n\nThe plan is stored at:"
_DISMISSED: Final = "User dismissed ask_user dialog"
# The lines behind a command's output, in this order: older versions wrote all, newer ones those that say something.
_TAIL: Final[tuple[str, ...]] = ("Error", "Exit Code", "Signal", "Background PIDs", "Process Group PGID")
_NONE: Final = "(none)"
_EMPTY: Final = "(empty)"
_LEAD: Final = re.compile(r"\A(?:Output: |Command: .*?\nDirectory: [^\n]*\n(?:Stdout|Output): )", re.DOTALL)


def is_final(status: Any, result: Any) -> bool:
    """Whether a call with this status and result came to an end."""
    return status in ("success", "error", "cancelled") or (status is None and result is not None)


def outcome(tool: str, status: Any, result: Any, display: Any, arguments: Any) -> CallOutcome:
    """Read what a call of `tool` with `arguments` gave. `display` is what the user saw of it, used where `result` is
    empty."""
    text, is_error = _text(result)
    text, hooks = apart(text)
    if not text and isinstance(display, str):
        text = display
    failed = status == "error" or (status is None and is_error)
    return _read(tool, status, _trusted(text), arguments, failed=failed)._replace(hooks=tuple(hooks))


def _read(tool: str, status: Any, text: str, arguments: Any, *, failed: bool) -> CallOutcome:
    if failed and text.removeprefix("Error: ").startswith(_DENIED):
        return CallOutcome("denied", None, text)
    if status == "cancelled" or text.startswith(_CANCELLED):
        refused = any(words in text for words in _REFUSED)
        return CallOutcome("rejected" if refused else "interrupted", None, text)
    if tool == SHELL and not failed:
        if text.startswith(_STOPPED):
            return CallOutcome("interrupted", None, text)
        return _shell(text)
    if tool == _PLAN and text.startswith(_PLAN_REFUSED):
        reason = text.partition(_FEEDBACK)[2].partition(_FEEDBACK_ENDS)[0].strip()
        return CallOutcome("rejected", None, text, reason)
    if tool == _ASK and text.startswith(_DISMISSED):
        return CallOutcome("rejected", None, text)
    answers = _answers(text, arguments) if tool == _ASK and not failed else ()
    return CallOutcome("error" if failed else "ok", None, text, answers=answers)


def _shell(text: str) -> CallOutcome:
    """What a command printed, without the client's own lines around it, and how it ended.

    Newer versions leave the exit code out when it is 0, and say so to the model. The process group is there whenever
    the command was started at all.
    """
    lead = _LEAD.match(text)
    if lead is None:
        return CallOutcome("ok", None, text)
    told, end = _tail(text, lead.end() - 1)
    code, error, signal = (told.get(name, "") for name in ("Exit Code", "Error", "Signal"))
    exit_code = int(code) if code else 0 if _TAIL[-1] in told and not signal and "Exit Code" not in told else None
    printed = text[lead.end() : end].removeprefix(_EMPTY)
    failed = bool(exit_code or error or signal)
    return CallOutcome("error" if failed else "ok", exit_code, printed or error)


def _tail(text: str, start: int) -> tuple[dict[str, str], int]:
    """What the client's lines at the end of `text[start:]` say, "" for nothing, and where they begin."""
    told: dict[str, str] = {}
    names, end = _TAIL, len(text)
    while (at := text.rfind("\n", start, end)) >= 0:
        name, colon, value = text[at + 1 : end].partition(": ")
        if not colon or name not in names or not (name != "Exit Code" or _is_code(value)):
            break
        if name == "Error" and _TAIL[-1] in told and "Signal" not in told:
            break  # newer versions say so only of a command that did not start: the command's own words
        told[name] = value if value != _NONE else ""
        names, end = names[: names.index(name)], at
    return told, end


def _is_code(value: str) -> bool:
    return value == _NONE or (value.removeprefix("-").isdecimal() and value.isascii() and len(value) < 10)


def _text(result: Any) -> tuple[str, bool]:
    """The text of a result, and whether it is called an error there."""
    if isinstance(result, str):
        return result, False
    texts: list[str] = []
    is_error = False
    for part in result if isinstance(result, list) else [result]:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict):
            answer = part.get("functionResponse")
            response = answer.get("response") if isinstance(answer, dict) else None
            if isinstance(response, dict):
                is_error = is_error or "error" in response
                texts += [_said(response[name]) for name in ("error", "output", "content") if name in response]
            elif answer is None:
                texts.append(text_of([part]))
    return "\n".join(text for text in texts if text), is_error


def _said(value: Any) -> str:
    """A value of a response as text."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return text_of(value)
    if isinstance(value, dict) and isinstance(value.get("message"), str):
        return str(value["message"])
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _trusted(text: str) -> str:
    """`text` without the client's wrapping of what comes from outside."""
    bare = text.strip()
    if bare.startswith(_UNTRUSTED) and bare.endswith(_UNTRUSTED_END):
        inside = bare[len(_UNTRUSTED) : -len(_UNTRUSTED_END)]
        return inside.replace("&lt;/untrusted_context&gt;", "</untrusted_context>")
    return text


def _answers(text: str, arguments: Any) -> tuple[tuple[str, str], ...]:
    """(question, answer) pairs: the client numbers its answers by the questions of the call."""
    try:
        given = json.loads(text).get("answers")
    except (ValueError, RecursionError, AttributeError):
        return ()
    questions = arguments.get("questions") if isinstance(arguments, dict) else None
    if not isinstance(given, dict) or not isinstance(questions, list):
        return ()
    pairs: list[tuple[str, str]] = []
    for number, question in enumerate(questions):
        asked = question.get("question") or question.get("header") if isinstance(question, dict) else None
        answer = given.get(str(number))
        if isinstance(asked, str) and isinstance(answer, str):
            pairs.append((asked, answer))
    return tuple(pairs)
