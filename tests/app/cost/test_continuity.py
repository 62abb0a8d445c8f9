"""What new sessions do again although an earlier one had it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clew.app.cost.continuity import Continuity, SessionRepeats, continuity
from tests.app.projects import World
from tests.recordings.sessions import Recorder

FIRST = "5e551011-0000-4000-8000-000000000001"
SECOND = "5e551022-0000-4000-8000-000000000002"
CODE = "a = 1\n"


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A project with a ledger, and a session that read a file, ran the tests and asked something."""
    world = World(tmp_path)
    first = recorded(world, FIRST, "2026-11-20T09:00:00").read("src/a.py", CODE).run("pytest -q", "3 passed")
    kept(world, first)
    return world


def recorded(world: World, session: str, start: str) -> Recorder:
    return Recorder(world.top, session=session, start=start).user("Make the tide ten")


def kept(world: World, story: Recorder, *, days_ago: int = 0) -> None:
    path = story.save(world.home)
    at = world.clock() / 1000 - days_ago * 86_400
    os.utime(path, (at, at))


def found(world: World, days: int = 30) -> Continuity:
    return continuity(world.by_person, days=days)


def only(told: Continuity) -> SessionRepeats:
    (one,) = told.sessions
    return one


def test_what_an_earlier_session_had_is_counted(world: World) -> None:
    """Given a second session that reads the same and runs the same, each repeat counts once, with what it answered."""
    again = recorded(world, SECOND, "2026-11-20T10:00:00").read("src/a.py", CODE).run("pytest  -q", "3 passed")
    kept(world, again.read("src/a.py", CODE).read("src/b.py", "b = 1\n").run("ls", "src"))
    told = found(world)
    one = only(told)
    assert (SECOND, False, 5, 1, 1, 0) == (one.session, one.given, one.calls, one.reread, one.rerun, one.reasked)
    assert 0 < one.tokens < 20
    assert told.with_payload is None and told.without_payload is not None
    assert (1, 0.4) == (told.without_payload.sessions, told.without_payload.share)


def test_what_was_edited_since_has_to_be_looked_at_again(world: World) -> None:
    """Given an edit of another file between the two, the command counts no more, but the file that was read does."""
    again = recorded(world, SECOND, "2026-11-20T10:00:00").edit("src/b.py", "1", "2", original="b = 1\n")
    kept(world, again.read("src/a.py", CODE).run("pytest -q", "3 passed"))
    assert (1, 0) == (only(found(world)).reread, only(found(world)).rerun)
    kept(world, again.edit("src/a.py", "1", "2", original=CODE).read("src/a.py", "a = 2\n"))
    assert 1 == only(found(world)).reread, "the first read stays one"


def test_only_the_first_calls_count(world: World) -> None:
    """What a session looks up in the middle of its work is no question of where it stood."""
    late = recorded(world, SECOND, "2026-11-20T10:00:00")
    for number in range(20):
        late.run(f"echo {number}", str(number))
    kept(world, late.read("src/a.py", CODE))
    assert (20, 0) == (only(found(world)).calls, only(found(world)).reread)


def test_a_question_is_asked_again_whatever_was_edited(world: World) -> None:
    question = {"questions": [{"question": "Which port?", "header": "Port", "options": [], "multiSelect": False}]}
    for session, hour in ((FIRST, "09"), (SECOND, "10")):
        story = recorded(world, session, f"2026-11-20T{hour}:00:00").edit("src/b.py", "1", "2", original="b = 1\n")
        kept(
            world, story.call("AskUserQuestion", question).result("8080", structured={"answers": {"Which port?": "8"}})
        )
    assert 1 == only(found(world)).reasked


def test_sessions_with_a_payload_stand_apart_and_older_ones_are_left_out(world: World) -> None:
    kept(world, recorded(world, SECOND, "2026-11-20T10:00:00").read("src/a.py", CODE))
    with world.desk() as at:
        data = {"client": "claude-code", "session": SECOND, "mark": "m", "tokens": 900, "source": "startup"}
        at.append([at.event("payload.given", data, task="", visibility="private")])
    told = found(world)
    assert only(told).given and told.with_payload is not None and told.without_payload is None
    kept(world, recorded(world, FIRST, "2026-11-20T09:00:00").read("src/a.py", CODE), days_ago=9)
    assert () == found(world, days=7).sessions
