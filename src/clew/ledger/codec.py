"""How values become columns and come back exactly as they were: the data of events, items, origins.

What JSON cannot carry exactly is refused before: of events by `core.events.checked`, of extracts here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, TypeAlias
from zlib import compress, decompress, error

import msgspec

from clew.core.errors import InputError
from clew.core.state.events import Event, checked
from clew.core.state.extract import Extract
from clew.core.state.items import Cite, Item, Origin, Place
from clew.ledger.checksum import is_whole

# JSON as text, or as a BLOB where zlib makes it shorter.
Packed: TypeAlias = str | bytes

# Shorter texts are not worth the time that every append would take.
_COMPRESSED_BYTES_MIN: Final = 512

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


def packed(value: object, *, compressed_bytes_min: int = _COMPRESSED_BYTES_MIN) -> Packed:
    """A JSON value as a column holds it. Raises `UnicodeEncodeError` for halves of surrogate pairs."""
    encoded = _encode(value)
    if len(encoded) >= compressed_bytes_min:
        short = compress(encoded)
        if len(short) < len(encoded):
            return short
    return encoded.decode()


def unpacked(column: Packed) -> Any:
    """The value that was `packed`."""
    return _decode(decompress(column) if isinstance(column, bytes) else column)


def event_columns(event: Event) -> tuple[Any, ...]:
    """An event that is `checked`, as the columns of its row in the order of `Event`."""
    return (*event[:-1], packed(event.data))


def event_of(columns: Sequence[Any]) -> Event:
    """The event of a row's columns."""
    return Event._make((*columns[:-1], unpacked(columns[-1])))


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
    fields[_FILES] = tuple(fields[_FILES])
    fields[_PLACE] = Place(*fields[_PLACE])
    fields[_RANK] = rank
    if len(fields) > _CITES:
        fields[_CITES] = tuple(Cite(*cite) for cite in fields[_CITES])
    return Item(*fields)


_FILES: Final = Item._fields.index("files")
_PLACE: Final = Item._fields.index("place")
_RANK: Final = Item._fields.index("rank")
_CITES: Final = Item._fields.index("cites")


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
