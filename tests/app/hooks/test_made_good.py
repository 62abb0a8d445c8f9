"""A start that nobody heard, or whose text did not get there, is made good at a prompt, once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clew.core.records.hook_events import SILENCE
from clew.core.state.events import timestamp
from tests.app.hooks.hooked import NOW, Hooked
from tests.app.projects import open_task, state_item
from tests.recordings.sessions import Recorder


@pytest.fixture
def world(tmp_path: Path) -> Hooked:
    world = Hooked(tmp_path)
    with world.desk() as at:
        state_item(at, "constraint", "Never change the public API", task=open_task(at, "Fix the tide"))
    world.story().save(world.home)
    return world


def goes_on(world: Hooked, *texts: str, session: str = NOW) -> None:
    """The session goes on for an hour; its record holds those `texts` that hooks put before the model."""
    world.clock.tick(3_600_000)
    made = Recorder(world.top, session=session, start=timestamp(world.clock())[:19])
    for earlier in world.home.glob(f".claude/projects/*/{session}.jsonl"):
        made.lines = earlier.read_text(encoding="utf-8").splitlines()
    for text in texts:
        attachment = {"type": "hook_additional_context", "content": [text], "hookEvent": "SessionStart"}
        made.raw(json.dumps({"type": "attachment", "attachment": attachment, "sessionId": session}))
    made.user("What is the moon?").reply("The moon pulls at the tide.").save(world.home)
    world.clock.tick(600_000)
    world.end("stop", session=session)


def told(world: Hooked) -> list[tuple[str, bool | None]]:
    """What the session was given, the first of it first."""
    return [(one.source, one.delivered) for one in reversed(world.receipts()) if one.session == NOW]


def is_due(world: Hooked) -> bool:
    return (world.session() / "due").exists()


def test_a_start_that_nobody_heard_is_made_good_at_the_first_prompt(world: Hooked) -> None:
    """The client dropped the hook, or killed it: the session would begin from nothing."""
    text = world.prompt().context
    assert text.startswith("clew: the task “Fix the tide”") and "Never change the public API" in text
    assert [("startup", None)] == told(world)
    assert SILENCE == world.prompt()


def test_a_session_that_has_begun_is_told_what_changed_and_no_more(world: Hooked) -> None:
    """The hooks were installed while it ran: it has all the rest in its context."""
    goes_on(world)
    with world.desk() as at:
        state_item(at, "decision", "Let the tide rise", task=at.task())
    text = world.prompt().context
    assert "Let the tide rise" in text and "Since this session last wrote" in text and "## Goal" not in text


@pytest.mark.parametrize("quiet", ["headless", "switch", "fresh", "sub-agent"])
def test_who_is_given_nothing_at_a_start_is_given_nothing_at_a_prompt(world: Hooked, quiet: str) -> None:
    """The same conditions hold."""
    if quiet == "switch":
        world.setting("inject.on", False)
    elif quiet == "fresh":
        world.session().mkdir(parents=True)
        (world.session() / "fresh").touch()
    assert SILENCE == world.prompt(attended=quiet != "headless", agent="a65b" if quiet == "sub-agent" else "")


@pytest.mark.parametrize("source", ["startup", "clear"])
def test_a_text_that_did_not_get_there_is_given_again_once(world: Hooked, source: str) -> None:
    """Clients drop texts without a word. Whoever drops it a second time would drop it a third time."""
    first = world.start(source).context  # type: ignore[arg-type]
    assert SILENCE == world.prompt()
    goes_on(world)
    assert is_due(world) and [(source, False)] == told(world)
    again = world.prompt().context
    assert first.split("\n")[0] == again.split("\n")[0] and "Never change the public API" in again
    goes_on(world)
    assert not is_due(world) and [(source, False), ("prompt", False)] == told(world)
    assert SILENCE == world.prompt()


def test_what_got_there_is_not_given_again(world: Hooked) -> None:
    """It would cost the same once more."""
    text = world.start().context
    goes_on(world, text)
    assert not is_due(world) and SILENCE == world.prompt()


def test_a_compacted_session_hears_later_what_it_lost(world: Hooked) -> None:
    """The summary is gone by then, so all that is dear counts as lost; no other compaction is counted."""
    world.start()
    (world.session() / "summary").write_text("Never change the public API.")
    assert "compaction 1 of" in world.start("compact").context
    goes_on(world)
    again = world.prompt().context
    assert "compaction 1 of" in again and "moon()" in again
    assert "compaction 2 of" in world.start("compact").context


def test_a_store_that_cannot_be_read_is_asked_once(world: Hooked) -> None:
    """Else each prompt would wait for it."""
    (world.top / ".git" / "clew" / "ledger.db").write_bytes(b"no ledger at all" * 300)
    assert SILENCE == world.prompt()
    assert (world.session() / "started").exists()
