"""Sessions of clients that record no branch count where the work tree was when they were imported."""

from __future__ import annotations

from pathlib import Path

from clew.app.project.opening import ProjectHandle
from clew.app.resume.catchup import catch_up
from clew.app.tasks.lifecycle import task_new
from tests.app.projects import World
from tests.recordings.sessions import Recorder

MOON = "b0000000-0000-4000-8000-000000000001"


def told(world: World, session: str, words: str) -> None:
    Recorder(world.top, session=session, branch="", start="2026-11-22T09:00:00").user(words).reply("Done.").save(
        world.home
    )


def test_a_session_without_a_branch_counts_for_the_task_of_the_one_at_hand(tmp_path: Path) -> None:
    """Given a task on this branch, a person's session in such a client would else be lost to it."""
    world = World(tmp_path)
    told(world, MOON, "Mind the moon")
    task_new(ProjectHandle(world.ports, world.top), "The moon")
    with world.desk() as at:
        catch_up(world.ports, at)
        assert [at.task()] == [one.task for one in at.ledger.extracts(session=MOON)] != [""]
        assert ["main"] == [one.origin.branch for one in at.ledger.extracts(session=MOON)]


def test_it_stays_where_it_was_when_the_work_tree_moves_on(tmp_path: Path) -> None:
    """Given a session that was imported on one branch, reading more of it on another does not move it."""
    world = World(tmp_path)
    told(world, MOON, "Mind the moon")
    with world.desk() as at:
        catch_up(world.ports, at)
    world.repo.git("switch", "-qc", "tide")
    Recorder(world.top, session=MOON, branch="", start="2026-11-22T09:00:00").user("Mind the moon").reply("Done.").user(
        "And the tide"
    ).save(world.home)
    with world.desk() as at:
        catch_up(world.ports, at)
        (extract,) = at.ledger.extracts(session=MOON)
        assert "main" == extract.origin.branch
        assert any("tide" in one.text for one in extract.items)
