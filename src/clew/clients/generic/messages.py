"""Messages as APIs and exports write them (`{"role": …, "content": …}` and its kin), in one form.

Names of members differ by vendor and agree in what they mean; what is none of the known ones is passed over.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, Final

from clew.clients.generic.document import json_of
from clew.clients.generic.moments import moment_of
from clew.clients.lines import NotALine
from clew.core.tuples import NamedTuple

_ROLES: Final = {
    **dict.fromkeys(("user", "human", "you", "prompter"), "user"),
    **dict.fromkeys(("assistant", "ai", "bot", "model", "gpt", "chatgpt", "claude", "gemini", "agent"), "assistant"),
    **dict.fromkeys(("system", "developer"), "system"),
    **dict.fromkeys(("tool", "function", "tool_result"), "tool"),
}
_SPEAKERS: Final = ("role", "sender", "from", "author")
_WORDS: Final = ("content", "parts", "text", "message", "value")
_TIMES: Final = ("timestamp", "created_at", "create_time", "createdAt", "time", "ts")
_ID: Final = re.compile(r"[\w.:@-]{1,120}", re.ASCII)
_UNSPOKEN: Final = frozenset(
    ("thinking", "redacted_thinking", "reasoning", "thought", "thoughts", "model_editable_context")
)


class Used(NamedTuple):
    """A tool call: its id ("" none), the tool's name, and what it was given."""

    id: str
    tool: str
    given: Mapping[str, Any]


class Gave(NamedTuple):
    """What a tool call gave back: the call's id, its text, and whether it failed where the message says so."""

    call: str
    text: str
    failed: bool | None


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
    if not isinstance(value, dict):
        return ""
    for name in _SPEAKERS:
        speaker = value.get(name)
        speaker = speaker.get("role") if isinstance(speaker, dict) else speaker
        if isinstance(speaker, str):
            return _ROLES.get(speaker.strip().lower(), "")
    return ""


def message_of(value: Any) -> Message | None:
    """`value` as a message; None if it is none."""
    role = role_of(value)
    if not role:
        return None
    texts: list[str] = []
    used: list[Used] = []
    gave: list[Gave] = []
    told = next((name for name in _WORDS if value.get(name) not in (None, "")), "")
    _take(value.get(told), texts, used, gave)
    for call in _list(value.get("tool_calls")):
        used += _called(call)
    text = "\n".join(filter(None, texts)).strip()
    if role == "tool":
        gave.append(Gave(_text(value, "tool_call_id", "name"), text, None))
        text = ""
    model = value.get("model")
    metadata = value.get("metadata")
    if not isinstance(model, str):
        model = metadata.get("model_slug") if isinstance(metadata, dict) else ""
    time = next((found for name in _TIMES if (found := moment_of(value.get(name)))), "")
    return Message(
        role, text, time, model if isinstance(model, str) else "", _text(value, "id", "uuid"), tuple(used), tuple(gave),
        any(name in value for name in _WORDS) or "tool_calls" in value,
    )  # fmt: skip


def name_of(messages: Sequence[Message]) -> str:
    """An id for a conversation that has none: by how it began, which stays when it goes on."""
    begun = [message for message in messages if message.role in ("user", "assistant") and message.text][:2]
    told = "\0".join(f"{message.time}\0{message.text}" for message in begun)
    return blake2b(told.encode("utf-8", "replace"), digest_size=10).hexdigest()


def id_of(value: Any) -> str:
    """`value` if it can be the id of a session: one that can be typed and shown. Else ""."""
    return value if isinstance(value, str) and _ID.fullmatch(value) else ""


def given_of(arguments: Any) -> Mapping[str, Any]:
    """A tool's arguments, which are an object or the text of one."""
    if isinstance(arguments, str):
        try:
            arguments = json_of(arguments)
        except NotALine:
            return {"arguments": arguments}
    return arguments if isinstance(arguments, dict) else {}


def _take(content: Any, texts: list[str], used: list[Used], gave: list[Gave]) -> None:
    """Take what a message's content holds: a text, blocks, or an object around them."""
    if isinstance(content, str):
        texts.append(content.strip())
    elif isinstance(content, dict):
        _take_block(content, texts, used, gave)
    elif isinstance(content, list):
        for block in content:
            if isinstance(block, str):
                texts.append(block.strip())
            elif isinstance(block, dict):
                _take_block(block, texts, used, gave)


def _take_block(block: dict[str, Any], texts: list[str], used: list[Used], gave: list[Gave]) -> None:
    kind = str(block.get("type", block.get("content_type", "")))  # any value can stand there
    if kind in _UNSPOKEN or block.get("thought") is True:
        return
    if kind in ("tool_use", "function_call", "tool_call") or "functionCall" in block:
        used += _called(block.get("functionCall", block))
    elif kind == "tool_result" or "functionResponse" in block:
        inner: list[str] = []
        _take(block.get("content", block.get("functionResponse")), inner, [], [])
        failed = block.get("is_error")
        call = _text(block, "tool_use_id", "tool_call_id")
        gave.append(Gave(call, "\n".join(inner), failed if isinstance(failed, bool) else None))
    elif isinstance(block.get("text"), str):
        texts.append(block["text"].strip())
    elif isinstance(block.get("parts"), list):
        _take(block["parts"], texts, used, gave)
    elif isinstance(kind, str) and ("image" in kind or "file" in kind or "document" in kind):
        named = _text(block, "path", "name", "filename", "file_name")
        texts.append(f"[{kind} {named}]" if named else f"[{kind}]")
    elif isinstance(block.get("content"), (str, list)):
        _take(block["content"], texts, used, gave)


def _called(call: Any) -> Iterable[Used]:
    if not isinstance(call, dict):
        return
    function = call.get("function")
    inner = function if isinstance(function, dict) else call
    given: Any = next((inner[name] for name in ("arguments", "input", "args", "parameters") if name in inner), {})
    name = _text(inner, "name", "tool")
    if name:
        yield Used(_text(call, "id", "call_id"), name, given_of(given))


def _text(value: Mapping[str, Any], *names: str) -> str:
    return next((found for name in names if isinstance(found := value.get(name), str) and found), "")


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
