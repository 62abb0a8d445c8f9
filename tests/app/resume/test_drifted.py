"""Drift of a task: what is compared with what, and what is never taken for evidence."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clew.app.project.opening import ProjectHandle
from clew.app.record.note import NewNote, note
from clew.app.resume.catchup import catch_up, checkpoint
from clew.app.resume.drifted import Drifted, drifted
from clew.app.resume.payload import resume
from clew.core.errors import NotFound
from tests.app.projects import World, open_task, state_item
from tests.recordings.sessions import Recorder
from tests.workspace.repos import rfc3339


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(tmp_path)
    # Files are written by the machine's clock, so the story's is the same.
    made.clock.now_ms = int(made.top.stat().st_mtime * 1000) + 10_000
    return made


def session(world: World, *, ago_s: int = 600) -> None:
    """A session that set the tide to ten and committed it."""
    start = rfc3339(world.clock() / 1000 - ago_s)[:19]
    story = Recorder(world.top, start=start).user("Make the tide ten")
    story.read("src/a.py", "a = 1\n").edit("src/a.py", "1", "10", original="a = 1\n")
    story.run("git commit -qam Tide", "[main 1234abc] Tide\n 1 file changed, 1 insertion(+)").reply("The tide is ten.")
    story.save(world.home)
    world.repo.write("src/a.py", "a = 10\n")


def status(found: Drifted) -> dict[str, str]:
    return {file.path: file.status for file in found.drift.files}


def test_the_newest_session_is_what_is_compared_with(world: World) -> None:
    """Its own record proves what the file held when it was last seen."""
    session(world)
    with world.desk() as at:
        catch_up(world.ports, at)
    found = drifted(ProjectHandle(world.ports, world.top))
    assert found.session
    assert found.checkpoint is None
    assert (status(found), found.verdict.kind) == ({"src/a.py": "unchanged"}, "current")
    world.repo.write("src/a.py", "a = 11\n")
    found = drifted(ProjectHandle(world.ports, world.top))
    assert (status(found), found.verdict.kind) == ({"src/a.py": "changed"}, "partly stale")


def test_a_checkpoint_hides_no_change_made_before_it(world: World) -> None:
    """The file was changed overnight; in the morning `clew resume` takes the session in and marks its commit, and the
    agent takes a checkpoint of its own.
    """
    session(world)
    world.repo.write("src/a.py", "a = 99\n")
    with world.desk() as at:
        assert catch_up(world.ports, at).checkpoint is not None
    assert status(drifted(ProjectHandle(world.ports, world.top))) == {"src/a.py": "changed"}
    checkpoint(ProjectHandle(world.ports, world.top), name="good")
    assert status(drifted(ProjectHandle(world.ports, world.top))) == {"src/a.py": "changed"}
    asked = drifted(ProjectHandle(world.ports, world.top), since="good")
    assert asked.checkpoint is not None
    assert (asked.checkpoint.name, asked.session, asked.verdict.kind) == ("good", "", "current")


def test_where_the_record_is_gone_the_last_checkpoint_counts(world: World) -> None:
    """Clients delete their records after a month."""
    session(world)
    checkpoint(ProjectHandle(world.ports, world.top), name="good")
    for record in (world.home / ".claude").rglob("*.jsonl"):
        record.unlink()
    found = drifted(ProjectHandle(world.ports, world.top))
    assert found.checkpoint is not None
    assert (found.checkpoint.name, found.verdict.kind) == ("good", "current")
    world.repo.write("src/a.py", "a = 100\n")
    assert status(drifted(ProjectHandle(world.ports, world.top))) == {"src/a.py": "changed"}


def test_what_the_session_moved_itself_is_no_drift(world: World) -> None:
    """The file is looked for where the session left it, and what it said of the old name stands."""
    start = rfc3339(world.clock() / 1000 - 600)[:19]
    story = Recorder(world.top, start=start).user("Make the tide ten, in b").read("src/a.py", "a = 1\n")
    story.edit("src/a.py", "1", "10", original="a = 1\n").run("git mv src/a.py src/b.py")
    story.reply("`src/a.py` is `src/b.py` now, and the tide in it is ten.").save(world.home)
    world.repo.write("src/a.py", "a = 10\n")
    world.repo.git("mv", "src/a.py", "src/b.py")
    found = resume(ProjectHandle(world.ports, world.top))
    assert found.verdict is not None and "current" == found.verdict.kind, found.verdict
    assert "verify first" not in found.document.text
    world.repo.write("src/b.py", "a = 11\n")
    assert status(drifted(ProjectHandle(world.ports, world.top))) == {"src/b.py": "changed"}


def test_what_a_person_commits_is_told_as_committed(world: World) -> None:
    """The session's record cannot know; git does."""
    story = Recorder(world.top, start=rfc3339(world.clock() / 1000 - 600)[:19]).user("Make the tide ten")
    story.edit("src/a.py", "1", "10", original="a = 1\n").reply("Done.").save(world.home)
    world.repo.write("src/a.py", "a = 10\n")
    assert "- src/a.py*" in resume(ProjectHandle(world.ports, world.top)).document.text
    world.repo.git("commit", "-qam", "Ten")
    text = resume(ProjectHandle(world.ports, world.top)).document.text
    assert "- src/a.py\n" in text and "in no commit" not in text


@pytest.mark.parametrize(("passed", "sign"), [(True, "✓ passed"), (False, "✗ failed")])
def test_a_question_makes_no_check_stale_and_an_edit_does(world: World, passed: bool, sign: str) -> None:
    session_id = "5e551011-0000-4000-8000-00000000000{}"

    def begun(number: int) -> Recorder:
        start = rfc3339(world.clock() / 1000 - 600 + 100 * number)[:19]
        return Recorder(world.top, session=session_id.format(number), start=start)

    story = begun(1).user("Make the tide ten").edit("src/a.py", "1", "10", original="a = 1\n")
    said = "1 passed in 0.01s" if passed else "FAILED tests/test_a.py::test_a - assert 1 == 10\n1 failed in 0.01s"
    story.run("python -m pytest -q", said, code=0 if passed else 1).reply("The tide is ten.").save(world.home)
    world.repo.write("src/a.py", "a = 10\n")
    begun(2).user("Why is the tide ten?").read("src/a.py", "a = 10\n").reply("The moon asks for it.").save(world.home)
    assert f"- {sign}: `python -m pytest -q`" in resume(ProjectHandle(world.ports, world.top)).document.text
    story = begun(3).user("Make the moon nine").edit("src/moon.py", "1", "9", original="m = 1\n").reply("It is.")
    story.save(world.home)
    world.repo.write("src/moon.py", "m = 9\n")
    assert f"- {sign}" not in resume(ProjectHandle(world.ports, world.top)).document.text


def test_what_never_came_to_this_work_tree_is_not_gone(world: World) -> None:
    """Given a session in another work tree whose file is not merged; a file that was deleted here is gone."""
    other = world.top.parent / "other"
    world.repo.git("worktree", "add", "-q", "-b", "fee", str(other))
    with world.desk() as at:
        state_item(at, "finding", "About these", files=["src/a.py", "src/fee.py"], cites=["f" * 40 + " src/fee.py"])
    (other / "src/fee.py").write_text("f = 1\n", encoding="utf-8")
    (world.top / "src/a.py").unlink()
    assert status(drifted(ProjectHandle(world.ports, world.top))) == {"src/a.py": "gone", "src/fee.py": "unknown"}
    (other / "src/fee.py").unlink()
    assert status(drifted(ProjectHandle(world.ports, world.top)))["src/fee.py"] == "gone"


def test_since_looks_back_at_any_checkpoint(world: World) -> None:
    """What was absent then and is here now has changed, and what still is absent has not."""
    with world.desk() as at:
        state_item(at, "finding", "About these", files=["src/a.py", "src/new.py", "src/never.py"])
    checkpoint(ProjectHandle(world.ports, world.top), name="before")
    world.repo.write("src/new.py", "n = 1\n")
    world.repo.git("mv", "src/a.py", "src/b.py")
    found = drifted(ProjectHandle(world.ports, world.top), since="before")
    assert status(found) == {"src/a.py": "moved", "src/new.py": "changed", "src/never.py": "unchanged"}
    with pytest.raises(NotFound):
        drifted(ProjectHandle(world.ports, world.top), since="no such")


def test_without_session_and_checkpoint_the_time_of_the_items_counts(world: World) -> None:
    """An item that somebody stated is as old as it is."""
    with world.desk() as at:
        state_item(at, "finding", "About a", files=["src/a.py"])
    found = drifted(ProjectHandle(world.ports, world.top))
    assert (found.session, found.checkpoint) == ("", None)
    assert status(found) == {"src/a.py": "unchanged"}
    world.repo.write("src/a.py", "a = 7\n")
    later = (world.clock() + 60_000) / 1000
    os.utime(world.top / "src/a.py", (later, later))
    assert status(drifted(ProjectHandle(world.ports, world.top))) == {"src/a.py": "changed"}


def test_only_the_named_task_counts(world: World) -> None:
    """Files of another task are that task's business, and so is what is next where no task is bound."""
    with world.desk() as at:
        task = open_task(at, "Tides")
        state_item(at, "finding", "About a", task=task, files=["src/a.py"])
        state_item(at, "next", "Fix the readme", files=["README.md"])
    assert list(status(drifted(ProjectHandle(world.ports, world.top)))) == ["src/a.py"]
    assert list(status(drifted(ProjectHandle(world.ports, world.top), task="tides"))) == ["src/a.py"]
    world.repo.git("switch", "-q", "-c", "other")
    assert list(status(drifted(ProjectHandle(world.ports, world.top)))) == ["README.md"]


def test_without_a_ledger_the_newest_session_of_the_project_counts(tmp_path: Path) -> None:
    """The command is of use before `clew init`."""
    world = World(tmp_path, ledger=False)
    world.clock.now_ms = int(world.top.stat().st_mtime * 1000) + 10_000
    session(world)
    found = drifted(ProjectHandle(world.ports, world.top))
    assert found.task is None
    assert status(found) == {"src/a.py": "unchanged"}


def test_a_file_that_never_was_there_is_not_gone(world: World) -> None:
    """A typing error in `--file` must not make everything stale; and whether it ever was there nobody knows."""
    note(ProjectHandle(world.ports, world.top), NewNote("decision", "One parser", files=("src/parser.py", "src/a.py")))
    found = drifted(ProjectHandle(world.ports, world.top))
    assert {"src/parser.py": "unknown", "src/a.py": "unchanged"} == status(found)
    assert "current" == found.verdict.kind
    (world.top / "src" / "a.py").unlink()
    assert {"src/parser.py": "unknown", "src/a.py": "gone"} == status(drifted(ProjectHandle(world.ports, world.top)))
    session(world)
    with world.desk() as at:
        catch_up(world.ports, at)
    assert "unknown" == status(drifted(ProjectHandle(world.ports, world.top)))["src/parser.py"]
