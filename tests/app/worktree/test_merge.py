"""Merging: only what is clean and valid moves the base, and what does not leaves both sides as they were."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.app import worktree
from clew.app.ports import Ports
from clew.app.worktree import WorkTree
from clew.core.errors import Unavailable
from clew.workspace.repository import Repository
from tests.app.worktree.conftest import inside
from tests.workspace.repos import Repo


@pytest.fixture
def tree(world: Ports, repository: Repository) -> WorkTree:
    """One with a commit of its own."""
    made = worktree.create(world, repository, "fee")
    inside(made.path).write("fee.py", "FEE = 1\n")
    inside(made.path).commit("Fee")
    return made


def passes(_folder: Path) -> bool:
    return True


def standing(repo: Repo) -> tuple[str, ...]:
    """Refs, and what git says of the main work tree."""
    return repo.git("for-each-ref"), repo.git("status", "--porcelain"), repo.git("rev-parse", "HEAD")


def test_both_sides_are_in_what_is_validated_and_merged(
    repo: Repo, world: Ports, repository: Repository, tree: WorkTree
) -> None:
    """The base moved on: what is checked is what it becomes; edits of a person in other files stay."""
    repo.write("base.py", "BASE = 1\n")
    was = repo.commit("Base")
    repo.write("README.md", "edited\n")
    seen: list[set[str]] = []

    def validate(folder: Path) -> bool:
        seen.append({path.name for path in folder.iterdir()})
        return True

    done = worktree.merge(world, repository, "fee", validate=validate)
    assert done.outcome == "merged" and was == done.was
    assert {"base.py", "fee.py"} <= seen[0]
    assert was == repo.git("rev-parse", "main^1")
    assert done.commit == repo.git("rev-parse", "main") == repo.git("rev-parse", tree.branch)
    assert (repo.top / "fee.py").exists() and "edited\n" == (repo.top / "README.md").read_text(encoding="utf-8")
    again = worktree.merge(world, repository, "fee", validate=passes)
    assert ("merged", done.commit, done.commit) == (again.outcome, again.commit, again.was)
    assert worktree.remove(world, repository, "fee").removed


def test_a_base_that_is_checked_out_nowhere_moves_as_well(
    repo: Repo, world: Ports, repository: Repository, tree: WorkTree
) -> None:
    """Somebody works on another branch meanwhile."""
    repo.git("checkout", "-q", "-b", "elsewhere")
    done = worktree.merge(world, repository, "fee", validate=passes)
    assert done.outcome == "merged" and done.commit == repo.git("rev-parse", "main")
    assert not (repo.top / "fee.py").exists()


def test_a_conflict_names_its_files_and_touches_nothing(
    repo: Repo, world: Ports, repository: Repository, tree: WorkTree
) -> None:
    """Neither side is lost, nothing is half merged, and nothing is run."""
    for side, text in ((repo, "TAX = 2\n"), (inside(tree.path), "TAX = 3\n")):
        side.write("app.py", text)
        side.commit("Tax")
    before = standing(repo), standing(inside(tree.path))
    done = worktree.merge(world, repository, "fee", validate=lambda _: pytest.fail("nothing to validate"))
    assert ("conflict", ("app.py",)) == (done.outcome, done.files)
    assert before == (standing(repo), standing(inside(tree.path)))


def test_what_is_not_valid_is_undone(repo: Repo, world: Ports, repository: Repository, tree: WorkTree) -> None:
    """Also when the check itself breaks off."""
    repo.commit("Base")
    before = standing(repo), standing(inside(tree.path))
    done = worktree.merge(world, repository, "fee", validate=lambda _: False)
    assert ("invalid", True) == (done.outcome, done.undone)
    assert before == (standing(repo), standing(inside(tree.path)))

    def broken(_folder: Path) -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        worktree.merge(world, repository, "fee", validate=broken)
    assert before == (standing(repo), standing(inside(tree.path)))


def test_work_that_is_done_while_it_is_checked_is_not_lost(
    repo: Repo, world: Ports, repository: Repository, tree: WorkTree
) -> None:
    """Undoing would write over it, so the branch stays with the base merged in; the base stands where it stood."""
    repo.write("base.py", "BASE = 1\n")
    was = repo.commit("Base")

    def busy(folder: Path) -> bool:
        (folder / "base.py").write_text("BASE = 2\n", encoding="utf-8")
        return False

    done = worktree.merge(world, repository, "fee", validate=busy)
    assert ("invalid", False) == (done.outcome, done.undone)
    assert "BASE = 2\n" == (tree.path / "base.py").read_text(encoding="utf-8")
    assert was == repo.git("rev-parse", "main")
    inside(tree.path).commit("Two")
    assert worktree.merge(world, repository, "fee", validate=passes).outcome == "merged"


@pytest.mark.parametrize("kind", ["uncommitted", "untracked", "detached", "under way"])
def test_only_what_is_clean_is_merged(
    repo: Repo, world: Ports, repository: Repository, tree: WorkTree, kind: str
) -> None:
    """What is not committed would not be in the merge."""
    here = inside(tree.path)
    {
        "uncommitted": lambda: here.write("app.py", "TAX = 9\n"),
        "untracked": lambda: here.write("new.py", "1\n"),
        "detached": lambda: here.git("checkout", "-q", "--detach"),
        "under way": lambda: here.git("bisect", "start"),
    }[kind]()
    done = worktree.merge(world, repository, "fee", validate=passes)
    assert done.outcome == "not clean" and kind in [one.kind for one in done.reasons]


def test_what_is_in_the_way_in_the_base_is_said_before_anything_is_checked(
    repo: Repo, world: Ports, repository: Repository, tree: WorkTree
) -> None:
    """A file of somebody's stands where the merge has one; a rebase of the base is under way."""
    repo.write("fee.py", "mine\n")
    before = standing(repo), standing(inside(tree.path))
    done = worktree.merge(world, repository, "fee", validate=lambda _: pytest.fail("too late"))
    assert done.outcome == "not clean" and "fee.py" in done.reasons[0].text
    assert before == (standing(repo), standing(inside(tree.path)))
    (repo.top / "fee.py").unlink()
    repo.git("bisect", "start")
    done = worktree.merge(world, repository, "fee", validate=lambda _: pytest.fail("too late"))
    assert done.outcome == "not clean" and "main is being rebased or bisected" in done.reasons[0].text


def test_a_base_that_moves_on_meanwhile_is_not_set_back(
    repo: Repo, world: Ports, repository: Repository, tree: WorkTree
) -> None:
    """The next merge takes it in."""

    def slow(_folder: Path) -> bool:
        repo.write("late.py", "1\n")
        repo.commit("Late")
        return True

    done = worktree.merge(world, repository, "fee", validate=slow)
    assert done.outcome == "not clean" and "moved on" in done.reasons[0].text
    assert "Late" == repo.git("log", "-1", "--format=%s", "main")
    assert worktree.merge(world, repository, "fee", validate=passes).outcome == "merged"
    assert {"late.py", "fee.py"} <= {path.name for path in repo.top.iterdir()}


@pytest.mark.parametrize("excluded", [".gitignore", ".git/info/exclude", "global"])
@pytest.mark.parametrize(("there", "brought"), [("a.env", "a.env"), ("a.env/kept", "a.env"), ("a.env", "a.env/x")])
def test_what_git_ignores_in_the_base_is_not_written_over(
    repo: Repo,
    world: Ports,
    repository: Repository,
    tree: WorkTree,
    there: str,
    brought: str,
    excluded: str,
    tmp_path: Path,
) -> None:
    """Git writes over ignored files without a word: a file in a file's place, and a file against a folder."""
    if excluded == "global":
        ignore = tmp_path / "ignore"
        repo.git("config", "core.excludesFile", str(ignore))
    else:
        ignore = repo.top / excluded
    with ignore.open("a", encoding="utf-8") as file:
        file.write("a.env\n")
    repo.git("commit", "-q", "-a", "--allow-empty", "-m", "Leave out")
    mine = repo.write(there, "a person's\n")
    inside(tree.path).write(brought, "the branch's\n")
    inside(tree.path).git("add", "-f", brought)
    inside(tree.path).git("commit", "-q", "-m", "Brings it")
    before = standing(repo)
    done = worktree.merge(world, repository, "fee", validate=lambda _: pytest.fail("too late"))
    assert done.outcome == "not clean"
    assert [("ignored", (there,))] == [(one.kind, one.paths) for one in done.reasons] and there in done.reasons[0].text
    assert "a person's\n" == mine.read_text(encoding="utf-8") and before == standing(repo)


def test_what_git_ignores_in_the_work_tree_is_not_written_over_either(
    repo: Repo, world: Ports, repository: Repository, tree: WorkTree
) -> None:
    """The base brings a file that the work tree has as a copy of its own."""
    copy = inside(tree.path).write(".env.local", "KEY=mine\n")
    repo.write(".env.local", "KEY=all\n")
    repo.git("add", "-f", ".env.local")
    repo.git("commit", "-q", "-m", "Shared by now")
    done = worktree.merge(world, repository, "fee", validate=passes)
    assert done.outcome == "not clean" and "ignored" == done.reasons[0].kind
    assert "KEY=mine\n" == copy.read_text(encoding="utf-8")


def test_what_comes_into_the_way_while_it_is_checked_stays(
    repo: Repo, world: Ports, repository: Repository, tree: WorkTree
) -> None:
    """Minutes go by in which somebody makes a file that git ignores."""
    inside(tree.path).write(".env.new", "the branch's\n")
    inside(tree.path).git("add", "-f", ".env.new")
    inside(tree.path).git("commit", "-q", "-m", "Brings it")

    def slow(_folder: Path) -> bool:
        repo.write(".env.new", "mine\n")
        return True

    assert worktree.merge(world, repository, "fee", validate=slow).outcome == "not clean"
    assert "mine\n" == (repo.top / ".env.new").read_text(encoding="utf-8")


@pytest.mark.parametrize("setting", [("core.worktree", "{elsewhere}"), ("core.bare", "true")])
def test_git_that_was_told_another_folder_is_not_let_write(
    repo: Repo, world: Ports, repository: Repository, tree: WorkTree, setting: tuple[str, str], tmp_path: Path
) -> None:
    """Whoever works in a work tree can set it for all of them; the checks of a merge can, too."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    def turned(_folder: Path) -> bool:
        repo.git("config", setting[0], setting[1].format(elsewhere=elsewhere))
        return True

    with pytest.raises(Unavailable) as raised:
        worktree.merge(world, repository, "fee", validate=turned)
    assert "E-git-top" == raised.value.code and str(repo.top) in raised.value.message
    assert not list(elsewhere.iterdir()) and not (repo.top / "fee.py").exists()
