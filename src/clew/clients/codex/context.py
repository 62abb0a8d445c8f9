"""What stands in the context of a Codex session beside what happened. Sources: docs/clients/codex.md."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from clew.clients.fields import inner, rows, text
from clew.clients.lines import object_of
from clew.core.records.context_parts import ContextPart, PartSort

_CALLS: Final = frozenset(("function_call", "custom_tool_call", "local_shell_call"))
_RULES: Final = re.compile(r"# AGENTS\.md instructions(?: for (?P<place>\S+))?|<user_instructions>")
_TAG: Final = re.compile(r"<([a-z_]+)")
_SORTS: Final[dict[str, PartSort]] = {"skills_instructions": "skills", "plugins_instructions": "skills"}
_HOOKS: Final = "hooks.additional_context"


def context_parts(line: bytes, at: int) -> Iterable[ContextPart]:
    """See `clew.clients.port.ContextReader`."""
    fields = object_of(line)
    kind, payload = fields.get("type"), inner(fields, "payload")
    if kind == "session_meta" and not at:
        return _begun(payload)
    if kind == "compacted":
        return _kept(payload, at)
    if kind != "response_item":
        return ()
    if payload.get("type") in _CALLS:
        sent = text(payload, "arguments", "input") or json.dumps(payload.get("action"), ensure_ascii=False)
        name = text(payload, "call_id", "id")
        return (ContextPart(at, "", "input", name, f"{text(payload, 'name')} {sent}"),)
    if payload.get("type") == "message" and payload.get("role") in ("developer", "user"):
        return _message(payload, at)
    if payload.get("type") in ("function_call_output", "custom_tool_call_output"):
        return _output(payload, at)
    return ()


def _begun(payload: dict[str, Any]) -> Iterator[ContextPart]:
    told = text(inner(payload, "base_instructions"), "text") or text(payload, "instructions")
    if told:
        yield ContextPart(0, "", "system", "instructions of the client", told)
    if tools := payload.get("dynamic_tools"):
        yield ContextPart(0, "", "tools", "tools of the app", json.dumps(tools, ensure_ascii=False))


def _message(payload: dict[str, Any], at: int) -> Iterator[ContextPart]:
    """Texts of the client; what the user typed is a prompt already."""
    kinds = inner(payload, "internal_chat_message_metadata_passthrough").get("content_item_kinds")
    for number, piece in enumerate(rows(payload, "content")):
        words = text(piece, "text")
        tag = _TAG.match(words.lstrip())
        kind = kinds[number] if isinstance(kinds, list) and number < len(kinds) else ""
        if kind == _HOOKS:
            yield ContextPart(at, "", "hook", "hook", words)
        elif (rules := _RULES.match(words.lstrip())) is not None:
            yield ContextPart(at, "", "rules", rules["place"] or "AGENTS.md", words)
        elif tag is not None:
            name = tag[1].replace("_", " ")
            yield ContextPart(at, "", _SORTS.get(tag[1], "client"), name, words)
        elif payload.get("role") == "developer":
            yield ContextPart(at, "", "client", "notes of the client", words)
    yield from _pictures(payload, "content", at)


def _output(payload: dict[str, Any], at: int) -> Iterator[ContextPart]:
    output = payload.get("output")
    pieces = rows(payload, "output")
    words = output if isinstance(output, str) else "\n".join(text(piece, "text") for piece in pieces)
    yield ContextPart(at, "", "output", text(payload, "call_id"), words)
    yield from _pictures(payload, "output", at)


def _pictures(payload: dict[str, Any], name: str, at: int) -> Iterator[ContextPart]:
    for piece in rows(payload, name):
        if "image" in text(piece, "type"):
            yield ContextPart(at, "", "image", "image", "")


def _kept(payload: dict[str, Any], at: int) -> Iterator[ContextPart]:
    """What the history begins with behind a compaction. The summary that can be read is a record."""
    summary = text(payload, "message").strip()
    for item in rows(payload, "replacement_history"):
        if item.get("type") == "message":
            words = "\n".join(text(piece, "text") for piece in rows(item, "content"))
            if words and not (summary and summary in words):
                yield ContextPart(at, "", "kept", "what a compaction kept", words)
        elif text(item, "encrypted_content"):
            yield ContextPart(at, "", "summary", "summary that only the client can read", "")
