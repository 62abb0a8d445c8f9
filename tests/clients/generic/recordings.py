"""The recordings, all made in the shape of real ones, and short ways to read them."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from clew.clients.generic.chat.reader import READER as CHAT
from clew.clients.lines import read_file
from clew.clients.port import Reader
from clew.core.records.transcript import Record

FOLDER = Path(__file__).parents[2] / "recordings" / "generic"
MESSAGES = FOLDER / "messages.jsonl"

__all__ = ["CHAT"]

R = TypeVar("R", bound=Record)


def records(path: Path, reader: Reader) -> list[Record]:
    """What the reader makes of a document."""
    return [record for batch in read_file(path, reader) for record in batch.records]


def of(kind: type[R], path: Path, reader: Reader) -> list[R]:
    """The records of one kind."""
    return [record for record in records(path, reader) if isinstance(record, kind)]


def line_of(record: Record, path: Path, reader: Reader) -> int:
    """The line that a record is said to stand in."""
    with reader.open(path) as stream:
        return stream.read(record.at).count(b"\n") + 1
