"""A document's bytes as text and as JSON, whichever encoding it is in, and an id for a session that has none."""

from __future__ import annotations

import codecs
import errno
import json
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any, Final

from clew.clients.lines import decode_any

_TIME: Final = re.compile(
    r"(\d{4}-\d\d-\d\d)[T_ ](\d\d)[:-](\d\d)(?:[:-](\d\d)(?:\.(\d{1,6})\d*)?)?\s?(Z|UTC|[+-]\d\d:?\d\d)", re.ASCII
)
_SECONDS_MAX: Final = 1 << 36  # the year 4147; above that it is milliseconds


def moment(text: str) -> str:
    """The first time in `text` that says where on earth it holds, "" if there is none."""
    found = _TIME.search(text)
    if not found:
        return ""
    day, hour, minute, second, fraction, zone = found.groups()
    zone = "+00:00" if zone in ("Z", "UTC") else zone
    try:
        time = datetime.fromisoformat(f"{day}T{hour}:{minute}:{second or '00'}{zone}").astimezone(UTC)
    except (ValueError, OverflowError):
        return ""
    return time.strftime("%Y-%m-%dT%H:%M:%S") + (f".{fraction}" if fraction else "") + "Z"


def moment_of(value: Any) -> str:
    """The time in a JSON value: a text, or seconds (or milliseconds) since 1970. "" if it is none."""
    if isinstance(value, str):
        return moment(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
        return ""
    seconds = value / 1000 if value >= _SECONDS_MAX else value
    try:
        time = datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return ""
    return time.strftime("%Y-%m-%dT%H:%M:%S") + f".{time.microsecond // 1000:03}Z"


# A conversation of years, with what was pasted into it; a file of pictures is no session.
BYTES_MAX: Final = 256 << 20
_ID: Final = re.compile(r"[\w.:@-]{1,120}", re.ASCII)
_BETWEEN: Final = re.compile(r"[\s,]*")  # the elements of a list
_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def load(path: Path) -> bytes:
    """All of the file. Raises `OSError`, also for one of more than `BYTES_MAX`."""
    with path.open("rb") as file:
        data = file.read(BYTES_MAX + 1)
    if len(data) > BYTES_MAX:
        raise OSError(errno.EFBIG, f"it has more than {BYTES_MAX >> 20} MiB")
    return data


def text_of(data: bytes) -> str:
    """`data` as text with line ends of one sort. What is not in its encoding is replaced."""
    codec = "utf-16" if data.startswith(_UTF16) else "utf-8"
    return data.decode(codec, "replace").removeprefix("\ufeff").replace("\r\n", "\n")


def name_of(said: Iterable[tuple[str, str]]) -> str:
    """An id for a session that has none, by its first words (each with its time), which stay when it goes on."""
    begun = islice(((time, text) for time, text in said if text), 2)
    told = "\0".join(f"{time}\0{text}" for time, text in begun)
    return blake2b(told.encode("utf-8", "replace"), digest_size=10).hexdigest()


def id_of(value: Any) -> str:
    """`value` if it can be the id of a session: one that can be typed and shown. Else ""."""
    return value if isinstance(value, str) and _ID.fullmatch(value) else ""


def json_of(text: str) -> Any:
    """`text` as JSON values. Raises `NotALine` if it is none."""
    return decode_any(b'{"":' + text.encode() + b"}")[""]


def elements_of(text: str, start: int) -> list[Any]:
    """The elements of a list in JSON from behind its bracket on, as far as they are whole; of a first one that is cut
    in a text what stands there.
    """
    return _elements(text, start) or _elements(f'{text}"}}', start)


def _elements(text: str, start: int) -> list[Any]:
    found: list[Any] = []
    read = json.JSONDecoder().raw_decode
    try:
        while between := _BETWEEN.match(text, start):
            value, start = read(text, between.end())
            found.append(value)
    except (ValueError, RecursionError):
        pass
    return found
