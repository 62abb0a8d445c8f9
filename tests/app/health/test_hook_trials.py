"""Trials: what the run of one installed hook shows."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from clew.app.health.finding import HealthFinding
from clew.app.health.hooks import HookTrial, findings, trials
from clew.clients.configured import InstalledHook
from tests.app.clinic import Clinic


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Clinic:
    return Clinic(tmp_path_factory.mktemp("clinic"))


def tried(clinic: Clinic, tmp_path: Path, *words: str, event: str = "PreToolUse", timeout_s: int = 5) -> HealthFinding:
    """The finding about a hook that runs this Python."""
    hook = InstalledHook(event, sys.executable, words, timeout_s, clinic.settings)
    done = trials(clinic.ports, clinic.machine.data, clinic.client, [hook], tmp_path.resolve())
    [found] = findings(done, "claude-code")
    return found


def test_the_installed_command_is_what_runs(clinic: Clinic, tmp_path: Path) -> None:
    """As it stands in the settings; with a made-up call of a tool, in a place of its own."""
    hooks = [one for one in clinic.configuration().hooks if one.event == "PostToolUse"]
    done = list(trials(clinic.ports, clinic.machine.data, clinic.client, hooks, tmp_path.resolve()))
    assert [(0, True, "", "")] == [(one.code, one.beat, one.problem, one.broken) for one in done]
    assert 0 < done[0].ratio < 20
    assert "times a bare start" in next(findings(done, "claude-code")).said
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
    trial = HookTrial("Stop", 0, 9.0, 0.3, 60, beat=False, problem="", broken=word)
    [found] = findings([trial], "claude-code")
    assert ("wrong", True) == (found.level, mend in found.mend)


@pytest.mark.parametrize(
    ("event", "ratio", "took_s", "level"),
    [
        ("PreToolUse", 1.1, 0.02, "fine"),
        ("PreToolUse", 5.0, 2.0, "fine"),  # a busy machine: the bare start took as long
        ("PreToolUse", 9.0, 0.2, "warn"),
        ("SessionStart", 90.0, 3.0, "fine"),
        ("SessionStart", 90.0, 8.0, "warn"),
        ("Stop", 300.0, 20.0, "fine"),
    ],
)
def test_only_what_keeps_people_waiting_is_slow(event: str, ratio: float, took_s: float, level: str) -> None:
    """A warning at every busy moment is one that nobody reads."""
    limit_s = 60 if event == "Stop" else 15
    [found] = findings([HookTrial(event, 0, ratio, took_s, limit_s, beat=True, problem="", broken="")], "claude-code")
    assert level == found.level
    assert (f"{took_s:.2f} s of the {limit_s} s" in found.said) == (event != "PreToolUse")


def test_a_moment_in_which_the_machine_was_busy_does_not_count(clinic: Clinic, tmp_path: Path) -> None:
    """The hook is slow three times, and then as fast as ever: something else had the machine."""
    code = (
        "import os,sys,time;d=sys.argv[1]+'/live'+os.environ['CLAUDE_PROJECT_DIR']+'/=clew/';n=d+'turns';"
        "open(n,'a').write('.');time.sleep(0.8 if len(open(n).read())<4 else 0);open(d+'beats/PreToolUse','w')"
    )
    found = tried(clinic, tmp_path, "-c", code, str(clinic.machine.data))
    assert "fine" == found.level
