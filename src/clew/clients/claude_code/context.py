"""What a line of Claude Code holds beside records: what stands in the context of the session beside what happened, and
whole file contents that the line proves, for drift (a full read, a write, an edit with its original).

Only what the line itself proves is given. What is known about the fidelity of these texts, and what is not, is in
docs/clients/claude-code.md, "File contents".
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from clew.clients.claude_code.usage import CALLS, SIDECHAIN, SYNTHETIC
from clew.clients.fields import inner, rows, text
from clew.clients.lines import object_of
from clew.core.records.context_parts import ContextPart, PartSort
from clew.core.records.transcript import FileVersion

# Drift reads no file that is longer; a few short edits that each double the text would ask for terabytes.
_CONTENT_CHARS_MAX: Final = 16 << 20
# So much text is gone over for the edits of one line: a hundred in a file of 500 KB.
_SEARCHED_CHARS_MAX: Final = 48 << 20


def file_versions(line: dict[str, Any]) -> Iterator[FileVersion]:
    """Contents proved by a decoded line, in the order in which they held."""
    result = line.get("toolUseResult") or line.get("tool_use_result")
    if line.get("type") == "user" and isinstance(result, dict):
        yield from _of_result(result)
    attachment = line.get("attachment")
    if isinstance(attachment, dict) and attachment.get("type") == "file":
        content = attachment.get("content")
        if isinstance(content, dict):
            yield from _read(content)


def _of_result(result: dict[str, Any]) -> Iterator[FileVersion]:
    path = result.get("filePath")
    if not isinstance(path, str):
        yield from _read(result)
    elif isinstance(result.get("content"), str) and "structuredPatch" in result and "oldString" not in result:
        yield from _version(path, result["content"])
    elif "oldString" in result:
        yield from _version(path, _edited(result, [result]))
    elif isinstance(result.get("edits"), list):
        yield from _version(path, _multi_edited(result))


def _read(result: dict[str, Any]) -> Iterator[FileVersion]:
    """A read gives the file only if it began at line 1 and went to the last one."""
    file = result.get("file")
    if result.get("type") != "text" or not isinstance(file, dict):
        return
    path, content, lines = file.get("filePath"), file.get("content"), file.get("totalLines")
    if file.get("startLine") != 1 or not isinstance(lines, int) or file.get("numLines") != lines:
        return
    if isinstance(path, str) and isinstance(content, str) and content.count("\n") + 1 == lines:
        yield from _version(path, content)


def _multi_edited(result: dict[str, Any]) -> str | None:
    edits = [
        {
            "oldString": edit.get("old_string"),
            "newString": edit.get("new_string"),
            "replaceAll": edit.get("replace_all"),
        }
        for edit in result["edits"]
        if isinstance(edit, dict)
    ]
    original = "originalFileContents" if "originalFileContents" in result else "originalFile"
    return _edited({**result, "originalFile": result.get(original)}, edits)


def _edited(result: dict[str, Any], edits: list[dict[str, Any]]) -> str | None:
    """The original with its replacements made, or None where it is not certain what the client wrote or too dear.

    `userModified` means that the user changed the edit before accepting it: the strings are then not what was written.
    """
    if result.get("userModified"):
        return None
    text = result.get("originalFile")
    if text is None and edits and edits[0].get("oldString") == "":
        text = ""  # an edit of nothing makes the file
    searched = 0
    for edit in edits:
        old, new = edit.get("oldString"), edit.get("newString")
        if not (isinstance(text, str) and isinstance(old, str) and isinstance(new, str)):
            return None
        searched += len(text)
        if searched > _SEARCHED_CHARS_MAX:
            return None
        text = _replaced(text, old, new, everywhere=bool(edit.get("replaceAll")))
    return text if isinstance(text, str) else None


def _replaced(text: str, old: str, new: str, *, everywhere: bool) -> str | None:
    if old == "":
        return new if text == "" else None
    count = text.count(old)
    if count == 0 or (count > 1 and not everywhere):
        return None
    return text.replace(old, new) if len(text) + count * (len(new) - len(old)) <= _CONTENT_CHARS_MAX else None


def _version(path: str, content: str | None) -> Iterator[FileVersion]:
    if content is not None and path:
        yield FileVersion(path, content.encode("utf-8", "replace"))


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
