"""The recordings, and short ways to read them."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from clew.clients.claude_code.reader import ClaudeCodeReader
from clew.core.records.transcript import Record

FOLDER = Path(__file__).parents[2] / "recordings" / "claude-code"
NAMES = sorted(path.name for path in FOLDER.glob("*.jsonl"))

R = TypeVar("R", bound=Record)


def content(name: str) -> bytes:
    return (FOLDER / name).read_bytes()


def records(data: bytes | str) -> list[Record]:
    """What the reader makes of `data`, given whole."""
    return ClaudeCodeReader().read(data.encode() if isinstance(data, str) else data, offset=0).records


def of(kind: type[R], data: bytes | str) -> list[R]:
    """The records of one kind."""
    return [record for record in records(data) if isinstance(record, kind)]
