"""Claude Code's settings: which hooks of ours are there, how long it keeps sessions, when it compacts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clew.clients.claude_code.settings import ClaudeCodeConfig, ClaudeCodeInstaller
from clew.clients.configured import Configuration
from clew.clients.installing import HookCommand

ROOT = Path("/home/ada/tide")
CONFIG = ClaudeCodeConfig(Path("/home/ada/.claude"))
EVENTS = CONFIG.spec.events
OURS = HookCommand("/usr/bin/python3", ("-I", "-S", "-c", "import clewhook"))


def read(*files: Any, **environment: str) -> Configuration:
    """What the settings files say, in their order; each as an object or as its bytes."""
    data = [one if isinstance(one, bytes) else json.dumps(one).encode() for one in files]
    return CONFIG.read(list(zip(CONFIG.files(ROOT), data, strict=False)), environment)


def installed() -> dict[str, Any]:
    """The settings of somebody who ran `clew init`, with a hook of his own."""
    parts = ClaudeCodeInstaller(Path("/home/ada/.claude")).user(OURS)
    hooks: dict[str, Any] = {entry.path[1]: [entry.value] for entry in parts.edited[0].entries}
    hooks["Stop"].insert(0, {"hooks": [{"type": "command", "command": "bell"}]})
    return {"hooks": hooks}


def test_our_hooks_are_found_as_they_stand() -> None:
    """The doctor runs exactly these; a hook of somebody else's is none of his business."""
    found = read(installed())
    assert list(EVENTS) == [hook.event for hook in found.hooks]
    assert found.hooks[0].program == OURS.program
    assert found.hooks[0].arguments == (*OURS.arguments, "claude-code", "SessionStart")
    assert all(hook.timeout_s > 0 and hook.place == CONFIG.files(ROOT)[0] for hook in found.hooks)
    assert () == found.problems


def test_what_nobody_said_is_what_the_client_does() -> None:
    """An empty folder is a client with its own defaults."""
    found = read()
    assert ((), 30, False) == (found.hooks, found.retention_days, found.retention_said)
    assert (0, True) == (found.compact_window, found.compacts)


def test_a_later_file_wins() -> None:
    """The project's settings are stronger than the user's, and the local ones than those."""
    found = read({"cleanupPeriodDays": 7, "autoCompactWindow": 150_000}, {"cleanupPeriodDays": 90})
    assert (90, True, 150_000) == (found.retention_days, found.retention_said, found.compact_window)


@pytest.mark.parametrize(
    ("given", "window"),
    [("200000", 200_000), ("200k", 200_000), ("1M", 1_000_000), ("5000", 100_000), ("much", 150_000), ("", 150_000)],
)
def test_the_environment_tells_the_window_first(given: str, window: int) -> None:
    """As the client reads it: sizes with k and m, never below 100,000, nonsense ignored."""
    assert window == read({"autoCompactWindow": 150_000}, CLAUDE_CODE_AUTO_COMPACT_WINDOW=given).compact_window


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'{"cleanupPeriodDays": 7, // soon\n "hooks": {}}', "comments"),
        (b'{"cleanupPeriodDays": 7,}', "trailing commas"),
        (b"{cleanupPeriodDays", "is not JSON (line 1"),
        (b"[]", "not a JSON object"),
        (b"\xff\xfe{}", "not UTF-8"),
    ],
)
def test_a_file_that_the_client_does_not_read_is_a_problem(data: bytes, said: str) -> None:
    """It drops the whole file without a word, our hooks with it."""
    found = read(data)
    assert (30, 1) == (found.retention_days, len(found.problems))
    assert said in found.problems[0].said
    assert "Take that out of the file" in found.problems[0].mend


def test_hooks_that_are_switched_off_are_a_problem() -> None:
    """Everything is installed, and nothing runs."""
    [found] = read({"disableAllHooks": True}).problems
    assert "switches all hooks off" in found.said


@pytest.mark.parametrize("value", [{}, [], "x", None, 3, [[]], {"Stop": 3}, {"Stop": [3]}, {"Stop": [{"hooks": 3}]}])
def test_odd_hooks_are_passed_over(value: Any) -> None:
    """People's settings hold what they like."""
    odd = {"hooks": value, "cleanupPeriodDays": True, "autoCompactWindow": "x"}
    assert ((), 30, 0) == (read(odd).hooks, read(odd).retention_days, read(odd).compact_window)
