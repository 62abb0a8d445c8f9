"""Sessions of Codex and Gemini CLI read plainly, for the baselines that a payload has to beat.

Deliberately not clew's own reading: a baseline must not move when a reader does, and a key has to be checked before
the reader it judges. Only what the baselines ask for is read: words of both sides, calls, summaries. Sources of the
formats: recorded sessions of both clients.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from clew.core.records.transcript import Action, Call, Edit, Other, Prompt, Read, Record, Reply, Run, Search, Summary

_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)


def reading_of(document: Any) -> Callable[[Iterable[Any]], list[Record]] | None:
    """How to read a session, from its first JSON document; None where it is of neither client."""
    if not isinstance(document, dict):
        return None
    if isinstance(document.get("messages"), list) and "sessionId" in document:
        return gemini
    return codex if document.get("type") == "session_meta" else None


def codex(lines: Iterable[Any]) -> list[Record]:
    """Records of a rollout. Messages are taken from its events: the response items hold each of them again."""
    return [record for at, line in enumerate(lines) for record in _codex(at, line)]


def _codex(at: int, line: Any) -> Iterator[Record]:
    payload = line.get("payload") if isinstance(line, dict) else None
    if not isinstance(payload, dict):
        return
    match (line.get("type"), payload.get("type")):
        case ("event_msg", "user_message"):
            yield Prompt(at, "", "", str(payload.get("message", "")), "typed", "", "")
        case ("event_msg", "agent_message"):
            yield Reply(at, "", "", str(payload.get("message", "")), "")
        case ("event_msg", "item_completed") if isinstance(payload.get("item"), dict):
            yield from _codex_item(at, payload["item"])
        case ("response_item", "function_call" | "custom_tool_call"):
            given = payload.get("arguments", payload.get("input"))
            for action in _codex_actions(given):
                yield Call(at, "", "", str(payload.get("call_id", "")), str(payload.get("name", "")), action)
        case ("compacted", _) if payload.get("message"):
            yield Summary(at, "", "", str(payload["message"]))


def _codex_item(at: int, item: dict[str, Any]) -> Iterator[Record]:
    """What newer versions write instead of the events above, and of scripts what they called."""
    content = item.get("content")
    text = "\n".join(str(part.get("text", "")) for part in content) if isinstance(content, list) else ""
    name = str(item.get("id", ""))
    match item.get("type"):
        case "UserMessage":
            yield Prompt(at, "", "", text, "typed", "", "")
        case "AgentMessage":
            yield Reply(at, "", "", text, "")
        case "CommandExecution" if name.startswith("exec-"):
            yield Call(at, "", "", name, "exec_command", Run(str(item["command"][-1])))
        case "FileChange" if name.startswith("exec-"):
            for path in item["changes"]:
                yield Call(at, "", "", name, "apply_patch", Edit(path, "", ""))


def _codex_actions(given: Any) -> list[Action]:
    text = str(given or "")
    patched: list[Action] = [Edit(path.strip(), "", "") for path in _PATCHED.findall(text)]
    if patched:
        return patched
    try:
        arguments = json.loads(text)
    except ValueError:
        return [Other(text)]
    command = arguments.get("cmd", arguments.get("command")) if isinstance(arguments, dict) else None
    if command is None:
        return [Other(text)]
    return [Run(" ".join(map(str, command)) if isinstance(command, list) else str(command))]


def gemini(documents: Iterable[Any]) -> list[Record]:
    """Records of a session that is one JSON object with its messages in order. Thoughts are left out."""
    messages = [message for document in documents for message in document["messages"] if isinstance(message, dict)]
    return [record for at, message in enumerate(messages) for record in _gemini(at, message)]


def _gemini(at: int, message: dict[str, Any]) -> Iterator[Record]:
    text = str(message.get("content") or "")
    if message.get("type") == "user":
        yield Prompt(at, "", "", text, "typed", "", "")
    elif message.get("type") == "gemini":
        if text:
            yield Reply(at, "", "", text, "")
        for call in message.get("toolCalls") or ():
            name = str(call.get("name", ""))
            yield Call(at, "", "", str(call.get("id", "")), name, _gemini_action(name, call.get("args") or {}))


def _gemini_action(name: str, given: dict[str, Any]) -> Action:
    path = str(given.get("file_path") or given.get("absolute_path") or given.get("path") or "")
    match name:
        case "run_shell_command":
            return Run(str(given.get("command", "")))
        case "read_file":
            return Read(path, 0, 0)
        case "write_file" | "replace":
            return Edit(path, "", "")
        case "glob" | "search_file_content":
            return Search(str(given.get("pattern", "")), path)
        case _:
            return Other(json.dumps(given, ensure_ascii=False))
