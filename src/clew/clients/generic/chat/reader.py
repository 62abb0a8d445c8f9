"""Reads a conversation that is a list of messages: in JSON, alone or under `messages`, or one message a line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from clew.clients import fields
from clew.clients.generic.reading import (
    DocumentReader,
    Entry,
    action,
    elements_of,
    id_of,
    json_of,
    moment_of,
    name_of,
    outcome,
    text_of,
)
from clew.clients.lines import NotALine
from clew.core.records.transcript import Call, Context, Model, Prompt, Record, Reply, Result

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
    return (found._replace(outcome="error") if failed and found.outcome == "ok" else found).record(0, time, "", call)


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


# What people and agents keep of a task, with a history beside it: then that is not all, and it is a document.
_STATE: Final = frozenset(
    "goal goals objective objectives decision decisions constraint constraints next nextaction nextstep nextsteps todo "
    "todos failed failedapproaches rejected blocker blockers openquestions findings learnings remaining".split()
)
_NAMES: Final = ("id", "conversation_id", "uuid", "session_id", "sessionId")
_LINES_LOOKED_AT: Final = 20
_MESSAGES: Final = re.compile(r'"messages"\s*:\s*\[')


class ChatReader(DocumentReader):
    """Implements `clew.clients.port.Reader`."""

    name = "chat"

    def recognises(self, head: bytes) -> bool:
        text = text_of(head).strip()
        if not text.startswith(("{", "[")):
            return False
        value, is_whole = _beginning(text)
        return not _is_state(value) and _is_conversation(_messages(value), is_whole=is_whole)

    def entries(self, data: bytes, path: Path) -> Iterator[Entry]:  # noqa: ARG002
        text = text_of(data)
        try:
            value = json_of(text)
        except NotALine:
            value = _values(text.split("\n"))
        messages = [(number, one) for number, one in enumerate(_messages(value), 1) if role_of(one)]
        if not messages:
            raise OSError(0, "it holds no messages")
        told = [(number, one, list(records_of(number, one))) for number, one in messages]
        own = value if isinstance(value, dict) else {}
        said = (
            (record.time, record.text) for *_, found in told for record in found if isinstance(record, Prompt | Reply)
        )
        session = next((name for key in _NAMES if (name := id_of(own.get(key)))), "") or name_of(said)
        model = ""
        for number, one, found in told:
            named = fields.text(one, "model") if role_of(one) == "assistant" else ""
            if named not in ("", model):
                model = named
                yield number, [Model(0, found[0].time if found else "", "", model)]
            is_users = role_of(one) == "user" or any(isinstance(record, Result) for record in found)
            yield number, [Context(0, found[0].time, "", session, "", "", ""), *found] if is_users and found else found


READER: Final = ChatReader()


def _beginning(text: str) -> tuple[Any, bool]:
    """What the beginning of a document holds, as far as it is whole, and whether that is a value or lines of them; else
    it is the first part of a list of messages, or of an object with one.
    """
    rows = [row for row in text.split("\n", _LINES_LOOKED_AT)[:_LINES_LOOKED_AT] if row.strip()]
    try:
        return json_of(text), True
    except NotALine:
        values = _values(rows)
    if values and len(values) >= len(rows) - 1:
        return values, True
    listed = _MESSAGES.search(text)
    if text.startswith("[") or not listed:
        return elements_of(text, 1), False
    try:
        before = json_of(f"{text[: listed.start()].rstrip().removesuffix(',')}}}")
    except NotALine:
        return None, False
    return {**before, "messages": elements_of(text, listed.end())}, False


def _values(lines: list[str]) -> list[Any]:
    """What stands in the lines. One that is torn or damaged is passed over: the others still tell something."""
    found = []
    for line in lines:
        with suppress(NotALine):
            found.append(json_of(line))
    return found


def _messages(value: Any) -> list[Any]:
    """The messages of a conversation; none if it is something else."""
    found = value.get("messages") if isinstance(value, dict) else value
    return found if isinstance(found, list) and found and role_of(found[0]) else []


def _is_state(value: Any) -> bool:
    """Whether it is an object that says where a task stands."""
    if not isinstance(value, dict):
        return False
    told = (one for name, one in value.items() if name.lower().replace("_", "").replace("-", "") in _STATE)
    # A service's list of messages can have a member `next`: a name without a space.
    return any(" " in one if isinstance(one, str) else isinstance(one, (list, dict)) and one for one in told)


def _is_conversation(values: list[Any], *, is_whole: bool) -> bool:
    """Whether the values are messages, of the user's and of the assistant's; of a beginning it may be one alone."""
    roles = {role_of(one) for one in values if is_told(one)}
    if not values or not all(map(is_told, values)):
        return False
    return {"user", "assistant"} <= roles or not is_whole
