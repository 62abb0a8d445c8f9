"""Tokens of a rollout read the quick way: what the reader finds, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clew.clients.codex.reader import CodexReader
from clew.core.cost.uses import ResponseUse, UsageFold
from clew.core.records.transcript import Call, Usage

RECORDINGS = sorted((Path(__file__).parents[2] / "recordings" / "codex").glob("*.jsonl"))
READER = CodexReader()


def found(read: Any, data: bytes) -> tuple[dict[str, ResponseUse], list[str], str, str, str, int]:
    """Uses by key, the tools that none of them called, and where and by which model."""
    batch = read(data, offset=0)
    uses = UsageFold(session="f")
    uses.add(batch.records)
    left = list(dict.fromkeys(uses.tools))
    return uses.responses, left, uses.session, uses.cwd, uses.model, batch.offset


def line(kind: str, payload: dict[str, Any], **more: Any) -> bytes:
    """As the client writes one."""
    told = {"timestamp": "2026-11-25T10:00:00.000Z", **more, "type": kind, "payload": payload}
    return json.dumps(told, separators=(",", ":")).encode() + b"\n"


def count(total: int, **more: Any) -> bytes:
    """Tokens of a response."""
    used = {"input_tokens": 100, "cached_input_tokens": 40, "output_tokens": 7}
    info = {"total_token_usage": {"input_tokens": total}, "last_token_usage": used}
    return line("event_msg", {"type": "token_count", "info": info, **more})


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_it_finds_what_the_reader_finds(path: Path) -> None:
    """In recordings of real runs, scripts and sub-agents among them."""
    data = path.read_bytes()
    assert found(READER.read, data) == found(READER.read_usage, data)


def test_it_finds_what_the_reader_finds_in_odd_lines() -> None:
    """Whatever order, spaces and bytes a line has."""
    call = {"type": "function_call", "name": "shell", "call_id": "c", "arguments": '{"command": "ls"}'}
    data = b"".join(
        (
            line("session_meta", {"id": "s-1", "cwd": "/tide"}),
            line("turn_context", {"model": "tide-1"}),
            line("response_item", call),
            line("response_item", {**call, "name": None, "namespace": "moon"}),
            count(1),
            count(1),
            line("response_item", {"type": "message", "role": "user", "content": 'he said "token_count"'}),
            line("response_item", {"type": "custom_tool_call", "name": "apply_patch", "input": "x"}, ordinal=7),
            line("response_item", {"type": "local_shell_call", "action": {"command": ["ls"]}}),
            line("response_item", {"type": "web_search_call", "action": {}}),
            count(2).replace(b"10:00:00.000Z", b"then"),
            json.dumps({"payload": {"info": None, "type": "token_count"}, "type": "event_msg"}).encode() + b"\n",
            count(3).replace(b'"type":"event_msg",', b"").replace(b"}\n", b',"type":"event_msg"}\n'),
            count(4).replace(b'"token_count"', b'"token_\\u0063ount"'),
            count(5).replace(b'"output_tokens":7', b'"output_tokens":-7'),
            count(6, more="\xff").replace(b"\\u00ff", b"\xff"),
            line("event_msg", {"type": "item_completed", "item": {"type": "Plan", "id": "p", "text": "first"}}),
            b'{"timestamp":"x","type":"event_msg","payload":{"type":"token_count" nothing\n',
            b"\n",
            count(7)[:-1],
        )
    )
    quick = found(READER.read_usage, data)
    assert found(READER.read, data) == quick
    assert 5 <= len(quick[0]) and "s-1" == quick[2]


def test_what_is_told_again_is_told_once() -> None:
    """A `Call` between keeps its place."""
    call = line("response_item", {"type": "function_call", "name": "shell", "arguments": "{}"})
    records = READER.read_usage(count(1) * 3 + call + count(1) + count(2), offset=0).records
    assert [Usage, Call, Usage, Usage] == [type(one) for one in records]
