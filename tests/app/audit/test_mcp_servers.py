"""MCP servers are started on request, asked for their tools, and ended with all that they started."""

# ruff: noqa: E501 - servers as texts

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest

from clew.app.audit.audit import audit
from clew.app.audit.mcp_servers import McpServer, measure, servers
from clew.core.errors import NotAllowed
from clew.core.text.tokens import estimate
from tests.app.audit.test_audit import KNOWN, working
from tests.app.projects import World

TOOL = {"name": "tide", "description": "Tells the tide", "inputSchema": {"type": "object"}}
# Speaks as a server does: a note first, then answers by their number.
SERVER = f"""\
import json, os, sys
print(json.dumps({{"jsonrpc": "2.0", "method": "notifications/message"}}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("method") == "initialize":
        told = {{"result": {{"capabilities": {{}}}}}}
    elif asked.get("method") == "tools/list":
        told = {{"result": {{"tools": [{TOOL!r}, dict({TOOL!r}, annotations={{"x": "y" * 999}})]}}}}
    else:
        continue
    print(json.dumps({{"jsonrpc": "2.0", "id": asked["id"], **told}}), flush=True)
"""


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def script(world: World, text: str) -> list[str]:
    path = world.home / "server.py"
    path.write_text(text, encoding="utf-8")
    return [sys.executable, "-I", "-S", str(path)]


def configure(world: World, place: Path, command: list[str], **more: object) -> None:
    row = {"command": command[0], "args": command[1:], **more}
    place.write_text(json.dumps({"mcpServers": {"harbour": row}}), encoding="utf-8")


def test_tools_cost_what_reaches_the_model(world: World) -> None:
    """Given a server in the user's settings, name, description and schema count, and nothing else of a tool."""
    configure(world, world.home / ".claude.json", script(world, SERVER))
    (one,) = measure(world.as_agent, servers(world.ports, "claude-code", world.top), world.top, lambda _: None)
    assert ("harbour", 2, "") == (one.name, one.tools, one.problem)
    assert 2 * estimate(json.dumps(TOOL)) == one.tokens


def test_a_bill_with_servers(world: World) -> None:
    """Their schemas are taken out of the base, and one that was never called is said so."""
    configure(world, world.home / ".claude.json", script(world, SERVER))
    working(world).save()
    found = audit(world.by_person, KNOWN, mcp=True)
    (line,) = [line for line in found.lines if line.group == "mcp"]
    assert ("harbour", 2) == (line.parts[0].name, found.servers[0].tools)
    assert any("this session never called it" in note for note in found.notes)
    assert not any("`--mcp` asks them" in note for note in found.notes)


def test_what_a_project_names_is_run_for_a_person_only(world: World) -> None:
    """Anybody may have written `.mcp.json`."""
    mark = world.home / "ran"
    configure(world, world.top / ".mcp.json", script(world, f"open({str(mark)!r}, 'w')\n{SERVER}"))
    found = servers(world.ports, "claude-code", world.top)
    assert [False] == [one.is_own for one in found]
    with pytest.raises(NotAllowed, match="start the MCP server harbour"):
        measure(world.as_agent, found, world.top, lambda _: None)
    assert not mark.exists()
    assert 2 == measure(world.ports, found, world.top, lambda _: None)[0].tools


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("import time\ntime.sleep(60)", "it did not answer in 1 s"),
        ("print('hello')", "it did not answer in 1 s"),
        (
            "import json,sys\nfor _ in sys.stdin: print(json.dumps({'id': 1, 'error': {'message': 'no key\\x1b[1m'}}), flush=True)",
            "no key",
        ),
    ],
)
def test_a_server_that_does_not_answer(world: World, text: str, problem: str) -> None:
    """It is given up after the time-out, with why."""
    server = McpServer("harbour", tuple(script(world, text)), {}, world.home, True)
    (one,) = measure(world.ports, [server], world.top, lambda _: None, timeout_s=1)
    assert (0, problem) == (one.tokens, one.problem.replace("[1m", ""))


def test_nothing_is_left_behind(world: World) -> None:
    """Given a server that starts another process, both are gone."""
    child = world.home / "child"
    text = (
        "import os, subprocess, sys\n"
        "one = subprocess.Popen([sys.executable, '-I', '-S', '-c', 'import time; time.sleep(60)'])\n"
        f"open({str(child)!r}, 'w').write(str(one.pid))\n{SERVER}"
    )
    server = McpServer("harbour", tuple(script(world, text)), {}, world.home, True)
    assert 2 == measure(world.ports, [server], world.top, lambda _: None)[0].tools
    pid = int(child.read_text())
    for _ in range(100):
        state = Path(f"/proc/{pid}/stat").read_text().split()[2] if Path(f"/proc/{pid}").exists() else "gone"
        if state in ("gone", "Z"):
            break
        time.sleep(0.05)
    assert state in ("gone", "Z")


def test_where_clients_name_servers(world: World) -> None:
    """Each in its own form; what has an address needs no start, and what is switched off is none."""
    (world.home / ".codex").mkdir()
    (world.home / ".codex" / "config.toml").write_text(
        '[mcp_servers.tide]\ncommand = "tide"\nargs = ["-v"]\nenv = { A = "1" }\n[mcp_servers.web]\nurl = "https://x"\n'
    )
    (world.home / ".gemini").mkdir()
    (world.home / ".gemini" / "settings.json").write_text('{"mcpServers": {"tide": {"command": "tide"}}} ')
    place = world.home / ".config" / "opencode"
    place.mkdir(parents=True)
    (place / "opencode.jsonc").write_text(
        '{ // ours\n"mcp": {"tide": {"type": "local", "command": ["tide", "-v"]}, "off": {"command": ["x"], "enabled": false}}}'
    )
    ports = world.ports
    assert [("tide", ("tide", "-v"), {"A": "1"})] == [
        (one.name, one.command, dict(one.environment)) for one in servers(ports, "codex", world.top)
    ]
    assert [("tide",)] == [one.command for one in servers(ports, "gemini", world.top)]
    assert [("tide", "-v")] == [one.command for one in servers(ports, "opencode", world.top)]
    (world.home / ".codex" / "config.toml").write_text("no toml [")
    assert [] == servers(ports, "codex", world.top)
    assert os.fspath(world.home)
