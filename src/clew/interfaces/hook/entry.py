"""From the shim to the module that answers an event. What stands here runs at every tool call: imports are counted."""

import posix
import sys

TYPE_CHECKING = False  # `typing` would cost more than all that is done here
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    Event: TypeAlias = dict[str, Any]

# More than any client sends. What is longer is read to its end and thrown away.
_INPUT_MAX = 64 << 20
FULL = ("SessionStart", "PreCompact", "Stop", "SessionEnd")
# The client whose form is the canonical one, so its dialect is not asked for that.
CANONICAL = "claude-code"


def run(client: str, name: str, live: str, data: str) -> None:
    """Answer the event `name` of `client`, as the client calls it, on stdout.

    `live` is the live folder of the place the client is in (it exists, except where a session begins), `data` the
    user's data folder. An event that is none of ours, or whose input cannot be read, is answered with nothing.
    """
    if client != CANONICAL and dialect_of(client) is None:
        return
    event = given()
    if not event:
        return
    from clew.interfaces.hook import marks

    event["client"], called = client, name
    if client != CANONICAL:
        name = dialect_of(client).heard(name, event, marks.tail, parsed)
    if name == "PreToolUse":
        from clew.interfaces.hook import before

        before.run(event, live, say)
    elif name in ("PostToolUse", "PostToolUseFailure"):
        from clew.interfaces.hook import after

        after.run(name, event, live, data)
    elif name == "statusline":
        from clew.interfaces.hook import line

        line.run(event, data)
        return
    elif name == "SubagentStop":
        from clew.interfaces.hook import summary

        summary.run(event, live)
    elif name == "UserPromptSubmit" or name in FULL:
        if not marks.is_there(live) and not _begins(name, live, data):
            return
        _whole(name, event, live, data)
    else:
        return
    from clew.core.live import beat

    marks.touch(f"{live}/{beat(client, called)}")
    if name == "SessionStart" and (folder := marks.folder_of(event, live)) and marks.is_there(live):
        marks.touch(folder + "/started")


def _begins(name: str, live: str, data: str) -> bool:
    """Whether a session begins in a place that belongs to one which a person opted in."""
    from clew.interfaces.hook import start

    return name in ("SessionStart", "UserPromptSubmit") and start.wanted(live, data)


def _whole(name: str, event: "Event", live: str, data: str) -> None:
    """Answer an event for which the full program may be needed."""
    if name == "UserPromptSubmit":
        from clew.interfaces.hook import prompt

        prompt.run(event, live, data)
        return
    if name == "Stop":
        from clew.interfaces.hook import stop

        stop.run(event, live, data)
        return
    if "summary" in event:
        from clew.interfaces.hook import marks, summary

        summary.keep(marks.folder_of(event, live), event["summary"])
    from clew.interfaces.hook import full

    full.run(name, event, live, data)


def dialect_of(client: object) -> "Any":
    """The module that knows how this client speaks with hooks, and what its record tells; None for no client."""
    name = f"clew.clients.{str(client).replace('-', '_')}.dialect"
    try:
        return __import__(name, fromlist=["dialect"])
    except ModuleNotFoundError:
        return None


def given() -> "Event":
    """The event on stdin: one JSON object. Empty for anything else, whatever its size, depth or bytes."""
    if sys.stdin is None:
        return {}
    pieces, size = [], 0
    while piece := posix.read(0, 1 << 20):
        size += len(piece)
        if size <= _INPUT_MAX:
            pieces.append(piece)
    if size > _INPUT_MAX:
        return {}
    return parsed(b"".join(pieces))


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
