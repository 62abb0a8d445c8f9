"""What doctor learns from Codex's settings: above all which hooks the client passes over in silence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clew.clients.codex.settings import CodexConfig, CodexInstaller, trust_digest
from clew.clients.configured import Configuration
from clew.clients.installing import HookCommand

HOME = Path("/h/.codex")
EVENTS = CodexConfig.spec.events
COMMAND = HookCommand("/bin/py", ("-c", "import clewhook"))


def hooks() -> dict[str, Any]:
    [edited] = CodexInstaller(HOME).user(COMMAND).edited
    return {"hooks": {entry.path[1]: [entry.value] for entry in edited.entries}}


def accepted(told: dict[str, Any], **more: object) -> str:
    """What the client writes into config.toml when the user trusts all hooks of `told`."""
    rows = []
    for event, [group] in told["hooks"].items():
        snake = "".join(f"_{c.lower()}" if c.isupper() else c for c in event).lstrip("_")
        digest = trust_digest(event, group.get("matcher", ""), group["hooks"][0])
        rows += [f'[hooks.state."{HOME}/hooks.json:{snake}:0:0"]', f'trusted_hash = "{digest}"']
        rows += [f"{name} = {json.dumps(value)}" for name, value in more.items()]
    return "\n".join(rows) + "\n"


def read(config: str = "", told: Any = None) -> Configuration:
    files = [(HOME / "config.toml", config.encode())]
    if told is not None:
        files.append((HOME / "hooks.json", (told if isinstance(told, str) else json.dumps(told)).encode()))
    return CodexConfig(HOME).read(files, {})


def test_hooks_that_nobody_accepted_are_told() -> None:
    """They never run, and the client does not say so."""
    found = read("", hooks())
    assert [one.event for one in found.hooks] == list(found.events) == list(EVENTS)
    assert (found.hooks[0].program, found.hooks[0].arguments[-2:]) == ("/bin/py", ("codex", "SessionStart"))
    [problem] = found.problems
    assert "not accepted" in problem.said and all(event in problem.said for event in EVENTS)
    assert "/hooks" in problem.mend


def test_accepted_hooks_are_no_problem_until_they_change() -> None:
    """Trust is in one command line: a new interpreter has to be accepted again."""
    told = hooks()
    assert read(accepted(told), told).problems == ()
    changed = json.loads(json.dumps(told).replace("/bin/py", "/bin/other"))
    assert "not accepted" in read(accepted(told), changed).problems[0].said
    moved = {"hooks": {**told["hooks"], "Stop": [{"hooks": [{"type": "command", "command": "bell"}]}]}}
    moved["hooks"]["Stop"] += told["hooks"]["Stop"]
    [problem] = read(accepted(told), moved).problems
    assert problem.said.endswith(": Stop"), "the place of a hook is part of what was accepted"
    assert "switched off" in read(accepted(told, enabled=False), told).problems[0].said


def test_the_digest_is_the_clients() -> None:
    """Taken from `hooks/list` of 0.169.0. It shortens the time of a session's end."""
    hook = {"type": "command", "command": "/bin/true", "timeout": 10}
    assert trust_digest("SessionEnd", "", hook) == trust_digest("SessionEnd", "", {**hook, "timeout": 3})
    assert trust_digest("Stop", "", hook) != trust_digest("Stop", "", {**hook, "timeout": 3})
    assert trust_digest("PreToolUse", "^Bash$", hook) == DIGEST
    assert trust_digest("SessionEnd", "", {"command": "/bin/true"}) == LATE
    assert trust_digest("PostToolUse", "", {"command": 'echo \u00e9 \x7f "x" \\ \t/', "statusMessage": "hm"}) == TOLD
    assert trust_digest("Stop", "", {"command": "/bin/true", "timeout": 60, "async": True}) == SILENT


DIGEST = "sha256:9f1692fda3b5c78f1519e3949ce9e1dbed6c82d7168d51dabec1a4e6c615ce58"
LATE = "sha256:e316a08dd3c9aaa8f1ce73ad0aae0a3a5027e24211addbfe4fc16859be173e94"
TOLD = "sha256:caa99f1a49d0e091e824975851bb54e27257cb351e593da1f776e9cdc55c5e81"
SILENT = "sha256:de00a71e942b9543317f19db61f11038726b4151d2a1e6aee706065c31aabb7a"


def test_what_switches_hooks_off_is_told() -> None:
    """A person would look for the fault in clew."""
    told = hooks()
    off = read("[features]\nhooks = false\n\n" + accepted(told), told)
    assert ["switches all hooks off" in one.said for one in off.problems] == [True]
    assert "does not start" in read("model = \n").problems[0].said
    assert "runs no hook" in read("", "{ // mine\n}").problems[0].said
    assert read("").problems == () and read("").hooks == ()


def test_a_server_that_is_not_waited_for_is_told() -> None:
    """Its tools are missing in some sessions and there in others."""
    server = '[mcp_servers.clew]\ncommand = "py"\nargs = ["-m", "clew", "mcp"]\n'
    assert "wait for clew's MCP server" in read(server).problems[0].said
    assert read(server + "required = true\n").problems == ()
    theirs = CodexConfig(HOME).read([(Path("/repo/.codex/config.toml"), server.encode())], {})
    assert theirs.problems == (), "nobody is told to wait for a server that came with a repository"


@pytest.mark.parametrize(
    ("config", "window"),
    [
        ("", 0),
        ("model_context_window = 200000\n", 200_000),
        ("model_context_window = 200000\nmodel_auto_compact_token_limit = 150000\n", 150_000),
        ('model_context_window = "many"\n', 0),
    ],
)
def test_when_the_context_is_dropped(config: str, window: int) -> None:
    """Pressure is told by how far that is."""
    found = read(config)
    assert (found.compact_window, found.compacts, found.retention_days) == (window, True, 0)
