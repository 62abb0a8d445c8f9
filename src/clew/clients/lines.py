"""The lines of a session: cut, decoded whatever a client did to them, their times. What all readers of lines share."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeVar, get_args

import msgspec

from clew.clients.places import opened
from clew.core.records.transcript import Batch, FileVersion, Record, Unreadable

# Clients write UTC. Times are compared as text later, where anything else would win or lose at random.
_is_time: Final = re.compile(r"\d\d\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z", re.ASCII).fullmatch

_S = TypeVar("_S", bound=msgspec.Struct)

# White space and the byte order mark that editors put in front.
_BEFORE_OBJECT = b" \t\r\xef\xbb\xbf"


class NotALine(Exception):
    """The bytes are no JSON object. `why` is for people."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class LineReader:
    """What readers have in common whose lines stand each for itself. A member says its name, what it recognises, and
    what a line holds (`take`); the rest is as of a client whose files only grow and tell nothing of it.
    See `clew.clients.port.Reader`.
    """

    grows = True

    def take(self, data: bytes, at: int, records: list[Record]) -> None:
        """Add the records of one line, which begins at byte `at`. Raises `NotALine`, and nothing else."""
        raise NotImplementedError

    def open(self, path: Path) -> BinaryIO:
        return opened(path)

    def read(self, chunk: bytes, *, offset: int) -> Batch:
        records: list[Record] = []
        start = 0
        find = chunk.find
        end = find(b"\n")
        while end >= 0:
            if end > start:
                self._take(chunk[start:end], offset + start, records)
            start = end + 1
            end = find(b"\n", start)
        return Batch(records, offset + start)

    def final(self, line: bytes, *, offset: int) -> Batch:
        records: list[Record] = []
        try:
            decode_any(line)
        except NotALine:
            return Batch(records, offset)
        self._take(line, offset, records)
        return Batch(records, offset + len(line))

    def _take(self, data: bytes, at: int, records: list[Record]) -> None:
        try:
            self.take(data, at, records)
        except NotALine as problem:
            if data.strip():
                records.append(Unreadable(at, "", "", len(data), problem.why))

    def file_versions(self, line: bytes) -> Iterable[FileVersion]:  # noqa: ARG002
        return ()

    def attended(self, head: bytes) -> bool:  # noqa: ARG002
        return True

    def injected(self, line: bytes) -> Iterable[str]:  # noqa: ARG002
        return ()


def time_of(value: object) -> str:
    """A time that a client wrote, "" for what is none."""
    return value if isinstance(value, str) and _is_time(value) else ""


def object_of(line: bytes) -> dict[str, Any]:
    """One line as plain JSON values, {} for what is none."""
    try:
        return decode_any(line)
    except NotALine:
        return {}


def decode_any(data: bytes) -> dict[str, Any]:
    """One line as plain JSON values, lone surrogates replaced. Raises `NotALine`."""
    try:
        value = msgspec.json.decode(data)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        value = _repaired(data)
    if not isinstance(value, dict):
        raise NotALine("not a JSON object")
    return value


def _repaired(data: bytes) -> Any:
    """JSON that msgspec refuses but that can be read: bytes outside UTF-8, halves of surrogate pairs, huge numbers.

    Clients cut strings by UTF-16 units, so half an emoji is a thing that they really write.
    """
    if b"\0" in data:
        raise NotALine("holds NUL bytes")
    if not data.lstrip(_BEFORE_OBJECT).startswith(b"{"):  # not worth another parser: a file may hold nothing else
        raise NotALine("not a JSON object")

    try:
        return _whole(json.loads(data.decode("utf-8", "replace").removeprefix("\ufeff")))
    except RecursionError:
        raise NotALine("nested too deeply") from None
    except ValueError:
        raise NotALine("not JSON") from None


def _whole(value: Any) -> Any:
    """`value` with every lone surrogate replaced, so that it can be written as UTF-8 again."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {_whole(key): _whole(item) for key, item in value.items()}
    return value


def lenient(value: dict[str, Any], kind: type[_S]) -> _S:
    """What of a line fits into a struct of `kind`: a field of a wrong type is read as absent, of one that is an object
    or a list of objects what fits of these.
    """
    made = kind()
    for field in msgspec.structs.fields(kind):
        if field.encode_name not in value:
            continue
        given = value[field.encode_name]
        try:
            setattr(made, field.name, msgspec.convert(given, field.type))
        except (msgspec.ValidationError, RecursionError):
            if isinstance(given, dict) and (inner := struct_of(field.type, given.get("type"))) is not None:
                setattr(made, field.name, lenient(given, inner))
            elif isinstance(given, list) and (inner := _element_of(field.type)) is not None:
                setattr(made, field.name, [lenient(one, inner) for one in given if isinstance(one, dict)])
    return made


def struct_of(union: Any, kind: object) -> type[Any] | None:
    """That of the structs which has this tag, or the one that has none."""
    structs = (one for one in get_args(union) if isinstance(one, msgspec.StructMeta))
    return next((one for one in structs if one.__struct_config__.tag in (None, kind)), None)


def _element_of(union: Any) -> type[Any] | None:
    """The struct of which one of the types is a list."""
    elements = (element for one in get_args(union) for element in get_args(one))
    return next((one for one in elements if isinstance(one, msgspec.StructMeta)), None)
