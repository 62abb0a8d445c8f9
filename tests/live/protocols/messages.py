"""Anthropic's Messages API, as Claude Code speaks it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.live.protocols import Reply, joined, texts
from tests.live.script import Said, Turn

SUMMARISE = "Your task is to create a detailed summary of the"
_REMINDER = "<system-reminder>\n"
_HOOK = " hook additional context: "


def asked(path: str, body: Mapping[str, Any]) -> bool:
    return path.endswith("/v1/messages")


def counted(path: str, size: int) -> object:
    return {"input_tokens": size // 4} if path.endswith("/count_tokens") else None


def seen(body: Mapping[str, Any]) -> Iterator[Said]:
    for text in texts(body.get("system", "")):
        yield Said("system", text)
    for text in texts(body.get("tools", [])):
        yield Said("tools", text)
    for message in body["messages"]:
        for block in _blocks(message["content"]):
            if block.get("type") == "tool_result":
                yield Said("result", joined(block.get("content", "")), bool(block.get("is_error")))
            else:
                role = "user" if message["role"] == "user" else "model"
                yield from (Said(role, text) for text in texts(block))


def offers(body: Mapping[str, Any]) -> bool:
    return bool(body.get("tools"))


def summarises(body: Mapping[str, Any]) -> bool:
    messages = [message for message in body["messages"] if message["role"] == "user"]
    return offers(body) and bool(messages) and SUMMARISE in joined(messages[-1]["content"])


def summary(text: str) -> str:
    return text if "<summary>" in text else f"<analysis>x</analysis><summary>{text}</summary>"


def injected(body: Mapping[str, Any]) -> Iterator[str]:
    for said in seen(body):
        for part in said.text.split(_REMINDER)[1:]:
            event, mark, text = part.partition("\n</system-reminder>")[0].partition(_HOOK)
            if mark and event.isalpha():
                yield text


def reply(turn: Turn, path: str, body: Mapping[str, Any], number: int) -> Reply:
    whole = _message(turn, body, number)
    if not body.get("stream"):
        return Reply("application/json", json.dumps(whole).encode())
    events = (f"event: {data['type']}\ndata: {json.dumps(data)}\n\n" for data in _stream(whole))
    return Reply("text/event-stream", "".join(events).encode())


def refusal(kind: str, words: str) -> object:
    return {"type": "error", "error": {"type": kind, "message": words}}


def _blocks(content: object) -> list[dict[str, Any]]:
    return content if isinstance(content, list) else [{"text": content}]


def _message(turn: Turn, body: Mapping[str, Any], number: int) -> dict[str, Any]:
    blocks: list[dict[str, Any]] = [{"type": "text", "text": turn.text}] if turn.text else []
    for place, call in enumerate(turn.calls):
        name = f"toolu_scripted{number:05}{place:02}"
        blocks.append({"type": "tool_use", "id": name, "name": call.tool, "input": dict(call.input)})
    return {
        "id": f"msg_scripted{number:06}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", ""),
        "content": blocks,
        "stop_reason": "tool_use" if turn.calls else "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": turn.tokens,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": 10,
        },
    }


def _stream(whole: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    yield {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}
    for index, block in enumerate(whole["content"]):
        start: dict[str, Any]
        if block["type"] == "text":
            start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield {"type": "content_block_start", "index": index, "content_block": start}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    end = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": end, "usage": {"output_tokens": 10}}
    yield {"type": "message_stop"}
