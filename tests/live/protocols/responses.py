"""OpenAI's Responses API, as Codex speaks it.

Codex 0.169 offers `exec_command` for the shell, no tool to read, and `apply_patch`, whose input is a patch as plain
text. Tools of MCP servers are offered in a namespace, and a call names it. To its newest models it offers one tool
instead, `exec`, which runs JavaScript that calls the others; a turn's calls then are one script.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.live.protocols import Reply, joined, texts
from tests.live.script import Call, Said, Turn

SUMMARISE = "CONTEXT CHECKPOINT COMPACTION"
_AGENTS = "multi_agent_v1__"  # the tools for sub-agents are offered in a namespace, too
_ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "model"}


def asked(path: str, body: Mapping[str, Any]) -> bool:
    return path.endswith("/v1/responses")


def counted(path: str, size: int) -> object:
    return None


def seen(body: Mapping[str, Any]) -> Iterator[Said]:
    if body.get("instructions"):
        yield Said("system", body["instructions"])
    for text in texts(body.get("tools", [])):
        yield Said("tools", text)
    for item in _items(body):
        kind = item.get("type", "message")
        if kind == "message":
            yield from (Said(_ROLES[item["role"]], text) for text in _texts_of(item))
        elif kind == "additional_tools":
            yield from (Said("tools", text) for text in texts(item.get("tools", [])))
        elif kind.endswith("_output"):
            parts = item.get("output", "")
            # A script's own end stands before what its calls gave.
            told = [part.get("text", "") for part in parts[1:]] if isinstance(parts, list) else [joined(parts)]
            yield from (Said("result", text) for text in told)
        else:
            yield Said("model", joined(item))


def offers(body: Mapping[str, Any]) -> bool:
    return bool(body.get("tools")) or _runs_scripts(body)


def summarises(body: Mapping[str, Any]) -> bool:
    messages = [item for item in _items(body) if item.get("role") == "user"]
    return bool(messages) and SUMMARISE in joined(_texts_of(messages[-1]))


def summary(text: str) -> str:
    return text


def injected(body: Mapping[str, Any]) -> Iterator[str]:
    """Developer messages behind the first words of a user: what stands before them is the client's own."""
    met = False
    for item in _items(body):
        if item.get("role") == "user":
            met = True
        elif met and item.get("role") == "developer":
            yield from _texts_of(item)


def reply(turn: Turn, path: str, body: Mapping[str, Any], number: int) -> Reply:
    items = list(_output(turn, number, scripts=_runs_scripts(body)))
    usage = {
        "input_tokens": turn.tokens,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 10,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": turn.tokens + 10,
    }
    name = f"resp_scripted{number:06}"
    whole = {"id": name, "object": "response", "status": "completed", "output": items, "usage": usage}
    if not body.get("stream"):
        return Reply("application/json", json.dumps(whole).encode())
    events: list[dict[str, Any]] = [{"type": "response.created", "response": {"id": name}}]
    for place, item in enumerate(items):
        events.append({"type": "response.output_item.done", "output_index": place, "item": item})
    if turn.error is None:
        events.append({"type": "response.completed", "response": whole})
    else:
        failure = {"code": turn.error[1], "message": turn.error[2]}
        events.append({"type": "response.failed", "response": {"id": name, "status": "failed", "error": failure}})
    lines = (f"event: {data['type']}\ndata: {json.dumps(data)}\n\n" for data in events)
    return Reply("text/event-stream", "".join(lines).encode())


def refusal(kind: str, words: str) -> object:
    return {"error": {"type": kind, "message": words}}


def _items(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    given = body.get("input", [])
    return given if isinstance(given, list) else [{"role": "user", "content": given}]


def _texts_of(item: Mapping[str, Any]) -> list[str]:
    content = item.get("content", "")
    return [content] if isinstance(content, str) else [part.get("text", "") for part in content]


def _runs_scripts(body: Mapping[str, Any]) -> bool:
    return any(item.get("type") == "additional_tools" for item in _items(body))


def _output(turn: Turn, number: int, *, scripts: bool) -> Iterator[dict[str, Any]]:
    if turn.text:
        content = [{"type": "output_text", "text": turn.text, "annotations": []}]
        yield {"type": "message", "id": f"msg_scripted{number:06}", "role": "assistant", "content": content}
    calls = [_own(call) for call in turn.calls]
    if scripts and calls:
        calls = [{"type": "custom_tool_call", "namespace": "functions", "name": "exec", "input": _script(calls)}]
    for place, call in enumerate(calls):
        name = f"scripted{number:05}{place:02}"
        yield {**call, "call_id": f"call_{name}", "id": f"fc_{name}"}


def _own(call: Call) -> dict[str, Any]:
    """A call in the client's tools."""
    given = call.input
    if call.tool == "Edit":
        return _patch(_changed(Path(given["file_path"]), given["old_string"], given["new_string"]))
    if call.tool == "Write":
        lines = [f"+{line}" for line in given["content"].splitlines()]
        return _patch([f"*** Add File: {given['file_path']}", *lines])
    if call.tool == "Bash":
        return _function("exec_command", {"cmd": given["command"]})
    if call.tool == "Read":
        return _function("exec_command", {"cmd": f"cat '{given['file_path']}'"})
    if call.tool.startswith(("mcp__", _AGENTS)):
        space, _, tool = call.tool.rpartition("__")
        return {**_function(tool, given), "namespace": space}
    return _function(call.tool, given)


def _script(calls: list[dict[str, Any]]) -> str:
    """The calls one after the other, each with its result or its error as one text."""
    lines = []
    for call in calls:
        tool = f"{call['namespace']}__{call['name']}" if "namespace" in call else call["name"]
        given = call["arguments"] if "arguments" in call else json.dumps(call["input"])
        lines.append(f"try {{ text(await tools.{tool}({given})) }} catch (error) {{ text(String(error)) }}")
    return "\n".join(lines)


def _function(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "function_call", "name": name, "arguments": json.dumps(dict(arguments))}


def _patch(lines: list[str]) -> dict[str, Any]:
    text = "\n".join(["*** Begin Patch", *lines, "*** End Patch"])
    return {"type": "custom_tool_call", "name": "apply_patch", "input": text}


def _changed(path: Path, old: str, new: str) -> list[str]:
    """A patch speaks of whole lines: those of the file, as it is when the model answers, in which `old` stands."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    touched = [line for line in lines if old in line] or [old]
    put = [line.replace(old, new) for line in touched]
    return [f"*** Update File: {path}", "@@", *(f"-{line}" for line in touched), *(f"+{line}" for line in put)]
