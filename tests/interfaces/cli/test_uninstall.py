"""`clew uninstall` as it is typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.interfaces.cli.conftest import Clew
from tests.workspace.repos import Repo

pytestmark = pytest.mark.usefixtures("person")


def test_there_and_back(clew: Clew, repo: Repo, home: Path) -> None:
    """Each file is told, and is as it was."""
    settings = home / ".claude" / "settings.json"
    settings.write_text('{"model": "opus"}')
    clew("init")
    rehearsed = clew("uninstall", "--dry-run")
    assert f"Would change {settings}\n--- {settings}\n" in rehearsed.out
    assert "hooks" in settings.read_text()
    done = clew("uninstall")
    assert (done.code, done.err) == (0, "")
    assert f"Changed {settings}\n" in done.out
    assert "Ended it in 1 place; what is recorded there stays.\n" in done.out
    assert settings.read_text() == '{"model": "opus"}'
    assert "Nothing is installed.\n" in clew("uninstall").out
    assert clew("status").code == 0


def test_out_of_the_settings_and_out_of_a_project_are_two_things(clew: Clew, repo: Repo) -> None:
    """Whoever says both means neither."""
    assert clew("uninstall", "--settings", "--project").code == 64


def test_only_this_project(clew: Clew, repo: Repo, home: Path) -> None:
    """The hooks stay for the others."""
    clew("init")
    assert "Would end it in 1 place" in clew("uninstall", "--project", "--dry-run").out
    assert "Ended it in 1 place" in clew("uninstall", "--project").out
    assert "Nothing is installed here.\n" in clew("uninstall", "--project").out
    assert "clewhook" in (home / ".claude/settings.json").read_text()


def test_a_file_that_broke_meanwhile_is_an_error_after_all_else_is_done(clew: Clew, repo: Repo, home: Path) -> None:
    """A script must be able to tell that something is left."""
    settings = home / ".claude" / "settings.json"
    settings.write_text("{}")
    clew("init")
    settings.write_text("{")
    done = clew("uninstall")
    assert (done.code, "[E-uninstall-left]" in done.err, str(settings) in done.err) == (1, True, True)
    assert not (home / ".claude/skills").exists()


def test_its_shape(clew: Clew, repo: Repo, home: Path) -> None:
    """For scripts."""
    clew("init")
    told = json.loads(clew("uninstall", "--json").out)
    assert {"path": str(home / ".claude/settings.json"), "change": "removed"} in told["changes"]
    assert (len(told["places"]), told["stay"], told["failed"], told["dry_run"]) == (1, [], [], False)
