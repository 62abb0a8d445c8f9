"""A line of a session file as plain JSON, whatever a client did to it. Shared by all clients whose files are lines."""

from __future__ import annotations

from typing import Any

import msgspec

# White space and the byte order mark that editors put in front.
_BEFORE_OBJECT = b" \t\r\xef\xbb\xbf"


class NotALine(Exception):
    """The bytes are no JSON object. `why` is for people."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


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
    import json

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
