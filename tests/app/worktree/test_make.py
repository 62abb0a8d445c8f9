"""Work trees are made whole, or to their end."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.app import worktree
from clew.app.ports import Ports
from clew.app.project.location import locate
from clew.app.project.runtime_dirs import is_opted_in, opt_in
from clew.core.errors import InputError, NotFound, Unavailable
from clew.core.runtime_dir import live_folder
from clew.workspace.repository import Repository
from clew.workspace.worktree_note import read_note, write_note
from tests.app.worktree.conftest import inside
from tests.workspace.repos import Repo


def test_a_work_tree_has_a_branch_a_place_and_ports_of_its_own(
    repo: Repo, world: Ports, repository: Repository
) -> None:
    """Two of them side by side do not share a port; git does not see them."""
    one = worktree.create(world, repository, "fee")
    two = worktree.create(world, repository, "tax")
    assert (repo.top / ".clew/worktrees/fee", "clew/fee", "main") == (one.path, one.branch, one.base)
    assert (100, 200) == (one.port_offset, two.port_offset)
    assert "clew/fee" == inside(one.path).git("branch", "--show-current")
    assert "TAX = 1\n" == (one.path / "app.py").read_text()
    assert "" == repo.git("status", "--porcelain", "--untracked-files=all")
    assert "" == inside(one.path).git("status", "--porcelain", "--untracked-files=all", "--ignored")


def test_environment_files_come_along_with_ports_of_their_own(repo: Repo, world: Ports, repository: Repository) -> None:
    """Only what the settings name; only where git ignores it; a database's port is the database's."""
    repo.write(".env", 'export PORT="3000" # web\nDB_PORT=5432\nURL=http://localhost:3000\nPORT=65500\n')
    repo.write(".env.local", "PORT=8080\r\n").chmod(0o600)
    repo.write("config/local/keys.toml", "k = 1\n")
    repo.write("config/local/other.toml", "k = 2\n")
    repo.write("config/.env", "PORT=1000\n")
    repo.write(
        ".clew/config.toml",
        '[worktree]\ncopy = [".env", ".env.*", "config/local/k*.toml"]\n[[validate.commands]]\nname="t"\nrun="true"\n',
    )
    made = worktree.create(world, repository, "fee")
    assert 'export PORT="3100" # web\nDB_PORT=5432\nURL=http://localhost:3000\nPORT=65500\n' == (
        made.path / ".env"
    ).read_text(encoding="utf-8")
    assert b"PORT=8180\r\n" == (made.path / ".env.local").read_bytes()
    assert 0o600 == (made.path / ".env.local").stat().st_mode & 0o777
    assert "PORT=1100\n" == (made.path / "config/.env").read_text(encoding="utf-8")
    assert (made.path / "config/local/keys.toml").exists() and not (made.path / "config/local/other.toml").exists()
    assert "[[validate.commands]]" in (made.path / ".clew/config.toml").read_text(encoding="utf-8")
    assert [made.name] == [one.name for one in worktree.trees(world, repository).worktrees if not one.reasons]


def test_hooks_work_there_where_a_person_opted_in(repo: Repo, world: Ports, repository: Repository) -> None:
    """And only there."""
    data = world.trust_store.parent
    assert not is_opted_in(str(data), locate(worktree.create(world, repository, "fee").path))
    opt_in(data, repo.top)
    made = worktree.create(world, repository, "tax")
    assert Path(live_folder(str(data), str(made.path))).is_dir()
    assert not Path(live_folder(str(data), str(made.path.with_name("fee")))).is_dir()


@pytest.mark.parametrize("name", ["", "../x", "a/b", "-x", "x.", "A", "a..b", "x.lock", "ü", "a" * 65])
def test_a_name_is_a_branch_and_a_folder(world: Ports, repository: Repository, name: str) -> None:
    """Whatever is typed stays below the place for work trees."""
    with pytest.raises(InputError, match="invalid work tree name"):
        worktree.create(world, repository, name)


def test_there_is_one_of_a_name(world: Ports, repository: Repository) -> None:
    """Nobody is given the work tree of somebody else."""
    worktree.create(world, repository, "fee")
    with pytest.raises(InputError, match="already"):
        worktree.create(world, repository, "fee")
    with pytest.raises(NotFound, match="no work tree 'tax'"):
        worktree.tree_of(repository, "tax")


def test_a_branch_with_commits_of_its_own_is_not_written_over(repo: Repo, world: Ports, repository: Repository) -> None:
    """A branch that the base has all of goes on from the base."""
    repo.git("branch", "clew/fee", "HEAD~1")
    assert repo.git("rev-parse", "HEAD") == inside(worktree.create(world, repository, "fee").path).git(
        "rev-parse", "HEAD"
    )
    repo.git("checkout", "-q", "-b", "clew/tax")
    repo.commit("Mine")
    repo.git("checkout", "-q", "main")
    with pytest.raises(InputError, match="has commits that main has not"):
        worktree.create(world, repository, "tax")
    with pytest.raises(InputError, match="no branch 'trunk'"):
        worktree.create(world, repository, "new", base="trunk")


def test_one_that_was_cut_off_is_finished(repo: Repo, world: Ports, repository: Repository) -> None:
    """A killed checkout leaves files whole and in part; somebody's own words in them are not written over."""
    made = worktree.create(world, repository, "fee")
    note = read_note(made.git_dir)
    assert note is not None and note.ready
    write_note(made.git_dir, note._replace(ready=False))
    (made.git_dir / "index").unlink()
    (made.path / "app.py").write_text("TA", encoding="utf-8")
    (made.path / "README.md").unlink()
    assert made == worktree.create(world, repository, "fee")
    assert "" == inside(made.path).git("status", "--porcelain")
    write_note(made.git_dir, note._replace(ready=False))
    (made.path / "app.py").write_text("TAX = 2\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"app\.py in it is nobody's but yours"):
        worktree.create(world, repository, "fee")
    assert "TAX = 2\n" == (made.path / "app.py").read_text(encoding="utf-8")


def test_one_that_git_was_killed_in_is_begun_again(repo: Repo, world: Ports, repository: Repository) -> None:
    """Git locks what it is making; nothing stands in it yet."""
    made = worktree.create(world, repository, "fee")
    for path in sorted(made.path.iterdir()):
        path.unlink()
    for name in ("clew.json", "index"):
        (made.git_dir / name).unlink()
    (made.git_dir / "locked").write_text("initializing", encoding="utf-8")
    assert made == worktree.create(world, repository, "fee")
    assert () == worktree.trees(world, repository).worktrees[0].reasons


@pytest.mark.parametrize("link", [".clew", ".clew/worktrees"])
def test_the_place_is_no_way_out(repo: Repo, world: Ports, repository: Repository, link: str) -> None:
    """A repository can bring a link in the place of the folder."""
    outside = repo.top.parent / "outside"
    outside.mkdir()
    (repo.top / link).parent.mkdir(exist_ok=True)
    (repo.top / link).symlink_to(outside)
    with pytest.raises(Unavailable, match="leads out of"):
        worktree.create(world, repository, "fee")
    assert [] == list(outside.iterdir())
