"""What clients send to a hook and what it answers, as bytes: one JSON object in, one out. Its imports cost nothing."""

import posix
import sys

TYPE_CHECKING = False  # `typing` would cost more than all that is done here
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    Event: TypeAlias = dict[str, Any]

# More than any client sends. What is longer is read to its end and thrown away.
_INPUT_MAX = 64 << 20
# How far what nobody waits for stands back.
_NICE = 10


def dialect_of(client: object) -> "Any":
    """The module that knows how this client speaks with hooks, and what its record tells; None for no client."""
    name = f"clew.clients.{str(client).replace('-', '_')}.dialect"
    try:
        return __import__(name, fromlist=["dialect"])
    except ModuleNotFoundError:
        return None


# The only key of an event that cannot be read.
UNREAD = "unread"


def given() -> "Event":
    """The event on stdin: one JSON object. Empty if there is nothing; `UNREAD` for anything else, whatever its size,
    depth or bytes.
    """
    if sys.stdin is None:
        return {}
    pieces, size = [], 0
    while piece := posix.read(0, 1 << 20):
        size += len(piece)
        if size <= _INPUT_MAX:
            pieces.append(piece)
    event = parsed(b"".join(pieces)) if size <= _INPUT_MAX else {}
    return event or ({UNREAD: True} if size else {})


class _Rules:
    """What the C scanner asks of who makes it."""

    strict = False
    object_hook = object_pairs_hook = None
    parse_float = parse_constant = float
    parse_int = int


def parsed(data: bytes) -> "Event":
    """The JSON object that `data` holds; empty if it holds anything else. `json` would cost as much as all the rest."""
    text = data.decode("utf-8", "replace").strip("\ufeff \t\r\n")
    try:
        try:
            from _json import make_scanner
        except ImportError:
            from json import loads

            value = loads(text)
        else:
            value, end = make_scanner(_Rules)(text, 0)  # type: ignore[arg-type]
            if end != len(text):
                return {}
    except (ValueError, StopIteration, RecursionError, MemoryError, SystemError):
        return {}  # SystemError: Python 3.11's scanner finds no `json` to take its own error from
    return value if isinstance(value, dict) else {}


def say(text: str) -> None:
    """Write an answer to stdout at once and whole; to nobody if nobody reads it."""
    data = text.encode("utf-8", "replace")
    try:
        while data and sys.stdout is not None:
            data = data[posix.write(1, data) :]
    except OSError:
        return


def behind() -> bool:
    """Go on behind the client's back: False in the process that it waits for, True in the one that it does not, whose
    work comes after everybody else's.
    """
    try:
        if posix.fork():
            return False
        posix.setsid()
        nothing = posix.open("/dev/null", posix.O_RDWR)
        for stream in (0, 1, 2):
            posix.dup2(nothing, stream)
        posix.nice(_NICE)
    except OSError:  # no process can be made: then it waits
        return True
    return True
