"""OpenAI's Chat Completions, as OpenCode (`@ai-sdk/openai-compatible`) and GitHub Copilot CLI speak them.

Which of them asks is told by the tools that it offers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from tests.live.protocols import Reply, joined, texts
from tests.live.script import Call, Said, Turn

SUMMARISE = "Here is the conversation so far:"
COMPACT = "Please create a detailed summary of the conversation so far."
_ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "model", "tool": "result"}
_TOOLS = {"Bash": "bash", "Read": "read", "Edit": "edit", "Write": "write"}
_FIELDS = {"file_path": "filePath", "old_string": "oldString", "new_string": "newString"}
_COPILOT_TOOLS = {"Bash": "bash", "Read": "view", "Edit": "edit", "Write": "create"}
_COPILOT_FIELDS = {"file_path": "path", "old_string": "old_str", "new_string": "new_str", "content": "file_text"}
_REMINDER = re.compile(r"<system_reminder>\n(.*?)\n</system_reminder>", re.DOTALL)
_GUIDANCE = re.compile(r"Additional (?:guidance|context) from \w+ hooks?:\n(.*)", re.DOTALL)


def asked(path: str, body: Mapping[str, Any]) -> bool:
    return path.endswith("/chat/completions")


def counted(path: str, size: int) -> object:
    return None


def seen(body: Mapping[str, Any]) -> Iterator[Said]:
    for text in texts(body.get("tools", [])):
        yield Said("tools", text)
    for message in body["messages"]:
        role = _ROLES[message["role"]]
        yield from (Said(role, text) for text in _texts_of(message))
        yield from (Said(role, joined(call)) for call in message.get("tool_calls", ()))


def offers(body: Mapping[str, Any]) -> bool:
    return bool(body.get("tools"))


def summarises(body: Mapping[str, Any]) -> bool:
    last = _texts_of(body["messages"][-1])
    return any(text.startswith(COMPACT) for text in last) or (
        not offers(body) and any(text.startswith(SUMMARISE) for text in last)
    )


def summary(text: str) -> str:
    return text


def injected(body: Mapping[str, Any]) -> Iterator[str]:
    """Every part but the first of what a user said, and every system message but the first; of GitHub Copilot CLI what
    it marks as a reminder, or as from a hook.
    """
    if _is_copilot(body):
        for message in body["messages"]:
            for text in _texts_of(message):
                yield from _REMINDER.findall(text)
                yield from _GUIDANCE.findall(text)
        return
    for place, message in enumerate(body["messages"]):
        if message["role"] == "user":
            yield from _texts_of(message)[1:]
        elif message["role"] == "system" and place:
            yield from _texts_of(message)


def reply(turn: Turn, path: str, body: Mapping[str, Any], number: int) -> Reply:
    calls = [
        {
            "index": place,
            "id": f"call_scripted{number:05}{place:02}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for place, (name, arguments) in enumerate(_own(call, body) for call in turn.calls)
    ]
    usage = {"prompt_tokens": turn.tokens, "completion_tokens": 10, "total_tokens": turn.tokens + 10}
    message = {"role": "assistant", "content": turn.text, **({"tool_calls": calls} if calls else {})}
    reason = "tool_calls" if calls else "stop"
    head = {"id": f"chatcmpl-scripted{number:06}", "created": 1, "model": body.get("model", "")}
    if not body.get("stream"):
        choice = {"index": 0, "message": message, "finish_reason": reason}
        whole = {**head, "object": "chat.completion", "choices": [choice], "usage": usage}
        return Reply("application/json", json.dumps(whole).encode())
    chunks: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]},
        {"choices": [], "usage": usage},
    ]
    lines = [json.dumps({**head, "object": "chat.completion.chunk", **chunk}) for chunk in chunks]
    return Reply("text/event-stream", "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"]).encode())


def refusal(kind: str, words: str) -> object:
    return {"error": {"type": kind, "message": words}}


def _texts_of(message: Mapping[str, Any]) -> list[str]:
    content = message.get("content") or ""
    return [content] if isinstance(content, str) else [part.get("text", "") for part in content]


def _is_copilot(body: Mapping[str, Any]) -> bool:
    return any(tool.get("function", {}).get("name") == "view" for tool in body.get("tools", ()))


def _own(call: Call, body: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """A call in the client's tools."""
    if _is_copilot(body):
        if call.tool in _COPILOT_TOOLS:
            return _COPILOT_TOOLS[call.tool], {_COPILOT_FIELDS.get(name, name): one for name, one in call.input.items()}
        return call.tool.removeprefix("mcp__").replace("__", "-"), dict(call.input)
    if call.tool in _TOOLS:
        return _TOOLS[call.tool], {_FIELDS.get(name, name): value for name, value in call.input.items()}
    if call.tool.startswith("mcp__"):
        return call.tool.removeprefix("mcp__").replace("__", "_"), dict(call.input)
    return call.tool, dict(call.input)
