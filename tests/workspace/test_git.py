"""The wrapper's answers are git's, and each failure is one error with a code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from clew.core.errors import Unavailable
from clew.core.records.files import Seen
from clew.workspace.drift import drift
from clew.workspace.git import Git, Period
from clew.workspace.process import Finished, LimitExceeded, run
from clew.workspace.repository import Head
from tests.workspace.repos import OTHER, Repo, environment_with


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """Two commits and some of everything uncommitted."""
    repo = Repo(tmp_path / "project")
    for name in ("kept", "edited", "renamed", "removed", "staged"):
        repo.write(name, f"{name} file\n" * 9)
    repo.commit("first", seconds=1_700_000_000)
    repo.commit("second: größer 😀", author=OTHER, seconds=1_700_000_100)
    return repo


def asking(repo: Repo) -> Git:
    """The wrapper on a test repository."""
    git = Git.at(repo.top, environment=environment_with())
    assert git is not None
    return git


def test_status_tells_head_branch_and_all_differences(repo: Repo):
    """One process has to be enough: every entry kind of porcelain v2 in one answer."""
    repo.write("edited", "x\n")
    repo.git("mv", "renamed", "new name")
    (repo.top / "removed").unlink()
    repo.write("staged", "y\n")
    repo.git("add", "staged")
    repo.write("untracked", "")
    repo.write("folder/inside", "")
    found = asking(repo).status()
    assert found.head == Head("main", repo.git("rev-parse", "HEAD"))
    assert sorted(found.changed) == ["edited", "new name", "removed", "renamed", "staged"]
    assert sorted(found.untracked) == ["folder/", "untracked"]
    assert found.renamed == {"renamed": "new name"}


def test_commits_are_read_whole(repo: Repo):
    """Subject, author and time, whatever characters they hold."""
    newest, first = asking(repo).commits(Period("", 0))
    identity = repo.git("rev-parse", "HEAD")[:10]
    assert newest == (identity, "second: größer 😀", "Ada", "2023-11-14T22:15:00Z", False)
    assert (first.subject, first.mine) == ("first", True)
    assert asking(repo).last_commit() == newest


def test_an_empty_subject_does_not_shift_the_next_commit(repo: Repo):
    """Fields are counted, so a missing one would make the next commit's id a subject."""
    repo.git("commit", "-q", "--allow-empty", "--allow-empty-message", "-m", "")
    assert [commit.subject for commit in asking(repo).commits(Period("", 0))] == ["", "second: größer 😀", "first"]


def test_tracked_gives_blob_ids_of_head(repo: Repo):
    """Of files at HEAD only; a folder is none."""
    repo.write("folder/inside", "x\n")
    repo.commit("third")
    expected = {name: repo.git("rev-parse", f"HEAD:{name}") for name in ("kept", "folder/inside")}
    assert asking(repo).tracked(["kept", "folder/inside", "folder", "missing", "*"]) == expected


def test_thousands_of_paths_are_asked_in_portions(repo: Repo):
    """A command line has a limit; beyond it the system refuses to start the program."""
    names = [f"missing/{number:0200}" for number in range(3000)]
    assert set(asking(repo).tracked([*names, "kept"])) == {"kept"}
    assert asking(repo).touching([*names, "kept"], Period("", 0))["kept"][0].subject == "first"


def test_outside_of_a_repository_is_none(tmp_path: Path):
    """Not an error: a plain folder is a project, too."""
    assert Git.at(tmp_path, environment=environment_with()) is None


def test_a_failing_question_is_one_error_with_gits_own_words(repo: Repo):
    """What git said is shown, but none of its control characters."""
    with pytest.raises(Unavailable, match="diff-tree failed: fatal: bad object") as caught:
        asking(repo).renames("0" * 40)
    assert caught.value.code == "E-git-failed"


def test_a_git_that_hangs_is_slow_not_for_ever(repo: Repo):
    """A network file system that answers nothing must not hold up the payload."""

    def hang(argv: Sequence[str], *, environment: Mapping[str, str], timeout_s: float) -> Finished:
        raise LimitExceeded(f"no end after {timeout_s:g} s")

    git = Git(asking(repo).repository, run=hang, environment=environment_with())
    with pytest.raises(Unavailable) as caught:
        git.status()
    assert caught.value.code == "E-git-slow"


def test_few_processes(repo: Repo):
    """Each costs as much as all else together: three for a look without news, two more for a file that is gone."""
    asked: list[str] = []

    def counting(argv: Sequence[str], *, environment: Mapping[str, str], timeout_s: float) -> Finished:
        asked.append(argv[4])
        return run(argv, environment=environment, timeout_s=timeout_s)

    def look(*seen: Seen, since: str) -> list[str]:
        asked.clear()
        git = Git(asking(repo).repository, run=counting, environment=environment_with())
        drift(repo.top, seen, since=since, git=git)
        return list(asked)

    kept = Seen("kept", "", None, b"kept file\n" * 9, "")
    vanished = Seen("vanished", "", None, b"x\n", "")
    assert look(kept, since="2040-01-01T00:00:00Z") == ["config", "status", "log"]
    assert look(vanished, since="2040-01-01T00:00:00Z") == ["config", "status", "log"]
    (repo.top / ".git/logs/HEAD").unlink()
    assert look(kept, since="2023-11-14T22:14:00Z") == ["config", "status", "log"]
    assert look(kept, vanished, since="2023-11-14T22:14:00Z") == ["config", "status", "log", "diff-tree", "log"]


@pytest.mark.parametrize("below", ["", "src"])
def test_a_commit_without_its_tree_is_told_with_the_last_whole_one(repo: Repo, below: str):
    """A machine was cut off while git wrote: every question of git's fails, each in other words."""
    whole = repo.git("rev-parse", "HEAD")
    repo.write("src/a.py", "a = 1\n")
    repo.commit("third")
    tree = repo.git("rev-parse", f"HEAD:{below}")
    (repo.top / ".git/objects" / tree[:2] / tree[2:]).unlink()
    (repo.top / ".git/index").unlink()  # it remembers trees
    with pytest.raises(Unavailable, match=f"commit at HEAD is damaged.* is {whole[:10]}") as told:
        asking(repo).status()
    assert "E-git-head" == told.value.code and f"`git update-ref HEAD {whole}`" in told.value.hint
    repo.git("update-ref", "HEAD", whole)
    assert whole == asking(repo).status().head.commit and (repo.top / "src/a.py").exists()
