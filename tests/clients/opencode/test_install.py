"""What OpenCode gets, and what is known as ours in its settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.clients.hook_events import parse
from clew.clients.installing import Command
from clew.clients.opencode.install import EVENTS, OpenCodeInstaller, is_ours, started

COMMAND = Command(
    "/opt/my python/bin/python3", ("-I", "-S", "-c", "import sys;p='/home/dev/\"a\"';__import__('clewhook')")
)


def test_every_event_that_is_installed_is_understood() -> None:
    """A hook that nobody answers costs a process at every call."""
    assert not [name for name in EVENTS if parse("opencode", {"hook_event_name": name}, {}).name == "other"]


def test_the_plugin_starts_what_it_is_told_to(tmp_path: Path) -> None:
    """Whatever stands in the names of folders."""
    (plugin, *_) = OpenCodeInstaller(tmp_path).user(COMMAND).placed
    assert plugin.path == tmp_path / "plugin" / "clew.js"
    assert started(plugin.text) == COMMAND
    assert "@COMMAND@" not in plugin.text


@pytest.mark.parametrize("text", ["", "const COMMAND = [", "const COMMAND = []", "const COMMAND = [1]", "COMMAND"])
def test_a_file_that_is_not_the_plugin_starts_nothing(text: str) -> None:
    """Somebody changed it."""
    assert started(text) is None


def test_the_server_is_put_in_on_request_only(tmp_path: Path) -> None:
    """Without the library for it there is none."""
    assert OpenCodeInstaller(tmp_path).user(COMMAND).edited == ()
    ((edited,), path) = OpenCodeInstaller(tmp_path, server=True).user(COMMAND).edited, tmp_path / "opencode.json"
    (entry,) = edited.entries
    assert edited.path == path
    assert entry.value["command"][:1] == [COMMAND.program] and entry.value["type"] == "local"
    assert is_ours((*entry.path, entry.key), entry.value)


def test_the_server_goes_into_the_file_that_is_there(tmp_path: Path) -> None:
    """The client reads both; people have one."""
    (tmp_path / "opencode.jsonc").write_text("{}")
    (edited,) = OpenCodeInstaller(tmp_path, server=True).user(COMMAND).edited
    assert edited.path == tmp_path / "opencode.jsonc"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("mcp", "clew"), {"type": "local", "command": ["npx", "other"]}),
        (("mcp", "clew"), {"type": "remote", "url": "https://clew.example/mcp"}),
        (("mcp", "clew"), {"command": "clew mcp"}),
        (("mcp", "clew"), None),
        (("mcp", "docs"), {"command": ["python", "-m", "clew", "mcp"]}),
        (("plugin",), ["clew"]),
    ],
)
def test_what_is_not_ours_is_not_taken_for_it(path: tuple[str, ...], value: object) -> None:
    """It would be taken out at an uninstall."""
    assert not is_ours(path, value)


def test_slash_commands_are_files_of_the_users(tmp_path: Path) -> None:
    """Each with a description for the menu, and the words behind it in their place."""
    parts = OpenCodeInstaller(tmp_path).user(COMMAND)
    found = {own.path.name: own.text for own in parts.placed if own.path.parent.name == "command"}
    assert {"/" + name.removesuffix(".md") for name in found} == set(parts.typed)
    assert "$ARGUMENTS" in found["clew-resume.md"]
    assert all(text.startswith('---\ndescription: "') and "allowed-tools" not in text for text in found.values())


def test_what_the_client_does_at_its_next_start_is_said(tmp_path: Path) -> None:
    """It fetches a package for any plugin and waits for it; once that is there, no more."""
    assert "npm" in " ".join(OpenCodeInstaller(tmp_path).user(COMMAND).notes)
    (tmp_path / "package-lock.json").write_text("{}")
    assert OpenCodeInstaller(tmp_path).user(COMMAND).notes == ()


def test_a_project_gets_nothing(tmp_path: Path) -> None:
    """A folder of the client's in it makes the client install packages there."""
    shared = OpenCodeInstaller(tmp_path).shared(Path("/repo"))
    assert (shared.edited, shared.placed) == ((), ())


def test_a_client_is_there_by_its_folder_or_its_program(tmp_path: Path) -> None:
    """Someone who never started it has no folder yet."""
    installer = OpenCodeInstaller(tmp_path / "opencode")
    assert not installer.present(lambda _: None)
    assert installer.present(lambda name: "/usr/bin/opencode" if name == "opencode" else None)
    (tmp_path / "opencode").mkdir()
    assert installer.present(lambda _: None)
