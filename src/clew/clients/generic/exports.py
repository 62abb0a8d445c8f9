"""Conversations that chats and APIs write as JSON: ChatGPT, Claude, Grok, AI Studio, lists of messages.

One document can hold many conversations; each is then a session of its own, `FILE/ID`.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from clew.clients.generic.calls import action
from clew.clients.generic.document import beginning_of, json_of
from clew.clients.generic.messages import Message, id_of, message_of, name_of, role_of
from clew.clients.generic.rendering import Entry
from clew.clients.generic.results import outcome
from clew.clients.lines import NotALine
from clew.core.records import Call, Context, Model, Prompt, Record, Reply, Result

_LISTS: Final = (
    *("messages", "chat_messages", "responses", "contents", "conversations", "conversation", "history", "turns"),
    *("chunks", "chunkedPrompt"),
)
# Nothing but a chat's export has these.
_OWN: Final = ("mapping", "chat_messages", "chunkedPrompt")
# What people and agents keep of a task, with a history beside it: then that is not all, and it is a document.
_STATE: Final = frozenset(
    "goal goals objective objectives decision decisions constraint constraints next nextaction nextstep nextsteps todo "
    "todos failed failedapproaches rejected blocker blockers openquestions findings learnings remaining".split()
)
_NAMES: Final = ("id", "conversation_id", "uuid", "session_id", "sessionId")
_LINES_LOOKED_AT: Final = 20
_NAMES_SHOWN: Final = 8


def recognises(text: str) -> bool:
    """Whether a document that begins with `text` is a conversation, or several."""
    value, is_whole = beginning_of(text)
    if value is None:
        return _are_lines(text)
    if _is_state(value):
        return False
    several = _several(value)
    if several:
        return _is_conversation(several[0], is_whole=is_whole or len(several) > 1)
    return _is_conversation(value, is_whole=is_whole)


def entries(text: str, path: Path) -> Iterator[Entry]:
    """What stands in the conversation at the address `path`. Raises `OSError` if the document holds others, or none."""
    conversation = _named(_conversations(text), path)
    messages = [
        (number, found) for number, one in enumerate(_messages(conversation) or (), 1) if (found := message_of(one))
    ]
    if not messages:
        raise OSError(0, "it holds no messages")
    session = _name(conversation) or name_of([message for _, message in messages])
    model = ""
    for number, message in messages:
        records: list[Record] = []
        if message.role == "assistant" and message.model not in ("", model):
            model = message.model
            records.append(Model(0, message.time, "", model))
        yield number, records + list(_records(number, message, session))


def _records(number: int, message: Message, session: str) -> Iterator[Record]:
    time = message.time
    if message.role == "user" or message.gave:
        yield Context(0, time, "", session, "", "", "")
    for gave in message.gave:
        found = outcome(gave.text)
        kind = "error" if gave.failed and found.outcome == "ok" else found.outcome
        yield Result(0, time, "", gave.call, *found._replace(outcome=kind))
    if message.role == "user" and message.text:
        yield Prompt(0, time, "", message.text, "typed", message.id, "")
    elif message.role == "assistant":
        if message.text:
            yield Reply(0, time, "", message.text, message.id)
        for index, used in enumerate(message.used):
            yield Call(0, time, "", used.id or f"message {number}.{index}", used.tool, action(used.tool, used.given))


def _conversations(text: str) -> list[Any]:
    try:
        value = json_of(text)
    except NotALine:
        value = [json_of(line) for line in _whole_lines(text)]
    return list(_several(value)) or [value]


def _whole_lines(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        if line.strip():
            try:
                json_of(line)
            except NotALine:  # torn, or damaged: the others still tell something
                continue
            yield line


def _named(conversations: list[Any], path: Path) -> Any:
    """The conversation that the address names, or the only one."""
    if path.parent.is_file():
        wanted = path.name.lower()
        found = [one for one in conversations if wanted and _name(one).lower().startswith(wanted)]
        exact = [one for one in found if _name(one).lower() == wanted]
        if len(exact or found) == 1:
            return (exact or found)[0]
        raise OSError(errno.ENOENT, f"it holds {'several conversations' if found else 'no conversation'} of that id")
    if len(conversations) > 1:
        shown = ", ".join(f"{path.name}/{_name(one)}" for one in conversations[:_NAMES_SHOWN])
        more = ", …" if len(conversations) > _NAMES_SHOWN else ""
        raise OSError(errno.EINVAL, f"it holds {len(conversations)} conversations; name one: {shown}{more}")
    return conversations[0]


def _are_lines(text: str) -> bool:
    """Whether every line is a message."""
    lines = text.split("\n")
    is_whole = len(lines) <= _LINES_LOOKED_AT
    messages: list[Message | None] = []
    for line in lines[: _LINES_LOOKED_AT if not is_whole else None]:
        if line.strip():
            try:
                messages.append(message_of(json_of(line)))
            except NotALine:
                if line is not lines[-1]:
                    return False
    roles = {message.role for message in messages if message is not None and message.is_told}
    return len(messages) > 1 and None not in messages and {"user", "assistant"} <= roles


def _is_state(value: Any) -> bool:
    """Whether it is an object that says where a task stands."""
    if not isinstance(value, dict) or any(name in value for name in _OWN):
        return False
    told = (one for name, one in value.items() if name.lower().replace("_", "").replace("-", "") in _STATE)
    # A service's list of messages can have a member `next`: a name without a space.
    return any(" " in one if isinstance(one, str) else isinstance(one, (list, dict)) and one for one in told)


def _is_conversation(value: Any, *, is_whole: bool) -> bool:
    found = _messages(value)
    if not found:
        return False
    messages = [message_of(one) for one in found]
    known = [one for one in messages[: None if is_whole else -1] if one is not None and one.is_told]
    roles = {one.role for one in known}
    if isinstance(value, dict) and any(name in value for name in _OWN):
        return bool(roles & {"user", "assistant"}) or not is_whole
    if len(known) < len(messages) - (not is_whole):
        return False
    return {"user", "assistant"} <= roles or (not is_whole and messages[0] is not None and len(messages) > 0)


def _several(value: Any) -> Sequence[Any]:
    """The conversations of a document that is a list of them."""
    if isinstance(value, dict):
        inner = value.get("conversations")
        value = inner if isinstance(inner, list) and _messages(value) is None else None
    if isinstance(value, list) and value and not role_of(value[0]) and _messages(value[0]) is not None:
        return [one for one in value if _messages(one)]
    return ()


def _messages(value: Any) -> list[Any] | None:
    """The messages of a conversation, in the order in which they were said; None if it is none."""
    if isinstance(value, list):
        return value if value and role_of(value[0]) else None
    if not isinstance(value, dict):
        return None
    mapping = value.get("mapping")
    if isinstance(mapping, dict):
        return _way(mapping, value.get("current_node"))
    for name in _LISTS:
        inner = value.get(name)
        inner = inner.get("chunks") if isinstance(inner, dict) else inner
        if isinstance(inner, list) and inner and role_of(inner[0]):
            return inner
    return None


def _way(mapping: Mapping[str, Any], current: Any) -> list[Any]:
    """Of a conversation that was asked again in places, the way to where it stands."""
    node = mapping.get(current) if isinstance(current, str) else None
    if node is None:  # torn, or nobody says: the last that was written
        node = next((one for one in reversed(list(mapping.values())) if isinstance(one, dict)), None)
    found: list[Any] = []
    seen: set[int] = set()
    while isinstance(node, dict) and id(node) not in seen:
        seen.add(id(node))
        message = node.get("message")
        if isinstance(message, dict) and not _is_hidden(message):
            found.append(message)
        parent = node.get("parent")
        node = mapping.get(parent) if isinstance(parent, str) else None
    return found[::-1]


def _is_hidden(message: Mapping[str, Any]) -> bool:
    metadata = message.get("metadata")
    return isinstance(metadata, dict) and metadata.get("is_visually_hidden_from_conversation") is True


def _name(conversation: Any) -> str:
    if not isinstance(conversation, dict):
        return ""
    inner = conversation.get("conversation")  # Grok has what is said of a conversation in an object of its own
    for told in (conversation, inner if isinstance(inner, dict) else {}):
        for name in _NAMES:
            if found := id_of(told.get(name)):
                return found
    return ""
