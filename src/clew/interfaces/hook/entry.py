"""From the shim to the module that answers an event. What stands here runs at every tool call: imports are counted."""

import posix
import sys

TYPE_CHECKING = False  # `typing` would cost more than all that is done here
if TYPE_CHECKING:
    from typing import TypeAlias

    Event: TypeAlias = dict[str, object]

# More than any client sends. What is longer is read to its end and thrown away.
_INPUT_MAX = 64 << 20
FULL = ("SessionStart", "PreCompact", "Stop", "SessionEnd")


def run(client: str, name: str, live: str, data: str) -> None:
    """Answer the event `name` of `client` on stdout.

    `live` is the live folder of the place the client is in (it exists, except at a session's start), `data` the user's
    data folder. An event that is none of ours, or whose input cannot be read, is answered with nothing.
    """
    if client != "claude-code":
        return
    event = given()
    if not event:
        return
    if name == "PreToolUse":
        from clew.interfaces.hook import before

        before.run(event, live, say)
    elif name in ("PostToolUse", "PostToolUseFailure"):
        from clew.interfaces.hook import after

        after.run(name, event, live, data)
    elif name == "UserPromptSubmit":
        from clew.interfaces.hook import prompt

        prompt.run(event, live, data)
    elif name == "SubagentStop":
        from clew.interfaces.hook import summary

        summary.run(event, live)
    elif name == "statusline":
        from clew.interfaces.hook import line

        line.run(event, data)
        return
    elif name in FULL:
        if name == "SessionStart":
            from clew.interfaces.hook import start

            if not start.wanted(live, data):
                return
        from clew.interfaces.hook import full

        full.run(name, event, live, data)
    else:
        return
    from clew.interfaces.hook import marks

    marks.touch(f"{live}/beats/{name}")
    if name == "SessionStart" and (folder := marks.folder_of(event, live)) and marks.is_there(live):
        marks.touch(folder + "/started")


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
