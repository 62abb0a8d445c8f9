"""Where a file went, by way of drift: found by git or by its content, and gone where nothing proves a move."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workspace.looks import NOW_S, TEXT, look, seen, status
from tests.workspace.repos import OTHER, Repo, rfc3339


def test_a_rename_in_a_commit_is_moved(repo: Repo):
    """Edited on the way: only git's rename detection knows, and then says by which commit."""
    repo.git("mv", "b.txt", "b2.txt")
    repo.write("b2.txt", TEXT + "one more\n")
    repo.commit("rename b", author=OTHER)
    (file,) = look(repo.top, seen("b.txt", TEXT)).files
    assert (file.moved_to, *status(file)) == ("b2.txt", "moved", 1, 0)
    assert [commit.subject for commit in file.commits] == ["rename b"]


def test_a_staged_rename_on_top_of_a_committed_one(repo: Repo):
    """Two steps, one not committed yet: the file is at the end of both."""
    repo.git("mv", "b.txt", "b2.txt")
    repo.commit("rename b")
    repo.git("mv", "b2.txt", "b3.txt")
    assert look(repo.top, seen("b.txt", TEXT)).files[0].moved_to == "b3.txt"


@pytest.mark.parametrize("target", ["b2.txt", "new folder/b.txt", "src/deep/down/other name"])
@pytest.mark.parametrize("git", [True, False], ids=["git", "no git"])
def test_a_file_moved_by_hand_is_found_by_its_content(repo: Repo, target: str, git: bool):
    """Nobody told git; outside a repository there is no git to tell."""
    (repo.top / target).parent.mkdir(parents=True, exist_ok=True)
    (repo.top / "b.txt").rename(repo.top / target)
    (file,) = look(repo.top, seen("b.txt", TEXT), git=git).files
    assert (file.moved_to, *status(file)) == (target, "moved", 0, 0)


@pytest.mark.parametrize("git", [True, False], ids=["git", "no git"])
def test_a_deleted_file_is_gone(repo: Repo, git: bool):
    """Also when another file of the same short content is around."""
    (repo.top / "src/c.txt").unlink()
    repo.write("new.txt", "c\n")
    assert status(look(repo.top, seen("src/c.txt", "c\n"), git=git).files[0]) == ("gone", -1, -1)


def test_a_copy_that_was_there_all_along_is_not_where_a_file_went(tmp_path: Path):
    """A deleted duplicate is gone; its twin did not move."""
    (tmp_path / "twin").mkdir()
    (tmp_path / "twin/f.txt").write_text(TEXT)
    future = rfc3339(NOW_S + 3600)
    assert look(tmp_path, seen("f.txt", TEXT, time=future)).files[0].status == "gone"


def test_a_deleting_commit_is_named(repo: Repo):
    """Gone, and by whom."""
    repo.git("rm", "-q", "src/c.txt")
    repo.commit("drop c", author=OTHER)
    (file,) = look(repo.top, seen("src/c.txt", "c\n")).files
    assert (file.status, [commit.subject for commit in file.commits]) == ("gone", ["drop c"])
