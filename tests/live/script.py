"""What a scripted model says, in one form for every client: turns of text, tool calls and usage.

Tools are named as in Claude Code (Bash, Read, Edit, Write, `mcp__SERVER__TOOL`). The protocol of another client turns
them into the tools of that client, so that one script serves all. Any other name goes to the client as it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

OUT_OF_SCRIPT = "The script is over."


class Call(NamedTuple):
    """A tool call that the model makes."""

    tool: str
    input: Mapping[str, Any]


class Turn(NamedTuple):
    """One answer of the model.

    `tokens` is the usage that it reports for what it was sent. `error` is (status, kind, words) in place of an answer.
    `headers` and `details` (of the error itself) stand in an answer with an error. `wait` is called before the answer
    is sent; what it raises ends the session, and the test where it leaves the model. An error with the status 200 comes
    in the stream of an answer that began well, from a protocol that has such (`responses`).
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    tokens: int = 1000
    error: tuple[int, str, str] | None = None
    wait: Callable[[], object] | None = None
    headers: tuple[tuple[str, str], ...] = ()
    details: Mapping[str, Any] = {}


class Said(NamedTuple):
    """A piece of a request: `role` is system, tools, user, model or result (of a tool). `failed` results only."""

    role: str
    text: str
    failed: bool = False


class Request(NamedTuple):
    """A request that reached the model: `kind` is main, agent (a sub-agent's), summary, or aside (no tools).

    `seen` is what the model saw, piece by piece in the order of the request, the same form for every client.
    """

    kind: str
    body: Mapping[str, Any]
    headers: Mapping[str, str]
    seen: tuple[Said, ...] = ()
    injected: tuple[str, ...] = ()


Scripted: TypeAlias = "Turn | Callable[[Request], Turn]"


def say(text: str, *calls: Call, tokens: int = 1000, wait: Callable[[], object] | None = None) -> Turn:
    """The model says something and calls tools."""
    return Turn(text, calls, tokens, wait=wait)


def bash(command: str, **more: Any) -> Call:
    return Call("Bash", {"command": command, "description": "scripted command", **more})


def read(path: object) -> Call:
    return Call("Read", {"file_path": str(path)})


def edit(path: object, old: str, new: str) -> Call:
    return Call("Edit", {"file_path": str(path), "old_string": old, "new_string": new})


def write(path: object, content: str) -> Call:
    return Call("Write", {"file_path": str(path), "content": content})


def asks(server: str, tool: str, **arguments: Any) -> Call:
    """A call of a tool that an MCP server offers."""
    return Call(f"mcp__{server}__{tool}", arguments)
