"""How events and extracts are written, and come back exactly as they were: as columns of a store, with a checksum, and
as lines of a file (a spool batch, a bundle), one JSON object each with its fields by name.

What JSON cannot carry exactly is refused before: of events by `core.events.checked`, of extracts here. A line may be
anybody's, and is read strictly.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any, Final, TypeAlias, TypeVar
from zlib import compress, crc32, decompress, error

import msgspec

from clew.core.errors import InputError
from clew.core.state.events import Event, checked
from clew.core.state.extract import Extract
from clew.core.state.items import Cite, Item, Origin, Place, item_made

# JSON as text, or as a BLOB where zlib makes it shorter.
Packed: TypeAlias = str | bytes

# Shorter texts are not worth the time that every append would take.
_COMPRESSED_BYTES_MIN: Final = 512

# In the place of the checksum where none was made yet (`migrations/0001`): no decay makes a number this text.
UNSUMMED: Final = "unsummed"
# The fields of an event's data that hold the id of what it speaks of.
_NAMING: Final = ("item", "task", "checkpoint", "draft", "handoff")
# The fields that hold values with fields of their own.
_PARTS: Final[dict[str, Any]] = {"origin": Origin, "items": Item, "place": Place, "cites": Cite}

_Value = TypeVar("_Value", Event, Extract)

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


def pack(value: object, *, compressed_bytes_min: int = _COMPRESSED_BYTES_MIN) -> Packed:
    """A JSON value as a column holds it. Raises `UnicodeEncodeError` for halves of surrogate pairs."""
    encoded = _encode(value)
    if len(encoded) >= compressed_bytes_min:
        short = compress(encoded)
        if len(short) < len(encoded):
            return short
    return encoded.decode()


def unpack(column: Packed) -> Any:
    """The value that `pack` packed."""
    return _decode(decompress(column) if isinstance(column, bytes) else column)


def event_columns(event: Event) -> tuple[Any, ...]:
    """An event that is `checked`, as the columns of its row in the order of `Event`."""
    return (*event[:-1], pack(event.data))


def event_of(columns: Sequence[Any]) -> Event:
    """The event of a row's columns."""
    return Event._make((*columns[:-1], unpack(columns[-1])))


# What decoding raises of a row whose bytes changed behind the store's back.
DAMAGE: Final = (ValueError, TypeError, LookupError, error, InputError)


def event_if_whole(columns: Sequence[Any], about: str, kept: int | None) -> Event | None:
    """The event of a row's columns, with what it is about and the checksum that is `kept` of both; None where it is not
    what was written.
    """
    try:
        return checked(event_of(columns)) if is_whole((*columns[:-1], about, columns[-1]), kept) else None
    except DAMAGE:
        return None


def item_column(item: Item) -> str:
    """An item without its rank, as an array in the order of its fields. New fields come at the end, with defaults."""
    return _encode((*item[:_RANK], 0, *item[_RANK + 1 :])).decode()


@lru_cache(maxsize=1024)
def item_of(column: str, rank: int) -> Item:
    """The item of a column. What a newer clew wrote behind the fields that this one knows is left out.

    A command reads the same few rows again and again; decoding them is most of what that costs.
    """
    fields = _decode(column)[: len(Item._fields)]
    fields[_RANK] = rank
    return item_made(fields)


_RANK: Final = Item._fields.index("rank")


def origin_column(origin: Origin) -> str:
    """An origin as an array in the order of its fields."""
    return _encode(origin).decode()


def origin_of(column: str) -> Origin:
    """The origin of a column."""
    return Origin(*_decode(column)[: len(Origin._fields)])


def extract_columns(extract: Extract) -> tuple[str | int, ...]:
    """The columns of an extract's row but its items. Raises `InputError` if it would not come back as it was."""
    origin = extract.origin
    try:
        "".join((origin.session, extract.task, extract.worktree, extract.digest)).encode()
        for item in extract.items:
            item_column(item)
        kept = origin_column(origin)
    except UnicodeEncodeError:
        raise InputError(
            f"the extract of session {origin.session!r} cannot be kept: half of a surrogate pair is in its texts",
            code="E-event-invalid",
            hint="Nothing of it was kept; take such characters out of it.",
        ) from None
    return (
        origin.session,
        extract.task,
        extract.worktree,
        origin.last_time,
        kept,
        extract.rules,
        extract.extent,
        extract.digest,
    )


def about(event: Event) -> str:
    """The id of the item, task, checkpoint or draft that an event of whatever kind speaks of; "" if there is none."""
    for field in _NAMING:
        name = event.data.get(field)
        if name and isinstance(name, str):
            return name
    return ""


def checksum(columns: Sequence[str | int | bytes | None]) -> int:
    """The checksum of a row's columns in their order. Against disks that decay, not against people: CRC-32 finds every
    changed byte and misses one in four thousand million of larger changes, and it is the quickest that there is. A hash
    that nobody can forge would protect nothing here: whoever writes the file can write the checksum as well.
    """
    *head, last = columns
    start = crc32((_form(len(head)) % tuple(head)).encode("utf-8", "surrogatepass"))
    return crc32(last if isinstance(last, bytes) else str(last).encode("utf-8", "surrogatepass"), start)


@cache
def _form(count: int) -> str:
    """So many columns side by side: formatting is quicker here than joining."""
    return "\0".join(["%s"] * count)


def is_whole(columns: Sequence[str | int | bytes | None], kept: object) -> bool:
    """Whether `kept` is the checksum of `columns`. None is one that is lost: a bit of a row's head makes it so, and
    another one may have changed what it told of.
    """
    return kept in (UNSUMMED, checksum(columns))


def write_line(value: Event | Extract) -> bytes:
    """`value` as one JSON object on one line, without a line end. The same value gives the same bytes."""
    return _encode(_by_name(value))


def _by_name(value: Any) -> Any:
    """Named tuples as objects, all the way down."""
    if isinstance(value, tuple):
        if hasattr(value, "_asdict"):
            return {name: _by_name(part) for name, part in value._asdict().items()}
        return [_by_name(part) for part in value]
    return value


def read_event(line: bytes | msgspec.Raw) -> Event:
    """The event that `write_line` wrote. Raises `ValueError`: no JSON, a field missing, unknown or unfit."""
    return _read(line, Event)


def read_extract(line: bytes | msgspec.Raw) -> Extract:
    """The extract that `write_line` wrote. Raises `ValueError` as `read_event` does."""
    return _read(line, Extract)


def _read(line: bytes | msgspec.Raw, of: type[_Value]) -> _Value:
    try:
        return msgspec.convert(_in_order(_decode(line), of), of)
    except (ValueError, RecursionError) as error:
        raise ValueError(str(error)) from None


def _in_order(told: Any, of: Any) -> list[Any]:
    """An object's values in the order of the fields of `of`; those that have a default may be missing."""
    if isinstance(told, (list, tuple)):
        return [_in_order(one, of) for one in told]
    if not isinstance(told, dict):
        raise ValueError(f"an object with the fields {', '.join(of._fields)} is expected")
    names, parts = _fields_of(of)
    values = of._field_defaults | told
    if values.keys() != names:
        raise ValueError(f"missing or unknown fields: {', '.join(sorted(values.keys() ^ names))[:300]}")
    row = [values[name] for name in of._fields]
    numbers = row if of is not Event else [*row, *(row[-1].values() if isinstance(row[-1], dict) else ())]
    if any(not -(1 << 63) <= one < 1 << 63 for one in numbers if type(one) is int):
        raise ValueError("a number has more than 64 bits")
    for index, part in parts:
        row[index] = _in_order(row[index], part)
    return row


@cache
def _fields_of(of: Any) -> tuple[frozenset[str], list[tuple[int, Any]]]:
    """The names of the fields, and which of them, by index, hold values with fields of their own."""
    parts = [(index, _PARTS[name]) for index, name in enumerate(of._fields) if name in _PARTS]
    return frozenset(of._fields), parts
