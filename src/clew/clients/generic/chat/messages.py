"""Messages as APIs write them (`{"role": …, "content": …}`) to records: text or blocks, tool calls in both manners."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from clew.clients import fields
from clew.clients.generic.calls import action
from clew.clients.generic.document import json_of
from clew.clients.generic.moments import moment_of
from clew.clients.generic.results import outcome
from clew.clients.lines import NotALine
from clew.core.records.transcript import Call, Prompt, Record, Reply, Result

_ROLES: Final = {
    **dict.fromkeys(("user", "human"), "user"),
    **dict.fromkeys(("assistant", "ai", "model"), "assistant"),
    **dict.fromkeys(("system", "developer"), "system"),
    **dict.fromkeys(("tool", "function"), "tool"),
}
_WORDS: Final = ("content", "parts", "text")
_TIMES: Final = ("timestamp", "created_at", "create_time", "createdAt", "time", "ts")
# What agents without tool calls put where the user's words stand: the output of a tool.
_PUT_THERE: Final = re.compile(r"<(?:returncode|output|observation|tool_response|tool_result|function_results)>")
_UNSPOKEN: Final = frozenset(("thinking", "redacted_thinking", "reasoning", "thought"))


def role_of(value: Any) -> str:
    """Who speaks in a message: "user", "assistant", "system" or "tool"; "" where it is none."""
    role = value.get("role") if isinstance(value, dict) else None
    return _ROLES.get(role.strip().lower(), "") if isinstance(role, str) else ""


def is_told(value: Any) -> bool:
    """Whether it is a message that has a place for words."""
    return bool(role_of(value)) and ("tool_calls" in value or any(name in value for name in _WORDS))


def records_of(number: int, value: Mapping[str, Any]) -> Iterator[Record]:
    """What the message `value` holds; it is the one of that number in its conversation. Nothing of the system's."""
    role, name = role_of(value), fields.text(value, "id", "uuid")
    time = next((found for word in _TIMES if (found := moment_of(value.get(word)))), "")
    blocks = [*_blocks(next((value[word] for word in _WORDS if value.get(word) not in (None, "")), None))]
    text = _said(blocks)
    for block in blocks:
        if block.get("type") == "tool_result":
            call = fields.text(block, "tool_use_id", "tool_call_id")
            yield _result(time, call, _said(_blocks(block.get("content"))), failed=block.get("is_error") is True)
    if role == "tool":
        yield _result(time, fields.text(value, "tool_call_id", "name"), text, failed=False)
    elif role == "user" and text and not _PUT_THERE.match(text):
        yield Prompt(0, time, "", text, "typed", name, "")
    elif role == "assistant":
        if text:
            yield Reply(0, time, "", text, name)
        for index, (call, tool, given) in enumerate(_calls(value, blocks)):
            yield Call(0, time, "", call or f"message {number}.{index}", tool, action(tool, given))


def _blocks(content: Any) -> Iterator[dict[str, Any]]:
    """What a message's content holds; a mere text as a block."""
    for one in content if isinstance(content, list) else [content]:
        if isinstance(one, str | dict):
            yield {"text": one} if isinstance(one, str) else one


def _said(blocks: Iterable[Mapping[str, Any]]) -> str:
    return "\n".join(filter(None, map(_words, blocks))).strip()


def _words(block: Mapping[str, Any]) -> str:
    """The words of a block; of a picture or a file that it is there."""
    kind = str(block.get("type", ""))  # any value can stand there
    if kind in _UNSPOKEN:
        return ""
    if "image" in kind or "file" in kind or "document" in kind:
        return f"[{' '.join(filter(None, (kind, fields.text(block, 'path', 'name', 'filename'))))}]"
    return fields.text(block, "text").strip()


def _result(time: str, call: str, text: str, *, failed: bool) -> Result:
    found = outcome(text)
    return Result(0, time, "", call, *(found._replace(outcome="error") if failed and found.outcome == "ok" else found))


def _calls(value: Mapping[str, Any], blocks: Iterable[Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """The tool calls of a message: the id ("" none), the tool's name, and what it was given."""
    told = value.get("tool_calls")
    found = [one for one in blocks if one.get("type") in ("tool_use", "function_call", "tool_call")]
    found += [one for one in (told if isinstance(told, list) else ()) if isinstance(one, dict)]
    for one in found:
        function = one.get("function")
        inner = function if isinstance(function, dict) else one
        if tool := fields.text(inner, "name", "tool"):
            yield fields.text(one, "id", "call_id"), tool, _given(inner)


def _given(call: Mapping[str, Any]) -> Mapping[str, Any]:
    """A tool's arguments, which are an object or the text of one."""
    given: Any = next((call[name] for name in ("arguments", "input", "args", "parameters") if name in call), {})
    if isinstance(given, str):
        try:
            given = json_of(given)
        except NotALine:
            return {"arguments": given}
    return given if isinstance(given, dict) else {}
