"""What the client's settings say: is our plugin there, does the client load it, does it drop its context by itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clew.clients.configured import Configuration
from clew.clients.installing import HookCommand
from clew.clients.opencode.settings import OpenCodeConfig, OpenCodeInstaller
from clew.clients.opencode.spec import SPEC

ROOT = Path("/home/dev/.config/opencode")
CONFIG = OpenCodeConfig(ROOT)
EVENTS = SPEC.events
COMMAND = HookCommand("/usr/bin/python3", ("-I", "-c", "clewhook"))
PLUGIN = OpenCodeInstaller(ROOT).user(COMMAND).placed[0]
LOCK = (ROOT / "package-lock.json", b"{}")


def read(*found: tuple[Path, bytes], **environment: str) -> Configuration:
    return CONFIG.read(found, environment)


def test_the_window_is_the_chosen_model_s_else_the_smallest_that_is_said() -> None:
    """For models of one's own the client knows no other."""
    models = {name: {"limit": {"context": tokens}} for name, tokens in (("small", 64_000), ("large", 100_000))}
    held = {"provider": {"own": {"models": {**models, "odd": {"limit": 3}}}, "other": []}}
    assert 64_000 == read((ROOT / "opencode.json", json.dumps(held).encode())).compact_window
    held["model"] = "own/large"  # type: ignore[assignment]
    assert 100_000 == read((ROOT / "opencode.json", json.dumps(held).encode())).compact_window


def test_the_hooks_are_those_of_the_plugin() -> None:
    """So the check runs what the client runs."""
    found = read((PLUGIN.path, PLUGIN.text.encode()), LOCK)
    assert [hook.event for hook in found.hooks] == list(EVENTS)
    stop = found.hooks[EVENTS.index("Stop")]
    assert (stop.program, stop.arguments) == ("/usr/bin/python3", ("-I", "-c", "clewhook", "opencode", "Stop"))
    assert found.problems == ()
    assert PLUGIN.path in CONFIG.files(Path("/repo")) and LOCK[0] in CONFIG.files(Path("/repo"))


def test_a_plugin_that_was_changed_is_told() -> None:
    """It starts nothing of ours, whatever else it does."""
    found = read((PLUGIN.path, b"export const Clew = 1"), LOCK)
    assert found.hooks == () and "not as clew made it" in found.problems[0].said


def test_a_start_that_waits_for_npm_is_told() -> None:
    """Without a network each one does, for more than a minute, and nobody knows why."""
    (problem,) = read((PLUGIN.path, PLUGIN.text.encode())).problems
    assert "waits for npm" in problem.said


@pytest.mark.parametrize(
    ("settings", "environment", "compacts"),
    [
        ({}, {}, True),
        ({"compaction": {"auto": False}}, {}, False),
        ({"compaction": {"auto": "no"}}, {}, True),
        ({"compaction": []}, {}, True),
        ({"compaction": {"auto": True}}, {"OPENCODE_DISABLE_AUTOCOMPACT": "1"}, False),
    ],
)
def test_whether_the_client_drops_its_context(settings: object, environment: dict[str, str], compacts: bool) -> None:
    """Who is warned of it for nothing stops listening."""
    assert read((ROOT / "opencode.json", json.dumps(settings).encode()), **environment).compacts is compacts
