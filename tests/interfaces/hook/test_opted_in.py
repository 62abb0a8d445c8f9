"""Where a session's start is answered: in places that a person opted in, and in what belongs to them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from clew.core.runtime_dir import live_folder
from clew.interfaces.hook import entry
from tests.interfaces.hook.hooks import Hooks, installed


@pytest.fixture
def hooks(tmp_path: Path) -> Hooks:
    """A repository that was opted in."""
    made = installed(tmp_path)
    git(made.project, "init", "-q")
    git(made.project, "commit", "-q", "--allow-empty", "-m", "first")
    return made


def git(folder: Path, *arguments: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "-C", folder, *who, *arguments], check=True, capture_output=True)


def wanted(hooks: Hooks, place: Path) -> bool:
    return entry.is_opted_in(live_folder(str(hooks.data), str(place)), str(hooks.data))


def test_the_place_itself_and_what_lies_below_it(hooks: Hooks, tmp_path: Path):
    """People start a client in a sub-folder too."""
    below = hooks.project / "packages" / "web"
    below.mkdir(parents=True)
    assert wanted(hooks, hooks.project)
    assert wanted(hooks, below)
    assert not wanted(hooks, tmp_path)
    assert not wanted(hooks, Path("/"))


def test_another_repository_within_it_is_another_project(hooks: Hooks):
    """A clone of somebody's work in a folder of ours was opted in by nobody."""
    clone = hooks.project / "vendor" / "theirs"
    (clone / "src").mkdir(parents=True)
    git(clone, "init", "-q")
    assert not wanted(hooks, clone)
    assert not wanted(hooks, clone / "src")


def test_a_linked_work_tree_belongs_to_its_main_one(hooks: Hooks, tmp_path: Path):
    """Clients make work trees for parallel tasks; all of one repository share what is known."""
    git(hooks.project, "worktree", "add", "-q", str(tmp_path / "linked"))
    (tmp_path / "linked" / "src").mkdir()
    assert wanted(hooks, tmp_path / "linked")
    assert wanted(hooks, tmp_path / "linked" / "src")


def test_a_folder_that_claims_to_be_a_linked_work_tree_is_none(hooks: Hooks, tmp_path: Path):
    """An archive from anybody can hold a file named .git that points into our repository."""
    git(hooks.project, "worktree", "add", "-q", str(tmp_path / "linked"))
    fake = tmp_path / "unpacked"
    fake.mkdir()
    (fake / ".git").write_bytes((tmp_path / "linked" / ".git").read_bytes())
    assert not wanted(hooks, fake)
    for text in ("", "gitdir: ", "gitdir: ../shop/.git/worktrees/linked", "gitdir: /.git/worktrees/x", "\0\n"):
        (fake / ".git").write_text(text)
        assert not wanted(hooks, fake)
