"""Receipts: what a session was given, and whether its record shows that it got there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.app.hooks.hooked import NOW, OTHER, Hooked
from tests.app.projects import open_task
from tests.recordings.sessions import Recorder


@pytest.fixture
def world(tmp_path: Path) -> Hooked:
    world = Hooked(tmp_path)
    with world.desk() as at:
        open_task(at, "Fix the tide")
    world.story().save(world.home)
    return world


def record(world: Hooked, text: str, *, kind: str = "hook_additional_context") -> Recorder:
    """The record of a session that went on after its start: with what the client writes of a hook's text."""
    attachment = {"type": kind, "content": [text], "hookName": "SessionStart", "hookEvent": "SessionStart"}
    made = Recorder(world.top, session=NOW, start="2026-11-22T00:10:00")
    made.raw(json.dumps({"type": "attachment", "attachment": attachment, "sessionId": NOW}))
    return made.user("Go on").reply("I picked up the tide.")


def test_what_the_client_passed_on_is_delivered(world: Hooked) -> None:
    """A text that is dropped without a word is the worst of failures: everything looks well."""
    text = world.start().context
    [receipt] = world.receipts()
    assert receipt.delivered is None
    world.clock.tick(3_600_000)
    record(world, text).save(world.home)
    world.end("stop")
    [receipt] = world.receipts()
    assert receipt.delivered is True


def test_what_is_not_in_the_record_was_not_delivered(world: Hooked) -> None:
    """The session went on without it. What the hook printed is no proof: the client may have dropped it."""
    text = world.start().context
    world.clock.tick(3_600_000)
    record(world, text, kind="hook_success").save(world.home)
    world.end("stop")
    [receipt] = world.receipts()
    assert receipt.delivered is False


def test_a_record_that_did_not_go_on_tells_nothing_yet(world: Hooked) -> None:
    """It is written some time after the hook was asked."""
    world.start()
    world.start(session=OTHER)
    world.end("stop")
    assert [None, None] == [one.delivered for one in world.receipts()]


def test_each_text_has_its_own_receipt(world: Hooked) -> None:
    """The newest comes first, and one verdict is kept for each."""
    text = world.start().context
    world.clock.tick(3_600_000)
    record(world, text).save(world.home)
    world.end("stop")
    world.end("stop")
    world.clock.tick(3_600_000)
    world.start("compact")
    world.start(session=OTHER)
    found = [(one.session, one.source, one.delivered) for one in world.receipts()]
    assert [(OTHER, "startup", None), (NOW, "compact", None), (NOW, "startup", True)] == found
