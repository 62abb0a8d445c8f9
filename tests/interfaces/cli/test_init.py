"""`clew init` as it is typed, as far as clients go."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.app.worlds import project, secrets
from tests.interfaces.cli.conftest import Clew
from tests.workspace.repos import Repo


def settings_of(home: Path, text: str) -> Path:
    path = home / ".claude" / "settings.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def test_a_rehearsal_shows_the_exact_difference(clew: Clew, repo: Repo, home: Path) -> None:
    """What a tool does to one's settings is nobody's business to guess; what is secret in them is not shown."""
    secret = secrets()["github"]
    path = settings_of(home, json.dumps({"env": {"T": secret}, "model": "opus"}, indent=2) + "\n")
    told = clew("init", "--dry-run")
    assert told.code == 0
    assert f"Would change {path}\n--- {path}\n+++ {path}\n@@ " in told.out
    assert '-  "model": "opus"\n+  "model": "opus",\n+  "hooks": {\n' in told.out
    assert secret not in told.out
    assert "SKILL.md\n" in told.out
    assert "hooks" not in path.read_text()


def test_what_was_done_is_told(clew: Clew, repo: Repo, home: Path) -> None:
    """A line for each file of somebody's, a screen at most, and the second time that there was nothing to do."""
    path = settings_of(home, "{}")
    told = clew("init", "--statusline")
    assert f"Changed {path}\n" in told.out
    assert len(told.out.rstrip().split("\n")) <= 10 and "of clew's own" in told.out
    assert f"Let sessions in {repo.top.resolve()} use it.\n" in told.out
    assert set(json.loads(path.read_text())) == {"hooks", "statusLine"}
    assert "Already installed for claude-code.\n" in clew("init").out


def test_what_cannot_be_printed_yet_is_not_advised(
    clew: Clew, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nothing ran, `clew resume` has nothing to print, and says how to begin."""
    monkeypatch.chdir(project(tmp_path / "new").top)
    told = clew("init", "--client", "none").out
    assert "clew note goal" in told and "clew resume" not in told
    ran = clew("resume")
    assert ran.code == 1 and "nothing is known of" in ran.err and "clew note goal" in ran.err
    clew("note", "goal", "Fix the tide")
    assert "Fix the tide" in clew("resume").out


def test_what_can_be_typed_from_now_on_is_told(clew: Clew, repo: Repo, home: Path) -> None:
    """Nobody looks for slash commands that he has not heard of; and an open client has none of it yet."""
    told = clew("init", "--client", "claude-code").out
    names = "/clew, /clew-checkpoint, /clew-fresh, /clew-handoff, /clew-issue, /clew-plan, /clew-resume"
    assert f"In claude-code you type {names}.\nClients that are open take it up at their next start.\n" in told
    assert "you type" not in clew("init", "--client", "none").out


def test_every_file_is_told_also_those_of_our_own_folder(clew: Clew, repo: Repo, home: Path) -> None:
    """A rehearsal that leaves out half of what is made is none."""
    settings_of(home, "{}")
    data = home / ".local/share/clew"
    told = clew("init", "--dry-run").out.split("\n")
    assert not data.exists()
    clew("init")
    made = {f"Would make {path}" for path in data.rglob("*") if path.is_file() and "=clew" not in path.parts}
    assert len(made) == 4  # the start, where the package is, the record, the copy of the settings
    assert {*made, f"Would make {data}/live{repo.top.resolve()}/=clew"} <= set(told)


def test_it_says_when_the_client_deletes_the_first_session(clew: Clew, repo: Repo, home: Path) -> None:
    """And how to keep it, in the same line; whoever keeps copies is told nothing."""
    told = clew("init", "--client", "none").out
    (line,) = [line for line in told.splitlines() if "deletes the oldest of 1 session here on 2" in line]
    assert "`clew archive`" in line
    clew("settings", "set", "archive.on", "on")
    assert "deletes the oldest" not in clew("init", "--client", "none").out


def test_settings_that_are_broken_are_an_error_with_a_way_out(clew: Clew, repo: Repo, home: Path) -> None:
    """And the file is named."""
    path = settings_of(home, '{"a": }')
    told = clew("init")
    assert (told.code, told.out) == (1, "")
    assert f"error: {path} cannot be used: line 1: " in told.err
    assert "--client none" in told.err
    assert not (repo.top / ".clew").exists()
