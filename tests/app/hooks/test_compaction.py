"""After a compaction: what the client's summary lost, and only that."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.app.hooks import quota as talk
from tests.app.hooks.hooked import NOW, Hooked
from tests.app.projects import open_task, state_item


@pytest.fixture
def world(tmp_path: Path) -> Hooked:
    world = Hooked(tmp_path)
    with world.desk() as at:
        task = open_task(at, "Fix the tide")
        state_item(at, "decision", "Keep `moon()` in the loader", task=task, why="two callers need it")
        state_item(at, "failed", "Caching the `ebb_table`", task=task, why="stale after midnight")
        state_item(at, "constraint", "Never change the public API", task=task)
        state_item(at, "reminder", "Tell Bea before the release", task=task)
    world.start()
    return world


def summarised(world: Hooked, text: str) -> None:
    """The hook of the summarising sub-agent has kept what it said."""
    (world.session() / "summary").write_text(text, encoding="utf-8")


def test_what_the_summary_holds_is_not_told_again(world: Hooked) -> None:
    """The context was just made small."""
    summarised(world, "We keep `moon()` in the loader for its two callers.")
    text = world.start("compact").context
    assert "ebb_table" in text and "stale after midnight" in text
    assert "public API" in text and "Tell Bea" in text, "rules and reminders in any case"
    assert "moon()" not in text
    assert "compact" == world.receipts()[0].source


def test_a_summary_is_read_once(world: Hooked) -> None:
    """That of an earlier compaction says nothing about a later one; without one, all that is dear counts as lost."""
    summarised(world, "We keep `moon()` in the loader for its two callers; caching the `ebb_table` was stale.")
    assert "ebb_table" not in world.start("compact").context
    assert not (world.session() / "summary").exists()
    text = world.start("compact").context
    assert "moon()" in text and "ebb_table" in text


def test_what_the_session_itself_said_is_told_again(tmp_path: Path) -> None:
    """Also where no task is open: a compaction comes in the middle of work."""
    world = Hooked(tmp_path)
    world.start()
    world.story(session=NOW).save(world.home)
    world.end("before_compaction")
    summarised(world, "We worked on something.")
    assert "moon()" in world.start("compact").context


def test_thresholds_count_anew(world: Hooked) -> None:
    """After a compaction the context fills a second time; how full it was before says nothing any more."""
    here = str(world.session())
    world.start()
    (world.session() / "pulse").write_text("900000 500000 - 0\n")
    talk.keep(here, talk.QuotaState(thresholds=("checkpoint", "compact"), tokens=90, lines=2))
    world.start("compact")
    assert talk.QuotaState(tokens=90, lines=2, compactions=1) == talk.told(here)
    assert "tokens" not in world.prompt("after_tool").context


@pytest.mark.parametrize(
    "said", ["Caching the `ebb_table` works after all, also after midnight.", "Cache the `ebb_table`."]
)
def test_a_dead_end_that_the_summary_inverts_is_told_again(world: Hooked, said: str) -> None:
    """Its name without its reason is an invitation, and so is a sentence that says it works."""
    summarised(world, said)
    assert "stale after midnight" in world.start("compact").context
