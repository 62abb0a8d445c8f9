"""What Claude Code gets, and what is known as ours in its settings."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from clew.clients.claude_code.install import EVENTS, ClaudeCodeInstaller, is_ours
from clew.clients.hook_events import parse
from clew.clients.installing import Command, Placed
from clew.interfaces.cli.main import COMMANDS
from tests.interfaces.cli.helped import options_of

COMMAND = Command("/usr/bin/python3", ("-I", "-S", "-c", "__import__('clewhook')"))
INSTALLER = ClaudeCodeInstaller(Path("/home/dev/.claude"))
TEXTS = INSTALLER.user(COMMAND).placed


def test_every_event_that_is_installed_is_understood() -> None:
    """A hook that nobody answers costs a process at every call."""
    unknown = [event for event in EVENTS if parse("claude-code", {"hook_event_name": event}, {}).name == "other"]
    assert unknown in ([], ["SubagentStop"])  # that one is answered before anything is parsed


def test_the_entries_are_known_as_ours() -> None:
    """Else they would be installed again at each `clew init`."""
    (settings,) = INSTALLER.user(COMMAND).edited
    for entry in (*settings.entries, *settings.extras):
        assert is_ours((*entry.path, entry.key), entry.value)
    assert is_ours(("hooks", "Stop", "", "hooks", ""), settings.entries[0].value["hooks"][0])


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("hooks", "Stop", ""), {"hooks": [{"type": "command", "command": "clewhook"}]}),
        (("hooks", "Stop", ""), {"hooks": []}),
        (("hooks", "Stop", ""), {"hooks": [{"args": ["clewhook"]}, {"args": ["theirs"]}]}),
        (("hooks", "Stop", ""), {"hooks": "clewhook"}),
        (("hooks", "Stop", ""), None),
        (("env", "X", ""), {"hooks": [{"args": ["clewhook"]}]}),
        (("statusLine",), {"type": "command", "command": "ccline"}),
        (("mcpServers", "clew"), {"command": "/opt/other/clew"}),
        (("hooks", "Stop"), [{"args": ["clewhook"]}]),
    ],
)
def test_what_is_not_ours_is_not_taken_for_it(path: tuple[str, ...], value: object) -> None:
    """It would be taken out at an uninstall."""
    assert not is_ours(path, value)


@pytest.mark.parametrize("own", TEXTS, ids=lambda own: own.path.name)
def test_texts_name_only_commands_that_exist(own: Placed) -> None:
    """An agent that is told to run something that is not there invents what it might have said."""
    for line in re.findall(r"`clew ([^`]+)`|Bash\(clew ([a-z]+):", own.text):
        words = next(filter(None, line)).split()
        assert words[0] in COMMANDS
        assert not [word for word in words if word.startswith("--") and word not in options_of(words[0])]


def test_each_slash_command_has_its_text() -> None:
    """These five are promised."""
    names = {own.path.stem for own in TEXTS if own.path.parent.name == "commands"}
    assert names == {"clew-resume", "clew-handoff", "clew-checkpoint", "clew-plan", "clew-fresh", "clew-issue"}


def test_a_project_gets_nothing_that_names_a_machine() -> None:
    """A repository is checked out elsewhere, too."""
    shared = INSTALLER.shared(Path("/repo"))
    assert shared.edited == ()
    assert not [own for own in shared.placed if "/usr/bin" in own.text or "/home" in own.text]


def test_a_plugin_has_all_and_no_settings() -> None:
    """For those who want nothing in theirs."""
    parts = INSTALLER.plugin(Path("/p"), COMMAND, version="1.2")
    texts = {own.path.relative_to("/p").as_posix(): own.text for own in parts.placed}
    assert parts.edited == ()
    assert json.loads(texts[".claude-plugin/plugin.json"])["version"] == "1.2"
    assert set(json.loads(texts["hooks/hooks.json"])["hooks"]) == set(EVENTS)
    assert {"skills/clew/SKILL.md", "commands/resume.md"} < set(texts)


def test_the_server_is_started_blind_to_the_project() -> None:
    """A folder `mcp` or `apsw` in somebody's project would be imported in place of the real one."""
    served = ClaudeCodeInstaller(Path("/home/dev/.claude"), server=Path("/home/dev/.claude.json"))
    _, servers = served.user(COMMAND).edited
    (entry,) = servers.entries
    assert (Path("/home/dev/.claude.json"), ("mcpServers",), "clew") == (servers.path, entry.path, entry.key)
    assert ("/usr/bin/python3", ["-E", "-P", "-m", "clew", "mcp"]) == (entry.value["command"], entry.value["args"])
    for value in (entry.value, {"command": "clew", "args": ["mcp"]}):
        assert is_ours(("mcpServers", "clew"), value)
    texts = {own.path.name: own.text for own in served.plugin(Path("/p"), COMMAND, version="1").placed}
    assert {"mcpServers": {"clew": entry.value}} == json.loads(texts[".mcp.json"])


def test_a_client_is_there_by_its_folder_or_its_program(tmp_path: Path) -> None:
    """Someone who never started it has no folder yet."""
    installer = ClaudeCodeInstaller(tmp_path / ".claude")
    assert not installer.present(lambda _: None)
    assert installer.present(lambda name: "/usr/bin/claude" if name == "claude" else None)
    (tmp_path / ".claude").mkdir()
    assert installer.present(lambda _: None)
