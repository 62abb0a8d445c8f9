"""A session is resumed or forked: it is told what changed since, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.app.project.opening import ProjectHandle
from clew.app.record import item as items
from clew.core.records.hook_events import SILENCE
from tests.app.hooks.hooked import EARLIER, NOW, OTHER, Hooked
from tests.app.projects import open_task, state_item


@pytest.fixture
def world(tmp_path: Path) -> Hooked:
    world = Hooked(tmp_path)
    with world.desk() as at:
        open_task(at, "Fix the tide")
    return world


def changed_by_somebody(world: Hooked) -> None:
    world.repo.write("src/a.py", "a = 2\nb = 3\n")


def settled(world: Hooked) -> None:
    """The disk is as the session left it."""
    world.repo.write("src/a.py", "a = 2\n")


def test_a_resumed_session_hears_only_what_changed(world: Hooked) -> None:
    """It has all the rest in its context; telling it twice costs tokens and says nothing."""
    settled(world)
    world.story().save(world.home)
    assert SILENCE == world.start("resume", session=EARLIER)
    changed_by_somebody(world)
    text = world.start("resume", session=EARLIER).context
    assert "# Since this session last wrote (2026-11-21 23:0" in text and "- src/a.py: changed (+1 −0)" in text
    assert "moon()" not in text and "## Goal" not in text
    assert "resume" == world.receipts()[0].source


def test_it_hears_what_others_recorded_and_what_no_longer_holds(world: Hooked) -> None:
    """A decision that was taken back while it slept would be followed."""
    settled(world)
    with world.desk() as at:
        task = at.task()
        world.clock.tick(-7_200_000)
        old = state_item(at, "decision", "Keep the tide low", task=task).data["item"]
        gone = state_item(at, "constraint", "Touch no moon", task=task).data["item"]
        world.clock.tick(7_200_000)
    world.story().save(world.home)
    with world.desk() as at:
        state_item(at, "failed", "Tried to turn the moon", task=task, why="it turns back")
    items.supersede(ProjectHandle(world.ports, world.top), str(old), text="Let the tide rise")
    items.retract(ProjectHandle(world.ports, world.top), str(gone))
    text = world.start("resume", session=EARLIER).context
    news, _, over = text.partition("## No longer holds")
    assert "Tried to turn the moon" in news and "it turns back" in news and "Let the tide rise" in news
    assert "Keep the tide low" in over and "Touch no moon" in over and "Keep the tide low" not in news


def test_it_does_not_hear_its_own_words(world: Hooked) -> None:
    """They stand in its context already."""
    settled(world)
    world.story().save(world.home)
    world.story(session=OTHER, start="2026-11-21T23:30:00").save(world.home)
    text = world.start("resume", session=OTHER).context
    assert "moon()" not in text


def test_a_fork_hears_what_changed_since_its_parent_spoke(world: Hooked) -> None:
    """It has a new id, and no record yet."""
    settled(world)
    world.story().save(world.home)
    with world.desk() as at:
        task = at.task()
        state_item(at, "decision", "Let the tide rise", task=task)
    assert "Let the tide rise" in world.start("fork", session=NOW, idle_s=600).context
    assert SILENCE == world.start("fork", session=OTHER, idle_s=-1), "nobody knows since when"
    world.clock.tick(5000)
    assert "Let the tide rise" not in world.start("fork", session="5e-3", idle_s=1).context


def test_much_news_is_cut_and_counted(world: Hooked) -> None:
    """A week of somebody else's work is for `clew resume`."""
    settled(world)
    world.story().save(world.home)
    with world.desk() as at:
        task = at.task()
        for number in range(60):
            state_item(at, "decision", f"Decision number {number} about the tide", task=task)
    text = world.start("resume", session=EARLIER).context
    assert "more (`clew resume`, `clew log`)" in text and len(text) < 3000
