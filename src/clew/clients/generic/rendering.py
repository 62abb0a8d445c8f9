"""A document as the lines that a reader reads: the records that stand at each of its lines, as JSON, one line a line.

A record stands at the line of the rendering that has the number of its line in the document (of a document that is one
JSON value: the number of its message), so that whoever looks it up finds it; lines between are empty.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, TypeAlias, get_args

import msgspec

from clew.clients.lines import NotALine
from clew.core.records.transcript import Action, Call, Record

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
