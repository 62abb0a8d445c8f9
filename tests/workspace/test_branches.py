"""Branches, read off the files of a repository."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clew.workspace.git import Git
from clew.workspace.repository import (
    Repository,
    default_branch,
    find,
    is_gone,
    may_have_been,
    targets,
    tip,
    top_of,
    was_work_tree,
)
from tests.workspace.repos import Repo


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = Repo(tmp_path / "shop")
    made.commit("Begin")
    return made


def at(repo: Repo) -> Repository:
    found = find(repo.top)
    assert found is not None
    return found


def test_the_default_branch(repo: Repo) -> None:
    """What the remote says counts; else the names that people give it."""
    assert default_branch(at(repo)) == "main"
    repo.git("branch", "-m", "main", "fee")
    assert default_branch(at(repo)) == ""
    repo.git("branch", "master")
    assert default_branch(at(repo)) == "master"
    repo.git("update-ref", "refs/remotes/origin/next", "HEAD")
    repo.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/next")
    assert default_branch(at(repo)) == "next"


@pytest.mark.parametrize("packed", [False, True])
def test_a_branch_is_there_or_gone(repo: Repo, packed: bool) -> None:
    """Loose or packed; and one that has no commit yet is not gone."""
    repo.git("branch", "fee")
    if packed:
        repo.git("pack-refs", "--all")
    assert (tip(at(repo), "fee"), is_gone(at(repo), "fee")) == (repo.git("rev-parse", "HEAD"), False)
    repo.git("branch", "-D", "fee")
    assert (tip(at(repo), "fee"), is_gone(at(repo), "fee")) == ("", True)
    repo.git("checkout", "-q", "--orphan", "young")
    assert not is_gone(at(repo), "young")


def test_a_branch_that_was_written_last_is_merged_nowhere(repo: Repo) -> None:
    """Git is asked only where a merge can have been."""
    repo.git("checkout", "-q", "-b", "fee")
    fee = repo.commit("Raise the fee")
    for name, seconds in (("main", 1_000), ("fee", 2_000)):
        os.utime(repo.top / ".git" / "refs" / "heads" / name, (seconds, seconds))
    assert targets(at(repo), "main", branch="fee") == []
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "-m", "Merge", "fee")
    main = repo.git("rev-parse", "main")
    assert targets(at(repo), "main", branch="fee") == [main]
    git = Git(at(repo), environment=dict(os.environ))
    assert git.holds(main, fee) and not git.holds(fee, main)


def test_the_top_of_a_work_tree_that_is_gone(tmp_path: Path) -> None:
    """Its paths would else begin with the folder that it stood in."""
    shop = Repo(tmp_path / "shop").top
    home = shop / ".claude" / "worktrees"
    for gone in (home / "fee", home / "1f3a" / "shop", home / "ada" / "fix" / "fee"):
        assert top_of(str(gone)) == str(gone)
    assert top_of(str(shop / "src")) == str(shop)
    assert top_of("/" + "x" * 5000) == "/" + "x" * 5000
    (home / "fee").mkdir(parents=True)
    assert top_of(str(home / "fee")) == str(shop)


def test_a_folder_that_is_said_to_have_been_a_work_tree(repo: Repo) -> None:
    """A bundle may name any: another project's sessions would be taken for ours."""
    beside, elsewhere = repo.top.parent / "fee", Path("/srv/other")
    home = Path("/srv/worktrees/shop/fee")
    assert [True, True, False] == [may_have_been(at(repo), place) for place in (beside, home, elsewhere)]
    beside.mkdir()
    assert not may_have_been(at(repo), beside)
    assert not may_have_been(at(repo), Path("fee"))


def test_a_folder_beside_that_is_gone_was_a_work_tree_if_git_knows_its_branch(repo: Repo) -> None:
    """Any other project may have stood there."""
    beside, other = repo.top.parent / "shop-fee", repo.top.parent / "store-fee"
    assert not was_work_tree(at(repo), beside, "fee")
    repo.git("branch", "fee")
    assert was_work_tree(at(repo), beside, "fee")
    assert was_work_tree(at(repo), beside / "src", "fee")
    assert not was_work_tree(at(repo), other, "fee")
    assert not was_work_tree(at(repo), beside, "main")
    assert not was_work_tree(at(repo), beside, "")
    beside.mkdir()
    assert not was_work_tree(at(repo), beside, "fee")
    beside.rmdir()
    repo.git("checkout", "-q", "fee")
    repo.commit("Raise the fee")
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "fee")
    repo.git("branch", "-D", "fee")
    assert was_work_tree(at(repo), beside, "fee")
