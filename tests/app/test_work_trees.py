"""Sessions that enter a work tree, and those of work trees that are gone: found, told relative to where they lay."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.app.project.opening import ProjectHandle
from clew.app.resume.payload import Resumption, resume
from clew.app.tasks import lifecycle as tasks
from clew.clients.claude_code.spec import slug
from tests.app.hooks.hooked import Hooked
from tests.recordings.sessions import Recorder
from tests.workspace.repos import Repo

SESSION = "5e551011-0000-4000-8000-000000000001"
START = "2026-11-21T09:00:00"
# Within the session.
COMMITTED_S = 1_795_251_640


@pytest.fixture(params=[True, False], ids=["with a ledger", "without one"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Hooked:
    made = Hooked(tmp_path)
    if not request.param:
        for name in ("ledger.db", "ledger.db-wal", "ledger.db-shm"):
            (made.top / ".git" / "clew" / name).unlink(missing_ok=True)
    return made


def resumed(world: Hooked, folder: Path | None = None) -> Resumption:
    return resume(ProjectHandle(world.ports, folder or world.top))


def linked(world: Hooked, place: str) -> Path:
    """A linked work tree on the branch `fee`, at a place as seen from the project."""
    folder = (world.top / place).resolve()
    world.repo.git("worktree", "add", "-q", str(folder), "-b", "fee")
    return folder


def worked(made: Recorder, tree: Path) -> Recorder:
    """It edits a file of the work tree, on the disk as well."""
    made.cwd, made.branch = str(tree), "fee"
    Repo(tree, make=False).write("src/a.py", "a = 2\n")
    return made.edit("src/a.py", "a = 1", "a = 2", original="a = 1\n")


def test_a_work_tree_that_was_entered_in_mid_session(world: Hooked) -> None:
    """The client was started in the main tree, and the work is in the other one: nothing of it is gone."""
    tree = linked(world, ".claude/worktrees/fee")
    made = Recorder(world.top, session=SESSION, start=START).user("Raise the fee in a work tree of its own")
    made.call("EnterWorktree", {"name": "fee"}).result("Entered.")
    worked(made, tree).reply("Raised, not committed yet.").save(world.home, project=slug(str(world.top)))
    found = resumed(world, tree)
    assert found.verdict is not None and found.verdict.kind == "current"
    assert "src/a.py" in found.document.text and ".claude/worktrees" not in _body(found)
    assert ".claude/worktrees" not in _body(resumed(world))
    if (world.top / ".git" / "clew" / "ledger.db").exists():
        listed = tasks.task_list(ProjectHandle(world.ports, tree))
        assert [one.bound for one in listed.tasks] == [True]
        assert not any(one.bound for one in tasks.task_list(ProjectHandle(world.ports, world.top)).tasks)


@pytest.mark.parametrize("place", [".claude/worktrees/fee", "../tide-fee"])
def test_a_work_tree_that_was_merged_and_removed(world: Hooked, place: str) -> None:
    """What was done there is in the main tree now, under the same names."""
    tree = linked(world, place)
    made = worked(Recorder(tree, session=SESSION, start=START, branch="fee").user("Raise the fee in src/a.py"), tree)
    Repo(tree, make=False).commit("Raise the fee", seconds=COMMITTED_S)
    made.run("git commit -qam 'Raise the fee'", "[fee 1234567] Raise the fee\n 1 file changed")
    made.reply("Raised and committed.").save(world.home)
    resumed(world)
    world.repo.git("merge", "-q", "fee")
    world.repo.git("worktree", "remove", "--force", str(tree))
    found = resumed(world)
    assert found.verdict is not None and found.verdict.kind == "current"
    assert "src/a.py" in found.document.text and "worktrees" not in _body(found)
    world.repo.git("branch", "-D", "fee")
    assert "src/a.py" in resumed(world).document.text


def test_the_sessions_own_commit_changes_nothing_when_it_is_merged(world: Hooked) -> None:
    """Where the record does not hold what was in the file, the merge would else look like somebody's change."""
    tree = linked(world, "../tide-fee")
    made = Recorder(tree, session=SESSION, start=START, branch="fee").user("Raise the fee in src/a.py")
    Repo(tree, make=False).write("src/a.py", "a = 2\n")
    made.call("Edit", {"file_path": f"{tree}/src/a.py", "old_string": "1", "new_string": "2"}).result("Updated.")
    Repo(tree, make=False).commit("Raise the fee", seconds=COMMITTED_S)
    made.run("git commit -qam 'Raise the fee'", "[fee 1234567] Raise the fee\n 1 file changed")
    made.reply("Raised and committed.").save(world.home)
    resumed(world)
    world.repo.git("merge", "-q", "fee")
    world.repo.git("worktree", "remove", "--force", str(tree))
    found = resumed(world)
    assert found.verdict is not None and found.verdict.kind == "current"
    world.repo.write("src/a.py", "a = 7\n")
    world.repo.commit("Lower the fee")
    assert "src/a.py: changed" in resumed(world).document.text


def test_another_project_that_stood_beside_is_not_ours(world: Hooked) -> None:
    """A name that begins alike is not enough."""
    other = world.top.parent / "tide-api"
    Recorder(other, session=SESSION, start=START, branch="api").user("Fix the api").reply("Mended.").save(world.home)
    from clew.core.errors import NotFound

    with pytest.raises(NotFound):
        resumed(world)


def _body(found: Resumption) -> str:
    """All but the lines at the head, which name the root."""
    return found.document.text.partition("\n\n")[2]
