"""The server as a process: for real clients, for two at once, for nonsense, and for a client that dies."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import mcp
import mcp_types
import pytest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from clew.interfaces.mcp.pipe import LINE_BYTES_MAX
from clew.interfaces.mcp.server import STATELESS, VERSIONS
from clew.interfaces.mcp.tools import INSTRUCTIONS, listing
from tests.app.worlds import snapshot
from tests.interfaces.mcp.servers import CLIENT, Place, Server, serving

NAMES = ["record", "checkpoint", "resume", "confirm", "plan", "show"]


def with_client(place: Place, story: Callable[[mcp.Client], Awaitable[None]], **options: Any) -> None:
    """Live a story with the SDK's own client, over a pipe to a server that it started."""

    async def run() -> None:
        command, *arguments = place.command
        server = mcp.StdioServerParameters(
            command=command, args=arguments, env=place.environment(), cwd=options.pop("cwd", place.shop.top)
        )
        with anyio.fail_after(60):
            async with mcp.Client(server, **options) as client:
                await story(client)

    anyio.run(run)


def text_of(result: mcp_types.CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, mcp_types.TextContent)
    return content.text


@pytest.mark.parametrize("mode", ["auto", "legacy", "2026-07-28"])
def test_a_day_with_the_sdks_client(place: Place, mode: str) -> None:
    """The whole of it, as a client that follows the protocol sees it, whichever way it begins."""

    async def story(client: mcp.Client) -> None:
        if mode != "2026-07-28":  # which shakes no hands
            assert ("clew", INSTRUCTIONS) == (client.server_info.name, client.instructions)
        assert NAMES == [tool.name for tool in (await client.list_tools()).tools]
        noted = await client.call_tool("record", {"kind": "decision", "text": "Amounts are integer cents"})
        assert not noted.is_error
        assert text_of(noted).startswith("Noted D-")
        assert "Amounts are integer cents" in text_of(await client.call_tool("resume", {}))
        wrong = await client.call_tool("record", {"kind": "wish", "text": "x"})
        assert wrong.is_error
        assert "[E-tool-arguments]" in text_of(wrong)

    with_client(place, story, mode=mode)
    (event,) = place.shop.events()
    assert ("agent", "mcp") == (event.event.provenance, event.event.actor)


def test_the_versions_are_those_of_the_sdk(place: Place) -> None:
    """A version that the protocol gives up, or takes up, would be answered wrongly; another is told our newest."""
    assert HANDSHAKE_PROTOCOL_VERSIONS == VERSIONS and (STATELESS,) == MODERN_PROTOCOL_VERSIONS
    with serving(place) as server:
        for version in (*VERSIONS, "2031-01-01"):
            said = server.asked("initialize", 1, protocolVersion=version, capabilities={}, clientInfo=CLIENT)
            assert said["protocolVersion"] == (version if version in VERSIONS else VERSIONS[-1])
            assert {"tools": {"listChanged": False}} == said["capabilities"]


def test_a_client_that_does_not_start_us_in_the_project_is_asked_for_its_roots(place: Place) -> None:
    """Editors start their servers anywhere; the folder that is open is one of their roots."""

    async def roots(_: Any) -> mcp_types.ListRootsResult:
        uris = [place.foreign.as_uri(), place.shop.top.as_uri()]
        return mcp_types.ListRootsResult(roots=[mcp_types.Root(uri=uri) for uri in uris])

    async def story(client: mcp.Client) -> None:
        assert NAMES == [tool.name for tool in (await client.list_tools()).tools]
        assert not (await client.call_tool("record", {"kind": "next", "text": "Wire it"})).is_error

    with_client(place, story, mode="legacy", list_roots_callback=roots, cwd=place.foreign)
    assert ["Wire it"] == place.shop.live()


def test_the_first_requests_are_answered_at_once(place: Place) -> None:
    """Claude Code names a server to the model that keeps it waiting; Codex does without its tools. The one probes for
    the newest protocol first, and has to be told to shake hands.
    """
    with serving(place, options=["-X", "importtime"]) as server:
        server.send("server/discover", "probe-1", _meta={"x": 1})
        assert mcp_types.METHOD_NOT_FOUND == server.heard()["error"]["code"]
        assert INSTRUCTIONS == server.shake_hands()["instructions"]
        assert listing() == server.asked("tools/list", 1)["tools"]
        assert {} == server.asked("ping", 2)
        exit_code, err = server.end()
    imported = {row.rpartition("|")[2].strip().partition(".")[0] for row in err.decode().splitlines()}
    assert 0 == exit_code
    assert "click" in imported
    # Who sits at the client is asked of psutil, which brings subprocess.
    assert not imported & {"mcp", "mcp_types", "pydantic", "anyio", "asyncio", "apsw", "logging"}


EDITOR = {"name": "somebodys-editor", "version": "1"}


def roots_told(server: Server, answer: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """The message that comes after the server's questions for roots, and how many of those there were."""
    asked = 0
    while (message := server.heard()).get("method") == "roots/list":
        asked += 1
        server.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}).encode() + b"\n")
    return message, asked


@pytest.mark.parametrize("begins", ["plainly", "newer", "with roots", "with a call"])
def test_a_run_that_nobody_sits_at_is_offered_nothing(place: Place, begins: str) -> None:
    """Whichever way the connection goes: in a headless run nobody asked for our words, and not one token of them is
    wanted.
    """
    able: dict[str, Any] = {"roots": {}} if begins == "with roots" else {}
    version = "2031-01-01" if begins == "newer" else "2025-06-18"
    about = EDITOR if begins == "with roots" else {"name": "claude-code", "version": "2"}
    with serving(place, CLAUDE_CODE_SESSION_ATTENDED="0") as server:
        said = server.asked("initialize", 1, protocolVersion=version, capabilities=able, clientInfo=about)
        assert "instructions" not in said
        server.send("notifications/initialized")
        if begins == "with a call":
            failed, text = server.call("record", kind="finding", text="x")
            assert failed
            assert "[E-not-opted-in]" in text
        server.send("tools/list", 3)
        message, _ = roots_told(server, {"result": {"roots": [{"uri": place.shop.top.as_uri()}]}})
        assert [] == message["result"]["tools"]
    assert [] == place.shop.live()


def test_a_run_for_a_task_is_offered_all(place: Place) -> None:
    """Who names a task for a headless run wants clew in it."""
    with serving(place, CLAUDE_CODE_SESSION_ATTENDED="0", CLEW_TASK="T-1") as server:
        assert INSTRUCTIONS == server.shake_hands()["instructions"]
        assert NAMES == [tool["name"] for tool in server.asked("tools/list", 3)["tools"]]


def test_a_client_that_has_to_be_asked_where_it_stands_gets_no_instructions(place: Place) -> None:
    """They are told in the handshake, before its roots are known: it was started here, and works elsewhere."""
    with serving(place) as server:
        said = server.shake_hands(about=EDITOR, able={"roots": {}})
        assert "instructions" not in said
        server.send("tools/list", 1)
        message, _ = roots_told(server, {"result": {"roots": [{"uri": place.foreign.as_uri()}]}})
        assert [] == message["result"]["tools"]


def test_roots_are_asked_for_once_and_when_they_changed(place: Place) -> None:
    """A client that answers late, or wrongly, would be waited for at every call."""
    with serving(place, place.foreign) as server:
        server.shake_hands(about=EDITOR, able={"roots": {"listChanged": True}})
        tools, asked = [], []
        for number in range(4):
            if number == 2:
                server.send("notifications/roots/list_changed")
            server.send("tools/list", number)
            root = {"result": {"roots": [{"uri": place.shop.top.as_uri()}]}}
            wrong = {"error": {"code": -32603, "message": "no"}}
            message, times = roots_told(server, root if number == 2 else wrong)
            tools.append(len(message["result"]["tools"]))
            asked.append(times)
    assert ([0, 0, 6, 6], [1, 0, 1, 0]) == (tools, asked)


@pytest.mark.parametrize("inside", ["foreign", "gone"])
def test_in_any_other_folder_it_says_nothing_and_makes_nothing(place: Place, inside: str) -> None:
    """A person's other projects are none of ours (SPEC C23)."""
    before = snapshot(place.foreign, place.shop.home)
    environment = {"CLAUDE_PROJECT_DIR": str(place.foreign / "gone")} if inside == "gone" else {}
    with serving(place, place.foreign, **environment) as server:
        said = server.shake_hands(able={"roots": {}})
        assert "instructions" not in said
        assert [] == server.asked("tools/list", 1)["tools"]
        failed, text = server.call("record", kind="decision", text="x")
        assert failed
        assert "[E-not-opted-in]" in text
        assert (0, b"") == server.end()
    assert before == snapshot(place.foreign, place.shop.home)


def test_a_person_at_gemini_is_told_how_to_opt_in(place: Place) -> None:
    """By a command of theirs; the model hears of it when they type it."""
    with serving(place, place.foreign) as server:
        server.shake_hands(about={"name": "gemini-cli-mcp-client", "version": "0.61.0"}, able={"roots": {}})
        (prompt,) = server.asked("prompts/list", 1)["prompts"]
        (message,) = server.asked("prompts/get", 2, name=prompt["name"])["messages"]
        assert "`clew init`" in message["content"]["text"]


def test_two_servers_on_one_ledger(place: Place) -> None:
    """Two clients are open in one project. Nothing of the ledger is held between calls, so each sees at once what the
    other recorded, and what a person did meanwhile.
    """
    with serving(place) as one, serving(place) as other:
        for server in (one, other):
            server.shake_hands()
        for number in range(5):
            one.send("tools/call", number, name="record", arguments={"kind": "finding", "text": f"One {number}"})
            other.send("tools/call", number, name="record", arguments={"kind": "finding", "text": f"Two {number}"})
        answers = [server.heard() for server in (one, other) for _ in range(5)]
        assert not [answer for answer in answers if answer["result"]["isError"]]
        assert sorted(f"{who} {number}" for who in ("One", "Two") for number in range(5)) == place.shop.live()
        place.shop.noted("decision", "Noted by Ada meanwhile")
        text = one.call("show")[1]
        assert "Two 4" in text and "Noted by Ada meanwhile" in text
        one.process.send_signal(signal.SIGINT)  # by which some clients end their servers
        assert -signal.SIGINT == one.process.wait(5)
        assert not other.call("checkpoint")[0]


def test_nonsense_does_no_harm(place: Place) -> None:
    """Neither before nor after the handshake: no trace on stderr, nothing but messages on stdout, no end."""
    nonsense = [
        b"\n", b"{\n", b"null\n", b"[]\n", b"\xff\xfe\x00\n", b"[" * 200_000 + b"\n", b'{"jsonrpc":"2.0"}\n',
        b'{"jsonrpc":"2.0","method":"notifications/nothing","params":[1]}\n',
        b'{"jsonrpc":"2.0","id":null,"method":"ping"}\n',
        b'{"jsonrpc":"2.0","id":99,"result":{}}\n',
        b'"' + b"x" * (LINE_BYTES_MAX + 70_000) + b'"\n',
    ]  # fmt: skip
    half = b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}\n'
    halves = [half, half.replace(b"\\ud800", b"\xed\xa0\x80"), half.replace(b"\\ud800", b"\\uDFFF\\ud83d\\ude00")]
    with serving(place) as server:
        for line in nonsense:
            server.write(line)
        server.shake_hands()
        for line in halves:
            server.write(line)
            assert {} == server.heard()["result"]
        assert not server.call("record", kind="finding", text="Still here")[0]
        for line in nonsense:
            server.write(line)
        for line in halves:
            server.write(line)
            assert {} == server.heard()["result"]
        assert not server.call("show", words="\ud800")[0]
        server.send("nothing/of/ours", 3)
        assert mcp_types.METHOD_NOT_FOUND == server.heard()["error"]["code"]
        server.send("tools/call", 4, name=7)
        assert mcp_types.INVALID_PARAMS == server.heard()["error"]["code"]
        assert not server.call("record", kind="finding", text="And here")[0]
        code, err = server.end(10)
    assert (0, b"") == (code, err)
    assert ["And here", "Still here"] == place.shop.live()


def test_it_answers_what_was_asked_before_its_input_ended(place: Place) -> None:
    """So `printf … | clew mcp` works, and a client that closes its end first loses nothing."""
    with serving(place) as server:
        server.shake_hands()
        server.send("tools/call", 1, name="record", arguments={"kind": "finding", "text": "In time"})
        assert server.process.stdin is not None
        server.process.stdin.close()
        assert not server.heard()["result"]["isError"]
        assert 0 == server.process.wait(20)
    assert ["In time"] == place.shop.live()


def test_what_is_cancelled_is_not_answered(place: Place) -> None:
    """A call that waits for another one is not made any more; a ping is answered meanwhile."""
    with serving(place) as server:
        server.shake_hands()
        for number in (1, 2):
            server.send("tools/call", number, name="record", arguments={"kind": "finding", "text": f"Tide {number}"})
        server.send("notifications/cancelled", requestId=2)
        server.send("ping", 3)
        assert {1, 3} == {server.heard()["id"], server.heard()["id"]}
        assert (0, b"") == server.end()
    assert ["Tide 1"] == place.shop.live()


@pytest.mark.parametrize("called", [False, True], ids=["at once", "after a call"])
def test_it_ends_when_nobody_listens(place: Place, called: bool) -> None:
    """A closed stdout is no error of anybody's, and leaves no process."""
    with serving(place) as server:
        server.shake_hands()
        if called:
            server.call("show")
        assert server.process.stdout is not None
        server.process.stdout.close()
        server.send("tools/list", 2)
        assert 0 == server.process.wait(30)
        assert server.process.stderr is not None
        assert b"" == server.process.stderr.read()


@pytest.mark.skipif(sys.platform == "win32", reason="kills by signal")
@pytest.mark.parametrize("called", [False, True], ids=["at once", "after a call"])
def test_it_ends_with_a_client_that_is_killed(place: Place, called: bool) -> None:
    """Even when a child of the client holds the other end of the pipe open: no orphan is left."""
    client = f"""
import json, subprocess, time
server = subprocess.Popen({place.command!r}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
held = subprocess.Popen(["sleep", "60"], pass_fds=[server.stdin.fileno()])
def ask(number, method, **params):
    print(json.dumps(dict(jsonrpc="2.0", id=number, method=method, params=params)), file=server.stdin)
    return server.stdout.readline()
ask(1, "initialize", protocolVersion="2025-06-18", capabilities={{}}, clientInfo={CLIENT!r})
if {called!r}:
    ask(2, "tools/call", name="show", arguments={{}})
print(server.pid, held.pid, flush=True)
time.sleep(60)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", client], cwd=place.shop.top, env=place.environment(), stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    pid, held = map(int, process.stdout.readline().split())
    try:
        process.kill()
        process.wait()
        limit = time.monotonic() + 20
        while _runs(pid) and time.monotonic() < limit:
            time.sleep(0.05)
        assert not _runs(pid)
    finally:
        process.stdout.close()
        for one in (pid, held):
            if _runs(one):
                os.kill(one, signal.SIGKILL)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not state.exists() or "Z" != state.read_text().rpartition(")")[2].split()[0]
