"""Taking clew out again: to the byte, or, where others changed something, our entries alone."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from clew.app.install.entries import backup_of, install
from clew.app.install.uninstall import Uninstallation, leave_project, uninstall
from clew.app.project import runtime_dirs as optin
from tests.app.install.test_entries import PLAIN, Home, home
from tests.app.projects import PERSON
from tests.app.worlds import project, snapshot

__all__ = ["home"]


def gone(home: Home, *, dry_run: bool = False) -> Uninstallation:
    return uninstall(home.machine, (home.parts(),), said=PERSON, dry_run=dry_run)


@pytest.mark.parametrize("data", [PLAIN, b"{}", b"", b'\xef\xbb\xbf{\r\n\t"a": 1\r\n}', b'{"a":[1, 2]}\n\n'])
def test_everything_is_as_it_was(home: Home, data: bytes) -> None:
    """Folders, rights, bytes: the client's folder looks as if nobody had been there."""
    home.settings.write_bytes(data)
    home.settings.chmod(0o644)
    before = {path: facts[::3] for path, facts in snapshot(home.config).items()}
    install(home.machine, home.parts(status_line=True))
    done = gone(home)
    assert (done.stay, done.failed) == ((), ())
    assert {path: facts[::3] for path, facts in snapshot(home.config).items()} == before
    assert [path.name for path in home.machine.data.rglob("*")] == []


def test_the_copy_from_before_is_that_of_this_installation(home: Home) -> None:
    """One of last year would bring back what nobody wants any more."""
    for model in ("opus", "sonnet"):
        home.settings.write_text(f'{{"model": "{model}"}}')
        install(home.machine, home.parts())
        before = backup_of(home.machine, home.settings).read_text()
        assert before == f'{{"model": "{model}"}}'
        home.settings.write_text(json.dumps({**home.value(), "theirs": 1}))
        gone(home)


def test_a_hook_that_somebody_moved_or_changed_is_still_ours(home: Home) -> None:
    """Whoever raises a time-out or joins groups wants it out all the same."""
    home.settings.write_bytes(PLAIN)
    install(home.machine, home.parts())
    value = home.value()
    (ours,) = value["hooks"]["SessionStart"].pop()["hooks"]
    value["hooks"]["SessionStart"].append({"hooks": [{"type": "command", "command": "greet"}, {**ours, "timeout": 99}]})
    home.settings.write_text(json.dumps(value))
    gone(home)
    assert home.value()["hooks"]["SessionStart"] == [{"hooks": [{"type": "command", "command": "greet"}]}]
    assert "clewhook" not in home.settings.read_text()


def test_without_a_record_entries_are_known_by_what_they_are(home: Home) -> None:
    """The user's data can be lost; the hooks are still there."""
    home.settings.write_bytes(PLAIN)
    install(home.machine, home.parts())
    shutil.rmtree(home.machine.data)
    home.machine.data.mkdir()
    gone(home)
    assert "clewhook" not in home.settings.read_text()
    assert home.value()["model"] == "opus"
    assert not (home.config / "commands/clew-resume.md").exists()


def test_a_file_that_is_broken_by_now_is_left_and_named(home: Home) -> None:
    """The rest goes; the hooks in it do nothing without their start, and a second try finishes it."""
    home.settings.write_bytes(PLAIN)
    install(home.machine, home.parts())
    whole = home.settings.read_text()
    home.settings.write_text(whole + "}")
    done = gone(home)
    assert [str(home.settings) in why for why in done.failed] == [True]
    assert home.settings.read_text() == whole + "}"
    assert not (home.machine.data / "clewhook.py").exists()
    home.settings.write_text(whole)
    assert gone(home).failed == ()
    assert home.settings.read_bytes() == PLAIN


def test_a_crash_between_record_and_file_is_no_harm(home: Home) -> None:
    """The record is written first: it may tell of entries that never came."""
    home.settings.write_bytes(PLAIN)
    install(home.machine, home.parts())
    home.settings.write_bytes(PLAIN)
    assert gone(home).failed == ()
    assert home.settings.read_bytes() == PLAIN


def test_a_text_that_somebody_changed_stays(home: Home) -> None:
    """It is theirs by then, and it is said that it is still there."""
    install(home.machine, home.parts())
    skill = home.config / "skills/clew/SKILL.md"
    skill.write_text("mine")
    done = gone(home)
    assert skill.read_text() == "mine"
    assert [str(skill) in why for why in done.stay] == [True]
    assert not (home.config / "commands").exists()


def test_where_nothing_is_nothing_is_made(home: Home) -> None:
    """Twice is once here, too."""
    before = snapshot(home.config.parent)
    assert gone(home).changes == ()
    assert snapshot(home.config.parent) == before


def test_what_is_kept_of_projects_and_trust_stays(home: Home) -> None:
    """Uninstalling is no forgetting."""
    install(home.machine, home.parts())
    (home.machine.data / "trust.json").write_text("{}")
    optin.opt_in(home.machine.data, Path("/w/shop"))
    done = gone(home)
    assert [path.name for path in home.machine.data.rglob("*")] == ["trust.json"]
    assert len(done.places) == 1


def test_leaving_a_project_leaves_all_its_work_trees_and_nothing_else(home: Home, tmp_path: Path) -> None:
    """A hook in a work tree of a project that was left would be a surprise; one in another project is wanted."""
    repo = project(tmp_path / "shop", a_py="a = 1\n")
    repo.git("worktree", "add", "-q", str(tmp_path / "other"))
    inner = tmp_path / "shop" / "vendor"
    data = home.machine.data
    for place in (repo.top.resolve(), (tmp_path / "other").resolve(), inner, tmp_path / "else"):
        optin.opt_in(data, place)
    below = optin.live_at(data, repo.top.resolve() / "src")
    assert below is not None
    below.mkdir(parents=True)
    (below / "root").write_text(str(repo.top.resolve()))
    done = leave_project(home.machine, tmp_path / "other", said=PERSON)
    assert len(done.places) == 3
    assert {path.parent.name for path in optin.all_lives(data)} == {"vendor", "else"}


def test_a_place_below_that_becomes_a_project_is_its_own(home: Home) -> None:
    """A session in a sub-folder left a folder there that names the project above."""
    inner = optin.live_at(home.machine.data, Path("/w/shop/inner"))
    assert inner is not None
    inner.mkdir(parents=True)
    (inner / "root").write_text("/w/shop")
    assert optin.opt_in(home.machine.data, Path("/w/shop/inner"))
    assert not optin.opt_in(home.machine.data, Path("/w/shop/inner"))
    assert optin.lives(home.machine.data, [Path("/w/shop")]) == []
