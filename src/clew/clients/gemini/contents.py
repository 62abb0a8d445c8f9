"""What the texts of Gemini CLI say. Of a user message: what is the user's own words, what hooks put beside them, and
what the client wrote itself. Of a tool call: its text, its outcome, an exit code, the user's reason or answers, by its
`result` (or the answer part in the next message) and its `status`.

Knows texts and parts only. Every marker is listed with where it was seen in docs/clients/gemini.md.
"""

import json
import re
from typing import Any, Final, Literal, NamedTuple

from clew.clients.tools import CallOutcome

Source = Literal["typed", "command", "client", "summary"]


class PromptText(NamedTuple):
    """The text of a user message. "client": the client wrote it, nobody said it; "summary": of a compaction."""

    source: Source
    text: str


_HOOK: Final = "<hook_context>"
_HOOK_END: Final = "</hook_context>"
# Between a text and what a hook put before or behind it.
_GAP: Final = "\n\n"
# A text that begins with one of these was written by the client, whole.
_CLIENTS: Final = (
    "<session_context>",
    "This is the Gemini CLI. We are setting up the context for our chat.",
    "Here is the user's editor context as a JSON object.",
    "Here is a summary of changes in the user's editor context",
    "System: Please continue.",
    "System: Potential loop detected.",
    "clew: ",  # what our hook said at the end of a turn: the client records it as it records a prompt
)
_REFERENCED: Final = "\n--- Content from referenced files ---"
SNAPSHOT: Final = "<state_snapshot>"
_SNAPSHOT_END: Final = "</state_snapshot>"
# How the client's own request for a summary lets one begin.
_SNAPSHOT_LEADS: Final = (SNAPSHOT, "<scratchpad>")
_COMMAND: Final = re.compile(r"/[a-zA-Z][\w:.-]*(?:\s|$)")
_KINDS: Final = {"image": "[image]", "audio": "[audio]", "video": "[video]", "application": "[document]"}


def said(shown: Any, content: Any) -> PromptText:
    """What a user message says: `shown` is what was typed where the client keeps that apart, else `content` tells.

    Both are a string or parts. A message of nothing but tool results or hook texts says nothing (source "client").
    """
    text = without_hooks(text_of(shown).strip()) or without_hooks(text_of(content).strip())
    text = text.partition(_REFERENCED)[0].strip()
    if not text or text == "?" or text.startswith(_CLIENTS):
        return PromptText("client", "")
    if text.startswith(_SNAPSHOT_LEADS) and SNAPSHOT in text:
        return PromptText("summary", summarised(text))
    return PromptText("command" if _COMMAND.match(text) else "typed", text)


def summarised(text: str) -> str:
    """The summary in the message that the client begins a compacted context with: without its thoughts and tags."""
    inside = text.rpartition(SNAPSHOT)[2]  # the last one: the model may write a first one for itself
    return inside.partition(_SNAPSHOT_END)[0].strip()


def without_hooks(text: str) -> str:
    """`text` without what hooks put there."""
    return apart(text)[0]


def apart(text: str) -> tuple[str, list[str]]:
    """`text` without what hooks put before and behind it, to the letter; and those texts as the hooks gave them, for
    the client writes their `<` and `>` as entities. Within a text such a block is somebody's own words.
    """
    before: list[str] = []
    behind: list[str] = []
    while text.startswith(_HOOK) and (end := text.find(_HOOK_END)) >= 0:
        before.append(text[len(_HOOK) : end])
        text = text[end + len(_HOOK_END) :].removeprefix(_GAP)
    while text.endswith(_HOOK_END) and (start := text.rfind(_HOOK)) >= 0:
        behind.insert(0, text[start + len(_HOOK) : -len(_HOOK_END)])
        text = text[:start].removesuffix(_GAP)
    return text, [found.replace("&lt;", "<").replace("&gt;", ">") for found in (*before, *behind)]


def text_of(content: Any) -> str:
    """The words in a message's content (a string, or parts), without thoughts; pictures and the like as one word."""
    if isinstance(content, str):
        return content
    found: list[str] = []
    for part in parts_of(content):
        text = part.get("text")
        if isinstance(text, str):
            if not part.get("thought"):
                found.append(text)
        elif isinstance(data := part.get("inlineData") or part.get("fileData"), dict):
            found.append(_KINDS.get(str(data.get("mimeType")).partition("/")[0], "[file]"))
    return "\n".join(found)


def parts_of(content: Any) -> list[dict[str, Any]]:
    """The parts of a message's content, as objects."""
    if isinstance(content, str):
        return [{"text": content}]
    parts = content if isinstance(content, list) else [content]
    return [{"text": part} if isinstance(part, str) else part for part in parts if isinstance(part, str | dict)]


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
