"""What git adds to drift: who changed a file and when, and nothing where a repository is odd, damaged or missing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from clew.workspace.drift import drift
from clew.workspace.git import Git
from tests.workspace.looks import LONG_AGO_S, NOW_S, TEXT, THEN, THEN_S, look, rewind, seen
from tests.workspace.repos import OTHER, Repo, environment_with

# Who changed it


def test_commits_that_touched_a_file_are_named_newest_first(repo: Repo):
    """ "Changed by whom" is the first thing the next session wants to know."""
    repo.write("a.txt", "one\n")
    repo.commit("shorten it", author=OTHER)
    repo.write("src/c.txt", "other\n")
    repo.commit("something else", author=OTHER)
    repo.write("a.txt", "one\nmore\n")
    repo.commit("lengthen it")
    found = look(repo.top, seen("a.txt", "one\ntwo\nthree\n"), seen("b.txt", TEXT))
    changed, unchanged = found.files
    assert [(commit.subject, commit.mine) for commit in changed.commits] == [
        ("lengthen it", True),
        ("shorten it", False),
    ]
    assert unchanged.commits == ()
    assert [commit.subject for commit in found.commits_since] == ["lengthen it", "something else", "shorten it"]
    assert found.tree.head_subject == "lengthen it"


def test_a_session_that_commits_its_work_finds_nothing_changed(repo: Repo):
    """Its own commit is listed as its user's, but what it saw is what is there."""
    repo.write("a.txt", "work of the session\n")
    repo.commit("work")
    found = look(repo.top, seen("a.txt", "work of the session\n"))
    assert found.files[0].status == "unchanged"
    assert [commit.mine for commit in found.commits_since] == [True]


def test_commits_older_than_the_session_that_came_later_are_news(repo: Repo):
    """A colleague's commit of last week that was pulled today: its date says old, the reflog says new."""
    repo.write("a.txt", "pulled\n")
    repo.commit("made last week", author=OTHER, seconds=LONG_AGO_S + 60)
    rewind(repo, NOW_S)
    found = look(repo.top, seen("a.txt", "one\ntwo\nthree\n"))
    assert [commit.subject for commit in found.commits_since] == ["made last week"]
    assert [commit.subject for commit in found.files[0].commits] == ["made last week"]


def test_without_a_reflog_the_commits_own_dates_decide(repo: Repo):
    """A fresh clone has no memory of where HEAD was."""
    repo.write("a.txt", "x\n")
    repo.commit("new", seconds=NOW_S - 60)
    (repo.top / ".git/logs/HEAD").unlink()
    assert [commit.subject for commit in look(repo.top).commits_since] == ["new"]


def test_another_branch_shows_what_this_one_has_more(repo: Repo):
    """After a switch the tree differs by the commits that the session's branch did not have."""
    repo.git("checkout", "-q", "-b", "topic")
    rewind(repo, THEN_S - 60)
    repo.git("checkout", "-q", "main")
    repo.commit("on main")
    found = look(repo.top)
    assert (found.tree.branch, [commit.subject for commit in found.commits_since]) == ("main", ["on main"])


# Odd repositories


def _no_commits(repo: Repo) -> None:
    repo.git("update-ref", "-d", "HEAD")


def _detached(repo: Repo) -> None:
    repo.git("checkout", "-q", "--detach")


def _broken_index(repo: Repo) -> None:
    (repo.top / ".git/index").write_bytes(b"DIRC nonsense")


def _no_objects(repo: Repo) -> None:
    for place in (repo.top / ".git/objects").glob("??/*"):
        place.unlink()


def _locked(repo: Repo) -> None:
    (repo.top / ".git/index.lock").write_text("")


def _broken_config(repo: Repo) -> None:
    (repo.top / ".git/config").write_text("[broken\n")


def _read_only(repo: Repo) -> None:
    for place in (repo.top / ".git").rglob("*"):
        place.chmod(0o555 if place.is_dir() else 0o444)


def _conflict(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "topic")
    repo.write("src/c.txt", "theirs\n")
    repo.commit("theirs")
    repo.git("checkout", "-q", "main")
    repo.write("src/c.txt", "ours\n")
    repo.commit("ours")
    repo.git("merge", "topic", check=False)


ODD = [_no_commits, _detached, _broken_index, _no_objects, _locked, _broken_config, _read_only, _conflict]


@pytest.mark.parametrize("damage", ODD, ids=lambda damage: damage.__name__.strip("_"))
def test_files_are_compared_whatever_state_the_repository_is_in(repo: Repo, damage: Callable[[Repo], None]):
    """A person resumes exactly when things are in a mess; a broken repository must not take the payload along."""
    damage(repo)
    repo.write("a.txt", "one\n")
    (repo.top / "b.txt").unlink()
    found = look(repo.top, seen("a.txt", "one\ntwo\nthree\n"), seen("b.txt", TEXT), seen("src/d.txt"))
    assert [file.status for file in found.files] == ["changed", "gone", "gone"]
    assert found.tree.is_git


def test_a_linked_work_tree_has_its_own_head_and_reflog(repo: Repo):
    """Work trees share commits, not what happened in them."""
    linked = repo.top.parent / "linked"
    repo.git("worktree", "add", "-q", "-b", "topic", str(linked))
    other = Repo(linked, make=False)
    other.write("a.txt", "changed here\n")
    other.commit("in the linked tree")
    here, there = look(linked, seen("a.txt", "one\ntwo\nthree\n")), look(repo.top, seen("a.txt", "one\ntwo\nthree\n"))
    assert (here.tree.branch, here.files[0].status, there.files[0].status) == ("topic", "changed", "unchanged")
    assert [commit.subject for commit in there.commits_since] == []


def test_a_submodule_is_one_path_of_its_parent(repo: Repo, tmp_path: Path):
    """Files inside are compared by content; git is not asked about another repository."""
    library = Repo(tmp_path / "library")
    library.write("lib.txt", "one\n")
    library.commit("library")
    repo.git("-c", "protocol.file.allow=always", "submodule", "-q", "add", str(library.top), "library")
    repo.commit("add library")
    repo.write("library/lib.txt", "two\n")
    found = look(repo.top, seen("library/lib.txt", "one\n"))
    assert (found.files[0].status, found.tree.dirty) == ("changed", ())


def test_a_root_below_the_top_speaks_of_its_own_paths(repo: Repo):
    """A project may be one folder of a large repository."""
    repo.write("a.txt", "not ours\n")
    repo.write("src/c.txt", "ours\n")
    repo.git("mv", "b.txt", "b2.txt")
    repo.commit("all", author=OTHER)
    repo.write("src/new", "x")
    found = look(repo.top / "src", seen("c.txt", "c\n"))
    assert ([one.subject for one in found.files[0].commits], found.tree.dirty) == (["all"], ("new",))


def test_without_git_installed_files_are_compared_all_the_same(repo: Repo, tmp_path: Path):
    """And the reason is there for who wants to tell it."""
    git = Git.at(repo.top, environment=environment_with(PATH=str(tmp_path)))
    assert git is not None
    found = drift(repo.top, [seen("a.txt", "x\n")], since=THEN, git=git)
    assert (found.files[0].status, found.tree.branch) == ("changed", "main")
    assert git.problem is not None and git.problem.code == "E-no-git"
