"""Finding a repository and its HEAD by its files must agree with git, and say nothing where it cannot."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clew.workspace.repository import Head, bare_at, find, head, head_at, same_project, work_trees
from tests.workspace.repos import Repo


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """One commit on main."""
    repo = Repo(tmp_path / "project")
    repo.write("a.txt", "a\n")
    repo.commit("first")
    return repo


def agrees(folder: Path) -> bool:
    """Whether our reading of the files is git's."""
    found = find(folder)
    assert found is not None
    git = Repo(folder, make=False).git
    assert str(found.top) == git("rev-parse", "--show-toplevel")
    assert found.git_dir == Path(git("rev-parse", "--absolute-git-dir"))
    assert found.common_dir == (folder / git("rev-parse", "--git-common-dir")).resolve()
    branch = git("symbolic-ref", "-q", "--short", "HEAD", check=False)
    commit = git("rev-parse", "-q", "--verify", "HEAD", check=False)
    return head(found) == Head(branch, commit)


def test_a_plain_repository_from_a_folder_below(repo: Repo):
    """Agents start in subfolders."""
    (repo.top / "src/deep").mkdir(parents=True)
    assert agrees(repo.top / "src/deep")


def test_before_the_first_commit(tmp_path: Path):
    """A new repository has a branch and no commit."""
    assert agrees(Repo(tmp_path).top)


def test_detached(repo: Repo):
    """During a bisect or rebase there is no branch."""
    repo.git("checkout", "-q", "--detach")
    assert agrees(repo.top)


def test_packed_refs(repo: Repo):
    """`git gc` moves branches from their files into one."""
    repo.git("branch", "other/main")
    repo.git("pack-refs", "--all")
    assert agrees(repo.top)


def test_a_linked_work_tree_shares_the_common_folder(repo: Repo):
    """All work trees of a repository are one project with one ledger."""
    linked = repo.top.parent / "linked tree"
    repo.git("worktree", "add", "-q", "-b", "topic", str(linked))
    assert agrees(linked)
    found = find(linked)
    main = find(repo.top)
    assert found is not None and main is not None
    assert found.git_dir != found.common_dir == main.git_dir
    assert found.common_dir == main.common_dir
    assert sorted(work_trees(found)) == sorted(work_trees(main)) == sorted([repo.top, linked])


def test_other_names_and_work_trees_hold_the_same_project(repo: Repo, tmp_path: Path):
    """A session names the folder through a link, and goes to a work tree in the middle: its files are the project's."""
    linked = tmp_path / "elsewhere"
    repo.git("worktree", "add", "-q", "-b", "other", str(linked))
    stranger = Repo(tmp_path / "stranger").top
    named = tmp_path / "link"
    named.symlink_to(repo.top)
    (repo.top / "web").mkdir()
    told = same_project([f"{named}/web", str(linked), str(stranger), str(tmp_path / "gone"), "relative"])
    assert sorted(told) == sorted([str(named), str(linked)])
    assert sorted(same_project([str(linked)])) == [str(repo.top)]
    assert same_project([]) == same_project([str(tmp_path / "gone")]) == ()


def test_a_submodule(repo: Repo, tmp_path: Path):
    """Its `.git` is a file, and it is a project of its own."""
    library = Repo(tmp_path / "library")
    library.write("lib.txt", "one\n")
    library.commit("library")
    repo.git("-c", "protocol.file.allow=always", "submodule", "-q", "add", str(library.top), "library")
    assert agrees(repo.top / "library")
    assert agrees(repo.top)


def test_a_sha256_repository(tmp_path: Path):
    """Ids have 64 digits there."""
    repo = Repo(tmp_path, "--object-format=sha256")
    repo.commit("first")
    assert agrees(repo.top)


def test_a_bare_repository_has_no_work_tree(tmp_path: Path):
    """There is nothing to compare with."""
    bare = Repo(tmp_path / "bare.git", "--bare")
    assert find(bare.top) is None
    assert bare_at(bare.top / "refs") == bare.top
    assert bare_at(tmp_path) is None


def test_a_folder_that_only_holds_work_trees_is_none(repo: Repo, tmp_path: Path):
    """Its `.git` names a bare repository: all files of the project would be missing there."""
    hub = tmp_path / "hub"
    hub.mkdir()
    repo.git("clone", "-q", "--bare", ".", str(hub / ".bare"))
    (hub / ".git").write_text("gitdir: ./.bare\n", encoding="utf-8")
    repo.git("-C", str(hub), "worktree", "add", "-q", "-b", "tide", "tide")
    assert find(hub) is None
    assert bare_at(hub) == hub
    assert agrees(hub / "tide")
    assert bare_at(hub / "tide") is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_pipes_in_place_of_gits_files_do_not_hang(repo: Repo):
    """A hostile checkout must not be able to stop `clew resume` for ever."""
    found = find(repo.top)
    assert found is not None
    for name in ("HEAD", "logs/HEAD"):
        (repo.top / ".git" / name).unlink()
        os.mkfifo(repo.top / ".git" / name)
    assert head(found) is None
    assert head_at(found, 2_000_000_000) == ""


@pytest.mark.parametrize("content", ["", "ref: ", "ref: refs/heads/.invalid", "ref: ../../etc/passwd", "0123"])
def test_a_head_that_we_do_not_understand_is_none(repo: Repo, content: str):
    """Reftable repositories hold a decoy there; then git is asked."""
    found = find(repo.top)
    assert found is not None
    (repo.top / ".git/HEAD").write_text(content + "\n")
    assert head(found) is None


def reflog(repo: Repo, *entries: tuple[str, int]) -> None:
    """Write HEAD's reflog: commit and time of each entry."""
    lines = [f"{'0' * 40} {commit} A. D. Lovelace <a@b> {seconds} +0200\tsome: words\n" for commit, seconds in entries]
    (repo.top / ".git/logs/HEAD").write_text("".join(lines))


@pytest.mark.parametrize(("seconds", "expected"), [(50, ""), (100, "a"), (150, "a"), (200, "b"), (10**12, "c")])
def test_the_reflog_says_where_head_was(repo: Repo, seconds: int, expected: str):
    """Commits that came by a pull are older than the session and news all the same; only the reflog knows."""
    reflog(repo, ("a" * 40, 100), ("b" * 40, 200), ("c" * 40, 300))
    found = find(repo.top)
    assert found is not None
    assert head_at(found, seconds) == expected * 40


def test_a_reflog_of_a_clock_that_went_back_is_read_from_its_end(repo: Repo):
    """As git does: what was written last counts, though its time is older."""
    reflog(repo, ("a" * 40, 900), ("b" * 40, 100), ("c" * 40, 300))
    found = find(repo.top)
    assert found is not None
    assert head_at(found, 200) == "b" * 40


def test_our_reading_of_the_reflog_is_gits(repo: Repo):
    """The same question to `git rev-parse HEAD@{…}`."""
    first = repo.git("rev-parse", "HEAD")
    (repo.top / ".git/logs/HEAD").unlink()
    repo.commit("second", seconds=1_700_000_000)
    repo.commit("third", seconds=1_700_001_000)
    found = find(repo.top)
    assert found is not None and first
    asked = repo.git("rev-parse", "HEAD@{2023-11-14T22:20:00Z}")
    assert head_at(found, 1_700_000_400) == asked
