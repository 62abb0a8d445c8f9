"""When a session is asked for a hand-off: once a threshold, once at the end of a turn behind real work, never twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clew.app.hooks.turn_end import ended
from clew.app.project.opening import ProjectHandle
from clew.app.resume.catchup import checkpoint
from clew.core.records.hook_events import SILENCE, Answer, HookEvent
from clew.documents.draft import REQUEST
from tests.app.draft.test_keep import DRAFT
from tests.app.hooks.hooked import NOW, Hooked
from tests.recordings.sessions import Recorder

# An hour before the world's clock.
BEGAN = "2026-11-21T23:00:00"


@pytest.fixture
def world(tmp_path: Path) -> Hooked:
    world = Hooked(tmp_path)
    world.setting("draft.at_stop", True)
    world.start()
    return world


def stop(world: Hooked, **fields: Any) -> Answer:
    """A turn of the session ends."""
    environment = fields.pop("environment", {})
    event = HookEvent("claude-code", "stop", NOW, folder=str(world.top), **fields)
    return ended(world.hook(NOW, **environment), event, world.live)


def worked(world: Hooked, *, minutes: int = 25, edits: bool = True) -> Recorder:
    """The session was at it for so long."""
    made = Recorder(world.top, session=NOW, start=BEGAN).user("Fix the tide in src/a.py")
    if edits:
        made.edit("src/a.py", "a = 1", "a = 2", original="a = 1\n")
    made.pause(minutes).reply("The tide is mended; the loader needs `moon()` in src/a.py.").save(world.home)
    return made


def test_a_turn_behind_real_work_is_asked_once(world: Hooked) -> None:
    """A session can be closed behind any turn, and only its agent knows why things are as they are."""
    made = worked(world)
    said = stop(world)
    assert REQUEST in said.block
    assert "checkpoint" in said.block
    assert [SILENCE] * 3 == [stop(world) for _ in range(3)]
    made.pause(1).reply("Nothing else.").save(world.home)
    assert SILENCE == stop(world), "the same work"
    made.pause(90).edit("src/a.py", "a = 2", "a = 3", original="a = 2\n").save(world.home)
    assert REQUEST in stop(world).block, "new work"


def test_it_is_off_unless_somebody_wants_it(world: Hooked) -> None:
    """It costs a person some 900 tokens a time."""
    world.setting("draft.at_stop", False)
    worked(world)
    assert SILENCE == stop(world)


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"stop_hook_active": True}, "it would go on for ever"),
        ({"agent": "a1"}, "a sub-agent's turn is not the session's"),
        ({"attended": False}, "nobody reads a headless run's hand-off"),
    ],
)
def test_some_turns_are_never_asked(world: Hooked, fields: dict[str, Any], why: str) -> None:
    """Whatever they did."""
    worked(world)
    assert SILENCE == stop(world, **fields), why


def test_a_headless_run_for_a_task_is_asked(world: Hooked) -> None:
    """Whoever named the task wants what it leaves."""
    worked(world)
    assert REQUEST in stop(world, attended=False, environment={"CLEW_TASK": "Fix the tide"}).block


def test_little_work_and_mere_talk_are_not_worth_it(world: Hooked) -> None:
    """Reading for an hour leaves nothing that the next session lacks; five minutes of work the record tells."""
    worked(world, edits=False)
    assert SILENCE == stop(world)
    worked(world, minutes=5)
    assert SILENCE == stop(world)


def test_many_tokens_are_work_too(world: Hooked) -> None:
    """A fast model does in five minutes what fills a window."""
    made = worked(world, minutes=5)
    made.lines[-1] = made.lines[-1].replace('"input_tokens": 5,', '"input_tokens": 40000,')
    made.save(world.home)
    assert REQUEST in stop(world).block


def test_a_draft_that_came_by_itself_counts(world: Hooked) -> None:
    """Who has handed over a minute ago is not asked again."""
    worked(world)
    checkpoint(ProjectHandle(world.hook(NOW), world.top), draft=DRAFT, source="tool")
    assert SILENCE == stop(world)


def test_a_session_that_was_set_aside_is_left_alone(world: Hooked) -> None:
    """`clew fresh` says so."""
    worked(world)
    (world.session() / "fresh").touch()
    assert SILENCE == stop(world)


# At a threshold


def filled(world: Hooked, tokens: int = 150_000) -> None:
    (world.session() / "pulse").write_text(f"{5000:>15} {tokens:>12} {'claude-sonnet-4-5':<60} {0:>12}\n")


def test_a_threshold_asks_and_the_next_checkpoint_tells_how(world: Hooked) -> None:
    """Before the context is dropped or gets worse. What to write costs its tokens only where it is to be written."""
    worked(world)
    filled(world)
    said = world.prompt().context
    assert "checkpoint" in said and "hand-off" in said
    assert REQUEST not in said
    taken = checkpoint(ProjectHandle(world.hook(NOW), world.top))
    assert REQUEST == taken.asks
    assert "" == checkpoint(ProjectHandle(world.hook(NOW), world.top)).asks, "once a threshold"


def test_nobody_is_asked_below_or_where_it_is_switched_off(world: Hooked) -> None:
    """A checkpoint is then a checkpoint, as before."""
    worked(world)
    assert "" == checkpoint(ProjectHandle(world.hook(NOW), world.top)).asks
    world.setting("draft.at_threshold", False)
    filled(world)
    assert "hand-off" not in world.prompt().context
    assert "" == checkpoint(ProjectHandle(world.hook(NOW), world.top)).asks
