"""The window that somebody told the client: found in its settings, and heeded where hooks look."""

from __future__ import annotations

import json
import os
from pathlib import Path

from clew.app.context.window import told_window
from clew.app.project.gates import refresh
from clew.app.project.runtime_dirs import live_at, opt_in
from clew.clients.claude_code.settings import ClaudeCodeConfig
from clew.clients.opencode.settings import OpenCodeConfig
from clew.core.context.pressure import ToldWindow
from tests.app.projects import World


def test_the_project_s_own_settings_of_the_client_count(tmp_path: Path) -> None:
    """They do for the client."""
    world = World(tmp_path)
    client = ClaudeCodeConfig(world.home / ".claude")
    assert ToldWindow() == told_window([client], world.top, {}, client.name) == told_window([], world.top, {}, "")
    world.repo.write(".claude/settings.json", '{"autoCompactWindow": 150000}')
    world.repo.write(".claude/settings.local.json", '{"autoCompactEnabled": false}')
    assert ToldWindow(150_000, False) == told_window([client], world.top, {}, "")
    assert ToldWindow(120_000, False) == told_window(
        [client], world.top, {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "120k"}, ""
    )


def test_a_small_window_warns_early_enough_in_hooks(tmp_path: Path) -> None:
    """Told to compact at 100,000 the client does so at 67,000: a warning at 100,000 would never come."""
    world = World(tmp_path)
    data = world.ports.trust_store.parent
    opt_in(data, world.top)
    (world.home / ".claude" / "projects").mkdir(parents=True)  # the client was used
    world.repo.write(".claude/settings.json", '{"autoCompactWindow": 100000}')
    with world.desk() as at:
        refresh(world.ports, at)
    live = live_at(data, world.top)
    assert live is not None
    told = json.loads((live / "gates.json").read_text())
    assert {"checkpoint": 40_200, "compact": 46_900} == told["pressure"]


def test_a_large_window_of_one_client_hides_no_small_one_of_another(tmp_path: Path) -> None:
    """Hooks look for the first threshold of any client: one that was told nothing may have the usual window."""
    world = World(tmp_path)
    clients = [OpenCodeConfig(world.home / "opencode"), ClaudeCodeConfig(world.home / ".claude")]
    world.repo.write(
        "opencode.json", json.dumps({"provider": {"own": {"models": {"m": {"limit": {"context": 400000}}}}}})
    )
    assert ToldWindow(400_000) == told_window(clients, world.top, {}, "opencode")
    assert ToldWindow(200_000) == told_window(clients, world.top, {}, "")


def test_what_another_client_was_told_is_no_matter(tmp_path: Path) -> None:
    """A window that somebody set for one client would have the other's sessions compacted too early."""
    world = World(tmp_path)
    client = ClaudeCodeConfig(world.home / ".claude")
    told = {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "120k"}
    assert ToldWindow(120_000, True) == told_window([client], world.top, told, "claude-code")
    assert ToldWindow() == told_window([client], world.top, told, "codex")


def test_a_pipe_by_the_name_of_a_settings_file_is_passed_over(tmp_path: Path) -> None:
    """A repository could keep every hook and the doctor waiting for ever."""
    world = World(tmp_path)
    client = ClaudeCodeConfig(world.home / ".claude")
    world.repo.write(".claude/settings.local.json", '{"autoCompactWindow": 150000}')
    os.mkfifo(world.top / ".claude" / "settings.json")
    assert ToldWindow(150_000, True) == told_window([client], world.top, {}, client.name)
