"""No work tree goes that holds work. The states are those of `benchmarks/worktrees`, alone and in chance company."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.worktrees.fuzz import Bench, play
from benchmarks.worktrees.states import NO_WORK, WORK, State

from clew.app import worktree
from clew.app.ports import Ports
from clew.app.worktree import remove
from clew.app.worktree.place import aside_of
from clew.workspace.repository import Repository
from tests.app.worktree.conftest import inside
from tests.workspace.repos import Repo


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    yield Bench(tmp_path_factory.mktemp("bench"))


@pytest.mark.parametrize("state", WORK, ids=lambda state: state.__name__)
def test_work_stays(bench: Bench, state: State) -> None:
    """And the tree is as it was, to the byte."""
    played = bench.round(1, 1, states=[state])
    assert ("", False, (state.__name__,)) == (played.problem, played.removed, played.states)


@pytest.mark.parametrize("state", NO_WORK, ids=lambda state: state.__name__)
def test_what_holds_no_work_goes(bench: Bench, state: State) -> None:
    """Nothing else goes with it, and every commit can be reached still."""
    played = bench.round(1, 1, states=[state])
    assert ("", True) == (played.problem, played.removed)


def test_nothing_is_lost_in_chance_states() -> None:
    """A small part of `python -m benchmarks.worktrees.fuzz`."""
    played, wrong = play(24, seed=7)
    assert 24 == len(played) and not wrong


def test_why_it_stays_is_told_with_its_files(repo: Repo, world: Ports, repository: Repository) -> None:
    """All reasons at once, so that nobody has to ask again and again."""
    tree = worktree.create(world, repository, "fee")
    inside(tree.path).write("app.py", "TAX = 2\n")
    inside(tree.path).write("note.md", "mine\n")
    done = remove(world, repository, "fee")
    assert not done.removed
    assert [("uncommitted", ("app.py",)), ("untracked", ("note.md",))] == [
        (one.kind, one.paths) for one in done.reasons
    ]


def test_a_dry_run_moves_nothing(repo: Repo, world: Ports, repository: Repository) -> None:
    """No reason: it would go."""
    tree = worktree.create(world, repository, "fee")
    assert () == remove(world, repository, "fee", dry_run=True).reasons
    assert tree.path.is_dir()
    gone = remove(world, repository, "fee")
    assert gone.removed and not gone.kept_refs and not tree.path.exists()
    assert "" == repo.git("branch", "--list", "clew/*") and str(tree.path) not in repo.git("worktree", "list")


def test_a_removal_that_was_killed_is_put_right(repo: Repo, world: Ports, repository: Repository) -> None:
    """Before the folder went, amid it, and after it."""
    for files in (None, ["app.py", "README.md"], "all"):
        tree = worktree.create(world, repository, "fee")
        (tree.git_dir / "locked").write_text("clew is removing it", encoding="utf-8")
        tree.path.rename(aside_of(tree.path))
        if files == "all":
            for path in aside_of(tree.path).iterdir():
                path.unlink()
            aside_of(tree.path).rmdir()
        for name in files if isinstance(files, list) else ():
            (aside_of(tree.path) / name).unlink()
        assert remove(world, repository, "fee").removed
        assert "" == repo.git("branch", "--list", "clew/*")


def test_a_removal_that_was_killed_comes_back_with_the_work_in_it(
    repo: Repo, world: Ports, repository: Repository
) -> None:
    """Somebody wrote into the folder that stood aside."""
    tree = worktree.create(world, repository, "fee")
    (tree.git_dir / "locked").write_text("clew is removing it", encoding="utf-8")
    tree.path.rename(aside_of(tree.path))
    (aside_of(tree.path) / "note.md").write_text("mine", encoding="utf-8")
    assert not remove(world, repository, "fee").removed
    assert "mine" == (tree.path / "note.md").read_text(encoding="utf-8")
    assert not (tree.git_dir / "locked").exists()


def test_views_of_the_ledger_and_markers_are_no_work(repo: Repo, world: Ports, repository: Repository) -> None:
    """What clew wrote there it can write again; what somebody made of it it cannot."""
    from clew.app.project.location import locate
    from clew.app.project.views import ViewFile, views_at

    tree = worktree.create(world, repository, "fee")
    views_at(locate(tree.path)).write([ViewFile(".clew/HANDOFF.md", "Go on.\n")])
    (tree.path / ".clew/spool").mkdir()
    (tree.path / ".clew/spool/.gitignore").write_text("*\n", encoding="utf-8")
    assert () == remove(world, repository, "fee", dry_run=True).reasons
    with (tree.path / ".clew/HANDOFF.md").open("a", encoding="utf-8") as file:
        file.write("And mind the tax.\n")
    done = remove(world, repository, "fee")
    assert not done.removed and ".clew/HANDOFF.md" in done.reasons[0].paths
    Path(tree.path / ".clew/HANDOFF.md").unlink()
    assert remove(world, repository, "fee").removed
