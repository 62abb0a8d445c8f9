"""The recordings, and short ways to read sessions of our own making."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeVar

from clew.clients.copilot.reader import CopilotReader
from clew.clients.files import read_file
from clew.core.records.transcript import Record

FOLDER = Path(__file__).parents[2] / "recordings" / "copilot"
STORY = FOLDER / "1.0.102-story.jsonl"
ID = "5e000000-0000-4000-8000-000000000001"

R = TypeVar("R", bound=Record)


def event(kind: str, agent: str = "", **data: Any) -> dict[str, Any]:
    """A line as the client writes it; `agent` is the sub-agent that it is of."""
    line = {"type": kind, "data": data, "id": "e", "timestamp": "2026-03-02T09:00:01.000Z", "parentId": None}
    return {**line, "agentId": agent} if agent else line


def called(tool: str, arguments: Any, **more: Any) -> dict[str, Any]:
    """The model's message with a call."""
    request = {"toolCallId": "c1", "name": tool, "arguments": arguments, **more}
    return event("assistant.message", messageId="m2", content="", toolRequests=[request])


def ended(content: str, **more: Any) -> dict[str, Any]:
    """The end of that call."""
    return event(
        "tool.execution_complete", **{"toolCallId": "c1", "success": True, "result": {"content": content}, **more}
    )


def session(folder: Path, *events: dict[str, Any], cwd: str = "/w", session_id: str = ID) -> Path:
    """The record of a session in a folder of its own below `folder`."""
    start = event("session.start", sessionId=session_id, copilotVersion="1.0.102", context={"cwd": cwd})
    path = folder / session_id / "events.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("".join(f"{json.dumps(one)}\n" for one in (start, *events)), encoding="utf-8")
    return path


def records(path: Path) -> list[Record]:
    """What the reader makes of a session."""
    return [record for batch in read_file(path, CopilotReader()) for record in batch.records]


def of(kind: type[R], path: Path) -> list[R]:
    """The records of one kind."""
    return [record for record in records(path) if isinstance(record, kind)]
