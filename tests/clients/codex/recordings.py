"""The recordings, and short ways to read them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeVar

from clew.clients.codex.reader import CodexReader
from clew.core.records.transcript import Record

FOLDER = Path(__file__).parents[2] / "recordings" / "codex"
RUN, HELPER = FOLDER / "0.169.0-compaction.jsonl", FOLDER / "0.169.0-subagent.jsonl"
SCRIPTS = FOLDER / "0.169.0-code-mode.jsonl"
WORK, OLDER = FOLDER / "made-work.jsonl", FOLDER / "made-older.jsonl"
SESSION = "5e551011-0000-7000-8000-00000000c0de"

R = TypeVar("R", bound=Record)


def records(data: bytes | str) -> list[Record]:
    """What the reader makes of `data`, given whole."""
    return CodexReader().read(data.encode() if isinstance(data, str) else data, offset=0).records


def of(kind: type[R], data: bytes | str) -> list[R]:
    """The records of one kind."""
    return [record for record in records(data) if isinstance(record, kind)]


def line(kind: str, payload: dict[str, Any]) -> str:
    return json.dumps({"timestamp": "2026-03-02T09:00:00.000Z", "type": kind, "payload": payload}) + "\n"


def meta(cwd: str = "/w/tide", **fields: Any) -> str:
    return line("session_meta", {"id": SESSION, "cwd": cwd, "originator": "codex-tui", "source": "cli", **fields})


def called(name: str, arguments: Any, output: Any, call: str = "c1") -> str:
    given = {"type": "function_call", "name": name, "arguments": json.dumps(arguments), "call_id": call}
    back = {"type": "function_call_output", "call_id": call, "output": output}
    return line("response_item", given) + line("response_item", back)


def completed(item: dict[str, Any]) -> str:
    return line("event_msg", {"type": "item_completed", "item": item})


def typed(text: str) -> str:
    return line("event_msg", {"type": "user_message", "message": text})
