"""A document's bytes as text and as JSON, whichever encoding it is in, and the beginning of a JSON value as one."""

from __future__ import annotations

import codecs
import errno
import re
from collections.abc import Iterable
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any, Final

from clew.clients.lines import NotALine, decode_any

# A conversation of years, with what was pasted into it; a file of pictures is no session.
BYTES_MAX: Final = 256 << 20
_ID: Final = re.compile(r"[\w.:@-]{1,120}", re.ASCII)
_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# A string that is not closed goes on to the end.
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[{}\[\],]', re.DOTALL)
# Conversations are not nested deeper; a file of brackets is none.
_DEPTH_MAX: Final = 64
_CLOSING: Final = {"{": "}", "[": "]"}


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


def beginning_of(text: str) -> tuple[Any, bool]:
    """As much of the JSON value that `text` begins with as is whole, and whether that is all of it; None if there is
    none. Text that is cut in a value lacks that value.
    """
    try:
        return json_of(text), True
    except NotALine:
        pass
    stack: list[str] = []
    end, open_there = 0, ""
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if len(stack) > _DEPTH_MAX:
            return None, False
        if sign in _CLOSING:
            stack.append(_CLOSING[sign])
            end, open_there = token.end(), "".join(reversed(stack))
        elif sign == ",":
            end, open_there = token.start(), "".join(reversed(stack))
        elif not sign.startswith('"'):
            if not stack or stack.pop() != sign:
                return None, False
            end, open_there = token.end(), "".join(reversed(stack))
            if not stack:  # another value follows
                return None, False
    try:
        return json_of(text[:end] + open_there), False
    except NotALine:
        return None, False
