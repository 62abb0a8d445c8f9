"""The plugins that clients install from the repository."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLUGINS = ROOT / "plugins"


def test_the_plugins_are_as_their_one_source_makes_them() -> None:
    """A slash command that is changed is changed in every client."""
    done = subprocess.run([sys.executable, "scripts/plugins.py", "--check"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, f"run scripts/plugins.py:\n{done.stdout}{done.stderr}"


def test_a_plugin_names_no_machine() -> None:
    """What it starts is `clew`, found on the PATH of whoever has installed it; there are no hooks in it."""
    servers = [
        json.loads((PLUGINS / "claude-code/.mcp.json").read_text())["mcpServers"]["clew"],
        json.loads((PLUGINS / "codex/.mcp.json").read_text())["clew"],
        json.loads((PLUGINS / "gemini/gemini-extension.json").read_text())["mcpServers"]["clew"],
        json.loads((PLUGINS / "agent-plugin/mcp.json").read_text())["mcpServers"]["clew"],
    ]
    assert [("clew", ["mcp"])] * 4 == [(one["command"], one["args"]) for one in servers]
    texts = [path.read_text("utf-8") for path in PLUGINS.rglob("*") if path.is_file()]
    assert not [text for text in texts if re.search(r"(?<![\w.:])/(?:home|root|usr|opt|tmp|bin)/|python", text)]
    assert not list(PLUGINS.rglob("hooks.json"))


def test_every_marketplace_lists_a_folder_that_is_there() -> None:
    """`plugin install clew@clew` finds it."""
    claude = json.loads((ROOT / ".claude-plugin/marketplace.json").read_text())
    codex = json.loads((ROOT / ".agents/plugins/marketplace.json").read_text())
    folders = [ROOT / claude["plugins"][0]["source"], ROOT / codex["plugins"][0]["source"]["path"]]
    assert all(next(folder.glob(".*-plugin/plugin.json")).is_file() for folder in folders)


def test_a_portable_skill_is_called_like_its_folder() -> None:
    """Agent Plugins 1.0 asks for that, and for a manifest without keys of one's own."""
    folder = PLUGINS / "agent-plugin"
    named = {path.parent.name: path.read_text("utf-8") for path in folder.glob("skills/*/SKILL.md")}
    assert named
    assert all(f"\nname: {name}\n" in text for name, text in named.items())
    assert set(json.loads((folder / "plugin.json").read_text())) <= set(
        "$schema name version description author homepage repository license keywords extensions".split()
    )
