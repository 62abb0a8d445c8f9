"""The recordings, and short ways to read sessions of our own making."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

from clew.clients.gemini.reader import GeminiReader
from clew.clients.lines import read_file
from clew.core.records.transcript import Record

FOLDER = Path(__file__).parents[2] / "recordings" / "gemini"
STORY = FOLDER / "0.61.0-story.jsonl"
TURNS = FOLDER / "made-turns.jsonl"
DOCUMENT = FOLDER / "made-document.json"
HEADER = {"sessionId": "5e-1", "projectHash": "ab", "startTime": "2026-03-02T09:00:00.000Z", "kind": "main"}

R = TypeVar("R", bound=Record)


def records(path: Path) -> list[Record]:
    """What the reader makes of a session."""
    return [record for batch in read_file(path, GeminiReader()) for record in batch.records]


def of(kind: type[R], path: Path) -> list[R]:
    """The records of one kind."""
    return [record for record in records(path) if isinstance(record, kind)]


def stream(path: Path) -> bytes:
    """The session as lines of our own."""
    with GeminiReader().open(path) as opened:
        return opened.read()


def session(folder: Path, *entries: dict[str, Any], name: str = "session-1.jsonl") -> Path:
    """A session file with a header and `entries`, line by line."""
    return lines(folder / name, [HEADER, *entries])


def lines(path: Path, entries: Iterable[dict[str, Any]]) -> Path:
    path.write_text("".join(f"{json.dumps(entry)}\n" for entry in entries), encoding="utf-8")
    return path


def message(name: str, kind: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"id": name, "timestamp": "2026-03-02T09:00:01.000Z", "type": kind, "content": content, **more}


def called(tool: str, output: Any, status: str = "success", **more: Any) -> dict[str, Any]:
    """A call as the client records it, with its result."""
    response = {"error": output} if status == "error" else {"output": output}
    result = [{"functionResponse": {"id": f"{tool}-1", "name": tool, "response": response}}]
    return {"id": f"{tool}-1", "name": tool, "args": {}, "result": result, "status": status, **more}
