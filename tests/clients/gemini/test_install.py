"""What Gemini CLI gets, and what is known as ours in its settings."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from clew.clients.gemini.config import GeminiConfig
from clew.clients.gemini.install import EVENTS, GeminiInstaller, is_ours
from clew.clients.installing import Command

# A folder can be called anything. What is printed is what the hook would have.
START = "import sys;p='/home/o\\'neil/$HOME ${PATH}';print([p, 'clewhook', *sys.argv[1:]])"
COMMAND = Command(sys.executable, ("-I", "-S", "-c", START))
INSTALLER = GeminiInstaller(Path("/home/dev/.gemini"), server=True)
(SETTINGS,) = INSTALLER.user(COMMAND).edited


def test_no_hook_stands_where_it_would_harm() -> None:
    """What is said at a session's start makes the user's prompts vanish at a resume; the event before a compaction
    comes at every request."""
    assert set(EVENTS) == {"BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "SessionEnd"}


@pytest.mark.parametrize(
    "entry", [one for one in SETTINGS.entries if one.path[0] == "hooks"], ids=lambda one: one.path[1]
)
def test_the_client_starts_what_was_meant(entry: Any) -> None:
    """It gives the line to a shell, after it put variables in; and its time-outs are in milliseconds."""
    (run,) = entry.value["hooks"]
    assert "$" not in run["command"]
    done = subprocess.run(["bash", "-c", run["command"]], capture_output=True, text=True, timeout=20)
    assert done.stdout == f"{['/home/o' + chr(39) + 'neil/$HOME ${PATH}', 'clewhook', 'gemini', entry.path[1]]}\n"
    assert 1_000 < run["timeout"] < 120_000


def test_the_entries_are_known_as_ours() -> None:
    """Else they would be installed again at each `clew init`."""
    for entry in SETTINGS.entries:
        assert is_ours((*entry.path, entry.key), entry.value)
    assert is_ours(("hooks", "AfterTool", "", "hooks", ""), SETTINGS.entries[0].value["hooks"][0])
    assert is_ours(("mcpServers", "clew"), {"command": "clew", "args": ["mcp"]})


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("hooks", "AfterTool", ""), {"hooks": [{"type": "command", "command": "theirs"}]}),
        (("hooks", "AfterTool", ""), {"hooks": []}),
        (("hooks", "AfterTool", ""), {"hooks": [{"command": "clewhook"}, {"command": "theirs"}]}),
        (("hooks", "AfterTool", ""), {"hooks": "clewhook"}),
        (("hooks", "AfterTool", ""), None),
        (("hooks", "AfterTool"), [{"command": "clewhook"}]),
        (("other", "X", ""), {"hooks": [{"command": "clewhook"}]}),
        (("mcpServers", "clew"), {"command": "/opt/other/clew"}),
        (("mcpServers", "notes"), {"command": "clew", "args": ["mcp"]}),
        (("mcpServers", "clew"), {"command": "npx", "args": ["something", "mcp"]}),
    ],
)
def test_what_is_not_ours_is_not_taken_for_it(path: tuple[str, ...], value: object) -> None:
    """It would be taken out at an uninstall."""
    assert not is_ours(path, value)


def test_the_server_is_there_when_it_is_asked_for() -> None:
    """Somebody without what it needs would see it fail at each start."""
    (bare,) = GeminiInstaller(Path("/home/dev/.gemini")).user(COMMAND).edited
    assert {one.path[0] for one in bare.entries} == {"hooks"}
    (server,) = [one.value for one in SETTINGS.entries if one.path[0] == "mcpServers"]
    assert server["trust"] is True and server["args"][-2:] == ["clew", "mcp"]


def test_each_slash_command_is_one_that_the_client_reads() -> None:
    """In its own form, with its own place for arguments; nothing in it is run before the model sees it."""
    placed = {own.path.name: own for own in INSTALLER.user(COMMAND).placed}
    assert {
        "clew-resume.toml",
        "clew-handoff.toml",
        "clew-issue.toml",
        "clew-checkpoint.toml",
        "clew-plan.toml",
        "clew-fresh.toml",
    } == set(placed)
    for own in placed.values():
        found = tomllib.loads(own.text)
        assert set(found) == {"description", "prompt"} and "`clew " in found["prompt"]
        assert not {"$ARGUMENTS", "!{", "@{", "---"} & set(found["prompt"].split())
    assert '"{{args}}"' in tomllib.loads(placed["clew-resume.toml"].text)["prompt"]


def test_an_extension_has_all_and_no_settings() -> None:
    """For those who want nothing in theirs."""
    parts = INSTALLER.plugin(Path("/x"), COMMAND, version="1.2")
    texts = {own.path.relative_to("/x").as_posix(): own.text for own in parts.placed}
    about = json.loads(texts["gemini-extension.json"])
    assert parts.edited == () and (about["name"], about["version"]) == ("clew", "1.2")
    assert "trust" not in about["mcpServers"]["clew"]  # the client takes no such word from an extension
    assert set(json.loads(texts["hooks/hooks.json"])["hooks"]) == set(EVENTS)
    assert "commands/clew-resume.toml" in texts and "/clew-resume" in parts.typed
    assert "gemini extensions link" in parts.notes[0]


def test_what_was_installed_is_found_again() -> None:
    """`clew doctor` runs the very hooks that the client would run."""
    values: dict[str, Any] = {"hooks": {}}
    for entry in SETTINGS.entries:
        if entry.path[0] == "hooks":
            values["hooks"].setdefault(entry.path[1], []).append(entry.value)
    found = GeminiConfig(Path("/home/dev/.gemini")).read([(SETTINGS.path, json.dumps(values).encode())], {})
    assert [one.event for one in found.hooks] == list(found.events) == list(EVENTS)
    first = found.hooks[0]
    assert (first.program, first.arguments[-2:], first.timeout_s) == (sys.executable, ("gemini", EVENTS[0]), 15)


def test_a_client_is_there_by_its_folder_or_its_program(tmp_path: Path) -> None:
    """Someone who never started it has no folder yet."""
    installer = GeminiInstaller(tmp_path / ".gemini")
    assert not installer.present(lambda _: None)
    assert installer.present(lambda name: "/usr/bin/gemini" if name == "gemini" else None)
    (tmp_path / ".gemini").mkdir()
    assert installer.present(lambda _: None)
