"""Trials: what the run of one installed hook shows."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from clew.app.health import hooks as trials
from clew.app.health.finding import HealthFinding
from clew.clients.configured import InstalledHook
from tests.app.clinic import Clinic


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Clinic:
    return Clinic(tmp_path_factory.mktemp("clinic"))


def tried(clinic: Clinic, tmp_path: Path, *words: str, event: str = "PreToolUse", timeout_s: int = 5) -> HealthFinding:
    """The finding about a hook that runs this Python."""
    hook = InstalledHook(event, sys.executable, words, timeout_s, clinic.settings)
    [found] = trials.tried(clinic.ports, clinic.machine.data, clinic.client, [hook], tmp_path.resolve())
    return found


def test_the_installed_command_is_what_runs(clinic: Clinic, tmp_path: Path) -> None:
    """As it stands in the settings; with a made-up call of a tool, in a place of its own."""
    hooks = [one for one in clinic.configuration().hooks if one.event == "PostToolUse"]
    [found] = trials.tried(clinic.ports, clinic.machine.data, clinic.client, hooks, tmp_path.resolve())
    assert "wrong" != found.level and "s of the 5 s that it has" in found.said
    assert not list((clinic.machine.data / "live").rglob("place"))


def test_exit_code_2_is_never_fine(clinic: Clinic, tmp_path: Path) -> None:
    """It is what Python says of a missing script, and clients read it as "block"."""
    found = tried(clinic, tmp_path, "/nonexistent/hook.py", "claude-code", "PreToolUse")
    assert ("hook.PreToolUse", "wrong") == found[:2]
    assert "exit code 2" in found.said


def test_silence_without_a_heartbeat_is_wrong(clinic: Clinic, tmp_path: Path) -> None:
    """A hook that ends well and does nothing: the way capture dies without anybody's noticing."""
    assert "no heartbeat" in tried(clinic, tmp_path, "-c", "pass").said


def test_an_answer_that_is_no_json_is_wrong(clinic: Clinic, tmp_path: Path) -> None:
    """The client would put it before the model, or before the person, as it is."""
    assert "not a JSON object" in tried(clinic, tmp_path, "-c", "print('Hello')").said


def test_a_hook_that_hangs_is_stopped_at_its_own_limit(clinic: Clinic, tmp_path: Path) -> None:
    """The client would wait that long at every call."""
    found = tried(clinic, tmp_path, "-c", "import time; time.sleep(60)", timeout_s=1)
    assert "no end after 1 s" in found.said


def test_a_hook_that_fails_inside_is_wrong(clinic: Clinic, tmp_path: Path) -> None:
    """It blocks nobody, so only the word that it leaves tells."""
    code = (
        "import os,sys;d=sys.argv[1]+'/live'+os.environ['CLAUDE_PROJECT_DIR']+'/=clew/';"
        "open(d+'broken','w').write('claude-code PreToolUse KeyError a.py:3');open(d+'beats/PreToolUse','w')"
    )
    found = tried(clinic, tmp_path, "-c", code, str(clinic.machine.data))
    assert "clew failed in it: claude-code PreToolUse KeyError a.py:3" == found.said


@pytest.mark.parametrize(
    ("word", "mend"),
    [
        ("claude-code Stop ModuleNotFoundError full.py:9", "`clew init`"),
        ("claude-code Stop LedgerError opening.py:9", "`ledger`"),
        ("claude-code Stop PermissionError a.py:9", "`writable`"),
        ("claude-code Stop KeyError a.py:9", "Report it"),
        ("of another age", "Report it"),
    ],
)
def test_what_failed_says_how_it_is_mended(word: str, mend: str) -> None:
    """An environment that is broken is no fault of clew, and reporting it mends nothing."""
    assert mend in trials.mend_of(word)


def test_a_hook_that_keeps_people_waiting_is_slow(clinic: Clinic, tmp_path: Path) -> None:
    """By what the client gives it."""
    code = (
        "import os,sys,time;d=sys.argv[1]+'/live'+os.environ['CLAUDE_PROJECT_DIR']+'/=clew/';"
        "time.sleep(1.2);open(d+'beats/PreToolUse','w')"
    )
    found = tried(clinic, tmp_path, "-c", code, str(clinic.machine.data), timeout_s=2)
    assert ("warn", True) == (found.level, "and is slow, 1." in found.said)
