"""What stands in the context of a Claude Code session beside what happened. Sources: docs/clients/claude-code.md."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from clew.clients.claude_code.usage import CALLS, SIDECHAIN, SYNTHETIC
from clew.clients.fields import inner, rows, text
from clew.clients.lines import object_of
from clew.core.records.context_parts import ContextPart, PartSort

_REMINDER: Final = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)
_SKILL: Final = "Base directory for this skill:"
_NOTICE: Final = "<task-notification>"
_ECHO: Final = ("<local-command-", "<bash-stdout>", "<bash-stderr>", "Caveat: The messages below")
# They tell the client something, or are read as prompts.
_UNSEEN: Final = frozenset(("hook_system_message", "command_permissions", "queued_command", "hook_cancelled"))
_SORTS: Final[dict[str, tuple[PartSort, str]]] = {
    "skill_listing": ("skills", "list of skills"),
    "deferred_tools_delta": ("tools", "names of tools that can be loaded"),
    "mcp_instructions_delta": ("tools", "instructions of MCP servers"),
    "agent_listing_delta": ("tools", "list of agents"),
}


def context_parts(line: bytes, at: int) -> Iterable[ContextPart]:
    """See `clew.clients.port.ContextReader`."""
    fields = object_of(line)
    kind = fields.get("type")
    agent = text(fields, "agentId") or (SIDECHAIN if fields.get("isSidechain") is True else "")
    if kind == "attachment":
        return _attached(inner(fields, "attachment"), at, agent)
    if kind == "progress":
        data = inner(fields, "data")
        return _progress(inner(data, "message"), at, text(data, "agentId")) if "message" in data else ()
    message = inner(fields, "message")
    if kind == "assistant" and message.get("model") != SYNTHETIC:
        return _inputs(message, at, agent)
    if kind == "user" and fields.get("isCompactSummary") is not True:
        return _user(message.get("content"), at, agent, is_meta=fields.get("isMeta") is True)
    return ()


def _inputs(message: dict[str, Any], at: int, agent: str) -> Iterator[ContextPart]:
    for block in rows(message, "content"):
        if block.get("type") in CALLS:
            sent = json.dumps(block.get("input"), ensure_ascii=False)
            yield ContextPart(at, agent, "input", text(block, "id"), f"{text(block, 'name')} {sent}")


def _user(content: Any, at: int, agent: str, *, is_meta: bool) -> Iterator[ContextPart]:
    blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
    for block in blocks:
        if not isinstance(block, dict):
            continue
        if block.get("type") == "tool_result":
            yield from _result(text(block, "tool_use_id"), block.get("content"), at, agent)
        elif block.get("type") in ("image", "document"):
            yield ContextPart(at, agent, "image", str(block["type"]), "")
        else:
            yield from _said(text(block, "text"), at, agent, is_meta=is_meta)


def _said(words: str, at: int, agent: str, *, is_meta: bool) -> Iterator[ContextPart]:
    """What of a text on the user's side is not the user's."""
    start = words.lstrip()
    if start.startswith(_SKILL):
        yield ContextPart(at, agent, "skills", start.partition("\n")[0].rstrip("/").rpartition("/")[2], words)
    elif is_meta or start.startswith(_ECHO):
        yield ContextPart(at, agent, "client", "notes of the client", words)
    elif start.startswith(_NOTICE):
        if "<result>" not in words:  # that is the result of a call
            yield ContextPart(at, agent, "client", "notices of tasks", words)
    else:
        yield from _reminders(words, at, agent)


def _reminders(words: str, at: int, agent: str) -> Iterator[ContextPart]:
    if "<system-reminder>" in words:
        for found in _REMINDER.findall(words):
            yield ContextPart(at, agent, "client", "reminders", found)


def _result(call: str, content: Any, at: int, agent: str) -> Iterator[ContextPart]:
    pieces = content if isinstance(content, list) else [{"type": "text", "text": content}]
    told = [piece for piece in pieces if isinstance(piece, dict)]
    yield ContextPart(at, agent, "output", call, "\n".join(text(piece, "text") for piece in told))
    for piece in told:
        if piece.get("type") == "image":
            yield ContextPart(at, agent, "image", "image", "")
        elif piece.get("type") == "tool_reference":
            yield ContextPart(at, agent, "loaded", text(piece, "tool_name"), "")


def _attached(attachment: dict[str, Any], at: int, agent: str) -> Iterator[ContextPart]:
    kind = text(attachment, "type")
    if kind in ("hook_additional_context", "hook_success"):
        words = "\n".join(_strings(attachment.get("content")))
        if words.strip():
            yield ContextPart(at, agent, "hook", text(attachment, "hookName", "hookEvent") or "hook", words)
    elif kind in ("nested_memory", "memory"):
        inner_content = inner(attachment, "content")
        name = text(attachment, "path") or text(inner_content, "path")
        yield ContextPart(at, agent, "rules", name, "\n".join(_strings(attachment.get("content"))))
    elif kind in _SORTS:
        sort, name = _SORTS[kind]
        yield ContextPart(at, agent, sort, name, "\n".join(_strings(attachment)))
    elif kind not in _UNSEEN:
        yield ContextPart(at, agent, "client", kind.replace("_", " "), "\n".join(_strings(attachment)))


def _progress(noted: dict[str, Any], at: int, agent: str) -> Iterator[ContextPart]:
    """What older versions note of a sub-agent in the record of the session that began it."""
    message = inner(noted, "message")
    if noted.get("type") == "assistant":
        for block in rows(message, "content"):
            sent = text(block, "text", "thinking") or json.dumps(block.get("input"), ensure_ascii=False)
            yield ContextPart(at, agent, "made", text(block, "name"), sent)
    elif noted.get("type") == "user":
        yield ContextPart(at, agent, "got", "", "\n".join(_strings(message.get("content"))))


def _strings(value: Any) -> Iterator[str]:
    """The texts in a value, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from _strings(one)
