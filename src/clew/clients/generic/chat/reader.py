"""Reads a conversation that is a list of messages: in JSON, alone or under `messages`, or one message a line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from clew.clients.generic.calls import action
from clew.clients.generic.chat.messages import Message, message_of, role_of
from clew.clients.generic.document import beginning_of, id_of, json_of, name_of, text_of
from clew.clients.generic.reading import DocumentReader
from clew.clients.generic.rendering import Entry
from clew.clients.generic.results import outcome
from clew.clients.lines import NotALine
from clew.core.records import Call, Context, Model, Prompt, Record, Reply, Result

# What people and agents keep of a task, with a history beside it: then that is not all, and it is a document.
_STATE: Final = frozenset(
    "goal goals objective objectives decision decisions constraint constraints next nextaction nextstep nextsteps todo "
    "todos failed failedapproaches rejected blocker blockers openquestions findings learnings remaining".split()
)
_NAMES: Final = ("id", "conversation_id", "uuid", "session_id", "sessionId")
_LINES_LOOKED_AT: Final = 20


class ChatReader(DocumentReader):
    """Implements `clew.clients.port.Reader`."""

    name = "chat"

    def recognises(self, head: bytes) -> bool:
        text = text_of(head).lstrip()
        if not text.startswith(("{", "[")):
            return False
        value, is_whole = beginning_of(text)
        if value is None:
            lines = text.split("\n")
            is_whole = len(lines) <= _LINES_LOOKED_AT
            value = list(_values(lines[:_LINES_LOOKED_AT]))
            if len(value) < sum(map(bool, lines[:_LINES_LOOKED_AT][:-1])):
                return False
        return not _is_state(value) and _is_conversation(_messages(value), is_whole=is_whole)

    def entries(self, data: bytes, path: Path) -> Iterator[Entry]:  # noqa: ARG002
        text = text_of(data)
        try:
            value = json_of(text)
        except NotALine:
            value = list(_values(text.split("\n")))
        found = enumerate(_messages(value), 1)
        messages = [(number, message) for number, one in found if (message := message_of(one))]
        if not messages:
            raise OSError(0, "it holds no messages")
        own = value if isinstance(value, dict) else {}
        session = next((name for key in _NAMES if (name := id_of(own.get(key)))), "")
        session = session or name_of((one.time, one.text) for _, one in messages if one.role in ("user", "assistant"))
        model = ""
        for number, message in messages:
            if message.role == "assistant" and message.model not in ("", model):
                model = message.model
                yield number, [Model(0, message.time, "", model)]
            yield number, list(_records(number, message, session))


READER: Final = ChatReader()


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


def _values(lines: list[str]) -> Iterator[Any]:
    """What stands in the lines. One that is torn or damaged is passed over: the others still tell something."""
    for line in lines:
        try:
            yield json_of(line)
        except NotALine:
            continue


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
    """Whether the values are messages, of the user's and of the assistant's. Of a beginning the last one may be cut."""
    messages = [message_of(one) for one in values]
    told = {one.role for one in messages if one is not None and one.is_told}
    if not messages or not all(one is not None and one.is_told for one in (messages if is_whole else messages[:-1])):
        return False
    return {"user", "assistant"} <= told or (not is_whole and messages[0] is not None)
