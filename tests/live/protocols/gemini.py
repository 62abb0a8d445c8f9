"""Google's Gemini API, as Gemini CLI speaks it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.live.protocols import Reply, joined, texts
from tests.live.script import Call, Said, Turn

_TOOLS = {"Bash": "run_shell_command", "Read": "read_file", "Edit": "replace", "Write": "write_file"}
_HOOK = "<hook_context>"


def asked(path: str, body: Mapping[str, Any]) -> bool:
    return path.endswith((":generateContent", ":streamGenerateContent"))


def counted(path: str, size: int) -> object:
    return {"totalTokens": size // 4} if path.endswith(":countTokens") else None


def seen(body: Mapping[str, Any]) -> Iterator[Said]:
    for text in texts(body.get("systemInstruction", {}).get("parts", [])):
        yield Said("system", text)
    for text in texts(body.get("tools", [])):
        yield Said("tools", text)
    for content in body.get("contents", ()):
        for part in content.get("parts", ()):
            if "functionResponse" in part:
                answer = part["functionResponse"].get("response", {})
                yield Said("result", joined(answer), "error" in answer)
            else:
                role = "user" if content.get("role") == "user" else "model"
                yield from (Said(role, text) for text in texts(part))


def offers(body: Mapping[str, Any]) -> bool:
    return bool(body.get("tools"))


def summarises(body: Mapping[str, Any]) -> bool:
    return not offers(body) and "<state_snapshot>" in joined(body.get("systemInstruction", {}))


def summary(text: str) -> str:
    return f"<state_snapshot>\n{text}\n</state_snapshot>"


def injected(body: Mapping[str, Any]) -> Iterator[str]:
    for said in seen(body):
        for part in said.text.split(_HOOK)[1:]:
            yield part.partition("</hook_context>")[0]


def reply(turn: Turn, path: str, body: Mapping[str, Any], number: int) -> Reply:
    text = turn.text
    if not offers(body) and body.get("generationConfig", {}).get("responseMimeType") == "application/json":
        text = json.dumps({"reasoning": "scripted", "next_speaker": "user", "model_choice": "pro"})
    parts: list[dict[str, Any]] = [{"text": text}] if text else []
    for place, call in enumerate(turn.calls):
        name, arguments = _own(call)
        parts.append({"functionCall": {"id": f"call{number:05}{place:02}", "name": name, "args": arguments}})
    whole = {
        "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {
            "promptTokenCount": turn.tokens,
            "candidatesTokenCount": 10,
            "totalTokenCount": turn.tokens + 10,
        },
        "modelVersion": path.rpartition("/")[2].partition(":")[0],
        "responseId": f"scripted{number:06}",
    }
    if path.endswith(":streamGenerateContent"):
        return Reply("text/event-stream", f"data: {json.dumps(whole)}\r\n\r\n".encode())
    return Reply("application/json", json.dumps(whole).encode())


def refusal(kind: str, words: str) -> object:
    return {"error": {"code": 400, "status": kind.upper(), "message": words}}


def _own(call: Call) -> tuple[str, dict[str, Any]]:
    """A call in the client's tools."""
    if call.tool in _TOOLS:
        more = {"instruction": "scripted edit"} if call.tool == "Edit" else {}
        return _TOOLS[call.tool], {**call.input, **more}
    if call.tool.startswith("mcp__"):
        return call.tool.replace("__", "_"), dict(call.input)
    return call.tool, dict(call.input)
