"""Heard: heartbeats against sessions, and receipts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clew.app.health import hooks
from clew.app.health.finding import HealthFinding
from clew.clients.claude_code.settings import ClaudeCodeConfig
from clew.clients.configured import InstalledHook
from clew.clients.port import Transcript
from tests.app.clinic import of

NOW = 2_000_000_000.0
HOUR = 3600


@pytest.fixture
def live(tmp_path: Path) -> Path:
    """A live folder that was made ten days ago."""
    (tmp_path / "beats").mkdir()
    touched(tmp_path / "root", NOW - 240 * HOUR)
    return tmp_path


def touched(path: Path, seconds: float) -> None:
    path.touch()
    os.utime(path, (seconds, seconds))


def examined(live: Path, *wrote: float) -> list[HealthFinding]:
    """The findings where sessions wrote so many hours ago, newest first."""
    files = [
        Transcript("claude-code", f"s-{hours}", live / "s", 10, int((NOW - hours * HOUR) * 1e9)) for hours in wrote
    ]
    hook = InstalledHook("Stop", "/usr/bin/python3", (), 5, live / "settings.json")
    found = ClaudeCodeConfig(live).read([], {})._replace(hooks=(hook,))
    return [*hooks.examine_heard([live], files, found, now_s=NOW), *hooks.broken([live])]


def test_a_beat_beside_the_newest_session_is_fine(live: Path) -> None:
    """The hooks of the session that just ran were heard."""
    for event in ("SessionStart", "UserPromptSubmit", "Stop"):
        touched(live / "beats" / event, NOW - HOUR)
    found = examined(live, 1.0, 50.0)
    assert "fine" == of(found, "heard").level
    assert "SessionStart 1 hour ago" in of(found, "beats").said
    assert "never PreToolUse" in of(found, "beats").said


def test_a_session_after_the_last_beat_is_a_warning(live: Path) -> None:
    """Hooks were heard once, and are not any more: an update of the client, a managed setting."""
    touched(live / "beats" / "SessionStart", NOW - 100 * HOUR)
    found = of(examined(live, 2.0), "heard")
    assert ("warn", True) == (found.level, "2 hours ago, and its last hook was heard 4 days ago" in found.said)


def test_sessions_from_before_init_prove_nothing(live: Path) -> None:
    """Right after `clew init` nothing is wrong."""
    assert "info" == of(examined(live, 300.0), "heard").level
    assert "info" == of(examined(live), "heard").level


def test_hooks_that_every_session_has_are_missed(live: Path) -> None:
    """Two of six hooks were dead on Windows, and all tests green: so each one is looked at."""
    touched(live / "beats" / "PostToolUse", NOW - HOUR)
    assert "warn" == of(examined(live, 1.0), "beats").level


def test_receipts_tell_how_many_arrived() -> None:
    """A text that the client drops is worse than none: everybody believes that it was read."""
    assert hooks.delivered([]) is None
    fine = hooks.delivered([("startup", None), ("startup", True), ("compact", True)])
    assert fine == HealthFinding("receipts", "fine", fine.said if fine else "")
    once = hooks.delivered([("startup", True), ("resume", False)])
    assert once is not None
    assert ("warn", True) == (once.level, "(at resume)" in once.said)
    now = hooks.delivered([("startup", None), ("resume", False), ("startup", True)])
    assert now is not None
    assert "wrong" == now.level


def test_a_failure_from_before_the_last_good_run_is_no_alarm(live: Path) -> None:
    """The word of it stays until the next prompt tells it; meanwhile the hook has run again."""
    (live / "broken").write_text("claude-code PreToolUse ModuleNotFoundError before.py:3\n")
    touched(live / "broken", NOW - 2 * HOUR)
    assert "wrong" == of(examined(live, 1.0), "broken").level
    touched(live / "beats" / "PostToolUse", NOW - HOUR)
    assert "wrong" == of(examined(live, 1.0), "broken").level
    touched(live / "beats" / "PreToolUse", NOW - HOUR)
    found = of(examined(live, 1.0), "broken")
    assert ("info", True) == (found.level, "has run since" in found.said)
    assert "installation that is whole" in found.mend


@pytest.mark.parametrize("pipe", [False, True])
def test_a_failure_without_a_word_has_a_cause(live: Path, pipe: bool) -> None:
    """A full disk leaves an empty file, and the line ended behind its colon."""
    if pipe:
        os.mkfifo(live / "broken")
    else:
        (live / "broken").write_bytes(b"")
    found = of(examined(live, 1.0), "broken")
    assert "no room for a word" in found.said and "`room`" in found.mend


def test_the_word_of_a_failure_names_no_file(live: Path) -> None:
    """It is read from a file that anything may have written."""
    (live / "broken").write_text("claude-code ../root KeyError x.py:3\n")
    touched(live / "broken", NOW - 2 * HOUR)
    assert "wrong" == of(examined(live, 1.0), "broken").level
