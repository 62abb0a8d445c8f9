"""Reads a conversation that is a list of messages: in JSON, alone or under `messages`, or one message a line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from clew.clients import fields
from clew.clients.generic.chat.messages import is_told, records_of, role_of
from clew.clients.generic.document import elements_of, id_of, json_of, name_of, text_of
from clew.clients.generic.reading import DocumentReader
from clew.clients.generic.rendering import Entry
from clew.clients.lines import NotALine
from clew.core.records.transcript import Context, Model, Prompt, Reply, Result

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
