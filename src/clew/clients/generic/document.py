"""A document's bytes as text and as JSON, whichever encoding it is in, and an id for a session that has none."""

from __future__ import annotations

import codecs
import errno
import json
import re
from collections.abc import Iterable
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any, Final

from clew.clients.lines import decode_any

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
