"""The handshake without the SDK: what it says is what the SDK says, and what it does not know is left to the SDK."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
import mcp_types
import pytest
from mcp.server.stdio import stdio_server

from clew.interfaces.mcp.handshake import VERSIONS, Opening
from clew.interfaces.mcp.server import Standing, made
from clew.interfaces.mcp.tools import INSTRUCTIONS, listing
from tests.app.worlds import ports

ABOUT = {"name": "codex-mcp-client", "version": "0.169.0"}


def line(method: str, number: int | str | None = None, /, **params: Any) -> bytes:
    """A message of a client."""
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
    message |= {"id": number} if number is not None else {}
    message |= {"params": params} if params else {}
    return json.dumps(message).encode()


def hello(version: str = "2025-06-18", *, about: object = ABOUT, **able: object) -> bytes:
    return line("initialize", 0, protocolVersion=version, capabilities=able, clientInfo=about)


def opening(*, offers: bool = True) -> Opening:
    return Opening(version="1.2.3", tools=listing() if offers else (), instructions=INSTRUCTIONS if offers else "")


def sdk_says(lines: list[bytes], folder: Path, *, offers: bool, prompts: Sequence[Any] = ()) -> list[Any]:
    """The SDK's answers to the same lines, in the order of their ids."""
    here = Standing(ports(folder), folder, folder, lambda _: offers, 1, "1.2.3")
    server, out = made(here, prompts), io.StringIO()
    reading, writing = os.pipe()
    wanted = sum("id" in json.loads(one) for one in lines)

    async def run() -> None:
        async def ask() -> None:
            os.write(writing, b"".join(one + b"\n" for one in lines))
            with anyio.move_on_after(20):
                while out.getvalue().count("\n") < wanted:
                    await anyio.sleep(0.01)
            os.close(writing)

        with os.fdopen(reading, encoding="utf-8") as given:
            async with (
                anyio.create_task_group() as group,
                stdio_server(anyio.wrap_file(given), anyio.wrap_file(out)) as (incoming, outgoing),
            ):
                group.start_soon(ask)
                await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(run)
    return sorted(map(json.loads, out.getvalue().splitlines()), key=lambda one: int(one["id"]))


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("offers", [True, False], ids=["opted-in", "foreign"])
def test_it_answers_as_the_sdk_does(version: str, offers: bool, tmp_path: Path) -> None:
    """A client may not notice who answers: the SDK takes over in the middle of the connection."""
    lines = [
        hello(version),
        line("notifications/initialized"),
        line("ping", 1),
        line("tools/list", 2),
        line("tools/list", 3, _meta={"progressToken": 0}),
    ]
    front = opening(offers=offers)
    ours = [json.loads(answer) for one in lines if (answer := front.answer(one))]
    # Instructions are ours alone: the SDK's server serves clients that have to be asked where they stand.
    assert (INSTRUCTIONS if offers else None) == ours[0]["result"].pop("instructions", None)
    assert sdk_says(lines, tmp_path, offers=offers) == ours
    assert lines[:2] == front.handshake


def test_gemini_gets_a_prompt_where_it_gets_no_tools(tmp_path: Path) -> None:
    """It tells its person of "MCP issues" at every start in every other project, where a server offers nothing."""
    about = {"name": "gemini-cli-mcp-client", "version": "0.61.0"}
    lines = [hello(about=about, roots={}), line("tools/list", 1), line("prompts/list", 2)]
    front = opening(offers=False)
    ours = [json.loads(front.answer(one) or b"") for one in lines]
    assert sdk_says(lines, tmp_path, offers=False, prompts=front.prompts) == ours
    assert ["clew"] == [prompt["name"] for prompt in ours[2]["result"]["prompts"]]
    assert front.answer(line("prompts/get", 3, name="clew")) is None
    front = opening()
    assert "prompts" not in json.loads(front.answer(lines[0]) or b"")["result"]["capabilities"]


def test_the_versions_are_those_of_the_sdk() -> None:
    """A version that the SDK gives up, or takes up, would be answered wrongly."""
    from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

    assert HANDSHAKE_PROTOCOL_VERSIONS == VERSIONS


def test_a_probe_for_the_newest_protocol_is_told_to_shake_hands() -> None:
    """Claude Code asks this first; with the SDK's answer its first request would have to wait for the SDK."""
    front = opening()
    answer = json.loads(front.answer(line("server/discover", "probe-1", _meta={"x": 1})) or b"")
    assert ("probe-1", mcp_types.METHOD_NOT_FOUND) == (answer["id"], answer["error"]["code"])
    assert front.answer(hello())


@pytest.mark.parametrize(
    "message",
    [
        hello("1999-01-01"),
        hello(about={"name": "somebody's-editor", "version": "1"}, roots={}),
        hello(about="me"),
        line("initialize", 0),
        line("tools/list", 1),
        line("tools/call", 1, name="show"),
    ],
    ids=["version", "roots", "nobody", "nothing", "no handshake", "call"],
)
def test_what_it_does_not_know_is_the_sdks(message: bytes) -> None:
    """Whoever is not known, or begins in another way, is served as the SDK serves."""
    assert opening().answer(message) is None


@pytest.mark.parametrize(
    "message",
    [
        line("tools/call", 1, name="show"),
        line("tools/list", 1, cursor="2"),
        line("resources/list", 1),
        hello(),
        b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]}',
    ],
)
def test_after_the_handshake_too(message: bytes) -> None:
    """The SDK has to come in before anything that is more than a question of the beginning."""
    front = opening()
    front.answer(hello())
    assert front.answer(message) is None


@pytest.mark.parametrize(
    "message",
    [b"", b"{", b"null", b"[]", b'"x"', b"\xff\xfe", b"[" * 100_000, b'{"id": 1}', b'{"jsonrpc": "1.0", "id": 1}'],
    ids=["empty", "torn", "null", "list", "text", "bytes", "deep", "no version", "old"],
)
def test_garbage_gets_no_answer(message: bytes) -> None:
    """A client that writes nonsense gets neither an error nor an end; what follows is answered."""
    front = opening()
    assert b"" == front.answer(message)
    assert front.answer(hello())


def test_a_foreign_project_is_told_nothing() -> None:
    """Not one word of ours reaches a model in a project where nobody opted in."""
    front = opening(offers=False)
    said = json.loads(front.answer(hello()) or b"")["result"]
    assert {"name": "clew", "version": "1.2.3"} == said.pop("serverInfo")
    assert {"protocolVersion": "2025-06-18", "capabilities": {"tools": {"listChanged": False}}} == said
    assert {"tools": []} == json.loads(front.answer(line("tools/list", 1)) or b"")["result"]


@pytest.mark.parametrize(
    "first",
    [hello(), hello("2031-01-01"), hello(about={"name": "an-editor", "version": "1"}, roots={}), line("initialize", 0)],
    ids=["known", "newer", "roots", "nothing"],
)
def test_alone_it_answers_everything(first: bytes) -> None:
    """Codex does not start without a server that it needs, so one without the SDK has to shake hands all the same."""
    front = Opening(version="1.2.3", tools=(), instructions="", alone=True)
    said = json.loads(front.answer(first) or b"")["result"]
    assert said["protocolVersion"] in VERSIONS
    assert "instructions" not in said
    assert b"" == front.answer(line("notifications/initialized"))
    assert {"tools": []} == json.loads(front.answer(line("tools/list", 1)) or b"")["result"]
    for asked in (line("tools/call", 2, name="show"), line("resources/list", 2), line("tools/list", 2, cursor="x")):
        answer = json.loads(front.answer(asked) or b"")
        assert 2 == answer["id"]
        assert "[E-no-mcp]" in answer["error"]["message"]
