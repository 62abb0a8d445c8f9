"""What GitHub Copilot CLI's settings say."""

from __future__ import annotations

import sys
from pathlib import Path

from clew.clients.copilot.config import CopilotConfig
from clew.clients.copilot.install import CopilotInstaller
from clew.clients.installing import HookCommand


def test_our_hooks_are_known_in_their_own_file(tmp_path: Path) -> None:
    """Given the file as it is installed, and settings that switch all hooks off."""
    installer = CopilotInstaller(tmp_path)
    parts = installer.user(HookCommand(sys.executable, ("-c", "clewhook")))
    own = next(one for one in parts.placed if one.path.name == "clew.json")
    config = CopilotConfig(tmp_path)
    assert own.path in config.files(tmp_path / "project")
    found = config.read([(own.path, own.text.encode())], {})
    assert config.spec.events == tuple(hook.event for hook in found.hooks) and found.problems == ()
    assert {15, 5, 60, 10} == {hook.timeout_s for hook in found.hooks}
    off = b'{"disableAllHooks": true} // for now'
    (problem,) = config.read([(tmp_path / "settings.json", off), (own.path, own.text.encode())], {}).problems
    assert "disableAllHooks" in problem.said and problem.hinders
