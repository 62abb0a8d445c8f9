"""What readers of documents have in common: each reads a document as a whole and gives lines of our own (`rendering`).

None of these formats is written by the client that a session ran in for others to go on from: what they leave out
(exit codes, files as they were, the folder) is not made up.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias, get_args

import msgspec

from clew.clients.generic.document import load
from clew.clients.lines import LineReader, NotALine
from clew.clients.places import file_of
from clew.core.records.transcript import Action, Call, Context, Record

# A line of a document, from 1, and what stands there. The records' own places are not known yet: 0.
Entry: TypeAlias = tuple[int, list[Record]]

_KINDS: Final[dict[str, Any]] = {kind.__name__: kind for kind in (*get_args(Record), *get_args(Action))}


def rendered(entries: Iterable[Entry]) -> bytes:
    """The lines of a document that holds `entries`, in their order. What stands at one line is one line."""
    parts: list[bytes] = []
    written, number, held = 0, 0, list[Record]()

    def put() -> None:
        line = msgspec.json.encode({"records": [_plain(record) for record in held]})
        parts.append(b"\n" * (number - written - 1) + line + b"\n")

    for line, records in entries:
        if not records:
            continue
        if held and line > number:
            put()
            written, held = number, []
        number = max(number, line)
        held += records
    if held:
        put()
    return b"".join(parts)


def records_of(data: bytes, at: int) -> list[Record]:
    """The records of one line of a rendering, none of another object. Raises `NotALine` for anything else."""
    try:
        line = msgspec.json.decode(data, type=dict[str, Any])
        return [_record(item, at) for item in msgspec.convert(line.get("records", []), list[list[Any]])]
    except (msgspec.MsgspecError, RecursionError, ValueError, TypeError, KeyError) as problem:
        raise NotALine("no line of a rendered document") from problem


def _plain(record: Record) -> list[Any]:
    fields: list[Any] = list(record[1:])
    if isinstance(record, Call):
        fields[-1] = [type(record.action).__name__, *record.action]
    return [type(record).__name__, *fields]


def _record(item: list[Any], at: int) -> Record:
    name, *fields = item
    if name != "Call":
        found: Record = msgspec.convert([at, *fields], _KINDS[name])
        return found
    time, agent, call, tool, (action, *given) = fields
    told = msgspec.convert([time, agent, call, tool], tuple[str, str, str, str])
    return Call(at, *told, msgspec.convert(given, _KINDS[action]))


class DocumentReader(LineReader):
    """Implements `clew.clients.port.Reader`. A member says its name, how its format is known, and what stands in it.

    It knows no file versions: what such a document shows of a file may be shortened, escaped or reformatted.
    """

    name = ""
    grows = False

    def recognises(self, head: bytes) -> bool:
        raise NotImplementedError

    def entries(self, data: bytes, path: Path) -> Iterable[Entry]:
        """What stands in the document `data` that is called `path`. Raises `OSError` if no session does."""
        raise NotImplementedError

    def open(self, path: Path) -> BinaryIO:
        # Where the file lies may tell the folder of the session, however the file was named.
        place = Path(os.path.abspath(path))  # noqa: PTH100 - a link is part of the name, ".." is not
        return io.BytesIO(rendered(self.entries(load(file_of(path)), place)))

    def take(self, data: bytes, at: int, records: list[Record]) -> None:
        records += records_of(data, at)

    def attended(self, head: bytes) -> bool:
        found = self.read(head, offset=0).records
        return next((record.attended for record in found if isinstance(record, Context)), True)
