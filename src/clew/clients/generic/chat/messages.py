"""Messages as APIs write them (`{"role": …, "content": …}`): text or blocks, and tool calls in both usual manners."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from clew.clients.generic.document import json_of
from clew.clients.generic.moments import moment_of
from clew.clients.lines import NotALine
from clew.core.tuples import NamedTuple

_ROLES: Final = {
    **dict.fromkeys(("user", "human"), "user"),
    **dict.fromkeys(("assistant", "ai", "model"), "assistant"),
    **dict.fromkeys(("system", "developer"), "system"),
    **dict.fromkeys(("tool", "function"), "tool"),
}
_WORDS: Final = ("content", "parts", "text")
_TIMES: Final = ("timestamp", "created_at", "create_time", "createdAt", "time", "ts")
_UNSPOKEN: Final = frozenset(("thinking", "redacted_thinking", "reasoning", "thought"))


class Used(NamedTuple):
    """A tool call: its id ("" none), the tool's name, and what it was given."""

    id: str
    tool: str
    given: Mapping[str, Any]


class Gave(NamedTuple):
    """What a tool call gave back: the call's id, its text, and whether it failed where the message says so."""

    call: str
    text: str
    failed: bool


class Message(NamedTuple):
    """One message. `role`: "user", "assistant", "system" or "tool". `is_told`: it has a place for words."""

    role: str
    text: str
    time: str
    model: str
    id: str
    used: tuple[Used, ...]
    gave: tuple[Gave, ...]
    is_told: bool


def role_of(value: Any) -> str:
    """Who speaks in a message, "" where it is none."""
    role = value.get("role") if isinstance(value, dict) else None
    return _ROLES.get(role.strip().lower(), "") if isinstance(role, str) else ""


def message_of(value: Any) -> Message | None:
    """`value` as a message; None if it is none."""
    role = role_of(value)
    if not role:
        return None
    found: list[str | Used | Gave] = list(
        _pieces(next((value[name] for name in _WORDS if value.get(name) not in (None, "")), None))
    )
    calls = value.get("tool_calls")
    found += [made for call in (calls if isinstance(calls, list) else ()) if (made := _used(call))]
    text = "\n".join(one for one in found if isinstance(one, str) and one).strip()
    gave = [one for one in found if isinstance(one, Gave)]
    if role == "tool":
        gave, text = [*gave, Gave(text_at(value, "tool_call_id", "name"), text, False)], ""
    time = next((time for name in _TIMES if (time := moment_of(value.get(name)))), "")
    used = tuple(one for one in found if isinstance(one, Used))
    is_told = "tool_calls" in value or any(name in value for name in _WORDS)
    return Message(role, text, time, text_at(value, "model"), text_at(value, "id", "uuid"), used, tuple(gave), is_told)


def text_at(value: Mapping[str, Any], *names: str) -> str:
    """The first of the members that is a text, "" none."""
    return next((found for name in names if isinstance(found := value.get(name), str) and found), "")


def _pieces(content: Any) -> Iterator[str | Used | Gave]:
    """What a message's content holds: a text, or blocks."""
    for block in content if isinstance(content, list) else [content]:
        if isinstance(block, str):
            yield block.strip()
        elif isinstance(block, dict):
            yield from _block(block)


def _block(block: dict[str, Any]) -> Iterator[str | Used | Gave]:
    kind = str(block.get("type", ""))  # any value can stand there
    if kind in _UNSPOKEN:
        return
    if kind in ("tool_use", "function_call", "tool_call"):
        if used := _used(block):
            yield used
    elif kind == "tool_result":
        inner = "\n".join(one for one in _pieces(block.get("content")) if isinstance(one, str))
        yield Gave(text_at(block, "tool_use_id", "tool_call_id"), inner, block.get("is_error") is True)
    elif isinstance(block.get("text"), str):
        yield block["text"].strip()
    elif "image" in kind or "file" in kind or "document" in kind:
        yield f"[{kind} {text_at(block, 'path', 'name', 'filename')}]".replace(" ]", "]")


def _used(call: Any) -> Used | None:
    if not isinstance(call, dict):
        return None
    function = call.get("function")
    inner = function if isinstance(function, dict) else call
    given: Any = next((inner[name] for name in ("arguments", "input", "args", "parameters") if name in inner), {})
    if isinstance(given, str):
        try:
            given = json_of(given)
        except NotALine:
            given = {"arguments": given}
    name = text_at(inner, "name", "tool")
    return Used(text_at(call, "id", "call_id"), name, given if isinstance(given, dict) else {}) if name else None
