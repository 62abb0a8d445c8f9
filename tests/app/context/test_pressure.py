"""Pressure of a session file: which one, what is kept of it, and which settings count."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clew.app.context.pressure import pressure
from clew.app.project.opening import ProjectHandle
from clew.app.resume.catchup import checkpoint
from clew.core.cost.prices import Prices, override
from clew.core.errors import NotFound
from tests.app.projects import World, open_task
from tests.app.worlds import secrets
from tests.recordings.sessions import ID, Recorder

OTHER = "5e551022-0000-4000-8000-000000000002"


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def grown(story: Recorder, tokens: int) -> Recorder:
    """The last answer was made from a context of so many tokens."""
    story.lines[-1] = story.lines[-1].replace(
        '"cache_read_input_tokens": 20000', f'"cache_read_input_tokens": {tokens}'
    )
    return story


def test_the_newest_session_here_is_looked_at(world: World) -> None:
    """Who asks from a shell means the session beside it."""
    old = Recorder(world.top, session=OTHER, model="claude-opus-4-7").user("First").reply("Something was done there.")
    old.save(world.home, modified=1_000_000)
    grown(Recorder(world.top, model="claude-haiku-4-5").user("Second").reply("Looked."), 120_000).save(world.home)
    found = pressure(ProjectHandle(world.ports, world.top))
    assert (ID, "claude-haiku-4-5", 120_405) == (found.session, found.model, found.context_tokens)
    assert (72, "compact") == (found.percent, found.advice)
    assert not found.estimated
    asking = world.ports._replace(asking_session=OTHER)
    assert OTHER == pressure(ProjectHandle(asking, world.top)).session
    assert OTHER == pressure(ProjectHandle(world.ports, world.top), session=Path(OTHER[:8])).session


def test_the_window_in_the_client_s_own_record_is_the_one_that_counts(world: World) -> None:
    """Of a model that no table knows: Codex tells with each response how large its window is."""
    tokens = {"input_tokens": 40_000, "cached_input_tokens": 0, "output_tokens": 9}
    info = {"last_token_usage": tokens, "total_token_usage": tokens, "model_context_window": 95_000}
    meta = {"id": "019df213-84b8", "cwd": str(world.top), "source": "cli"}
    lines = [("session_meta", meta), ("event_msg", {"type": "token_count", "info": info})]
    path = world.home / ".codex" / "sessions" / "2026" / "11" / "20" / "rollout-2026-11-20T10-00-00-019df213-84b8.jsonl"
    path.parent.mkdir(parents=True)
    told = ({"timestamp": "2026-11-20T10:00:00Z", "type": kind, "payload": payload} for kind, payload in lines)
    path.write_text("".join(json.dumps(one) + "\n" for one in told))
    found = pressure(ProjectHandle(world.ports, world.top), session=path)
    assert (95_000, 62_000, False) == (found.window_tokens, found.usable_tokens, found.estimated)
    assert (43_400, 64) == (found.compact_tokens, found.percent)


def test_an_asking_session_without_a_file_is_no_error(world: World) -> None:
    """The first prompt of a session comes before its file."""
    Recorder(world.top).user("Go").reply("Yes.").save(world.home)
    asking = world.ports._replace(asking_session="0000")
    assert ID == pressure(ProjectHandle(asking, world.top)).session


def test_without_a_session_it_says_where_it_looked(world: World) -> None:
    """And not that the pressure is zero."""
    with pytest.raises(NotFound) as raised:
        pressure(ProjectHandle(world.ports, world.top))
    assert "E-no-session" == raised.value.code


def test_the_client_s_own_settings_tell_the_window(world: World) -> None:
    """Who told the client to compact at 100,000 is warned before that, not at 167,000."""
    settings = world.home / ".claude" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text('{"autoCompactWindow": 100000}')
    grown(Recorder(world.top, model="claude-opus-4-7").user("Go").reply("Yes."), 60_000).save(world.home)
    found = pressure(ProjectHandle(world.ports, world.top))
    assert (67_000, 46_900) == (found.usable_tokens, found.compact_tokens)
    settings.unlink()
    assert 200_000 == pressure(ProjectHandle(world.ports, world.top)).compact_tokens


def test_growth_tells_how_many_turns_are_left(world: World) -> None:
    """A number of tokens says little to most people; turns do."""
    story = Recorder(world.top, model="claude-haiku-4-5")
    for size in (40_000, 50_000, 60_000):
        grown(story.user("More").reply("It is done as you said."), size)
    story.save(world.home)
    found = pressure(ProjectHandle(world.ports, world.top))
    assert (10_000, 10) == (found.growth_tokens, found.turns_left)


def test_a_checkpoint_that_is_newer_than_the_last_edit_saves_it(world: World) -> None:
    """Advice to take a checkpoint right after one was taken is noise."""
    with world.desk() as at:
        open_task(at, "Tides")
    world.clock.now_ms = 1_772_442_000_000  # when the story below begins
    story = Recorder(world.top, model="claude-haiku-4-5").user("Go").write("src/b.py", "b = 1\n")
    grown(story.reply("It is written."), 105_000).save(world.home)
    before = pressure(ProjectHandle(world.ports, world.top))
    assert ("checkpoint", -1) == (before.advice, before.checkpoint_age_s)
    world.clock.now_ms += 3_600_000 * 24
    checkpoint(ProjectHandle(world.ports, world.top), name="here")
    after = pressure(ProjectHandle(world.ports, world.top))
    assert ("go on", 0) == (after.advice, after.checkpoint_age_s)


def test_a_hunt_for_a_bug_is_not_ended(world: World) -> None:
    """The type of the task says so, and a person has chosen it."""
    with world.desk() as at:
        name = at.new_id("T")
        place = {"worktree": str(at.location.root), "branch": at.location.branch, "task": name}
        at.append(
            [
                at.event("task.opened", {"task": name, "title": "Leak", "type": "debug"}, task=""),
                at.event("place.bound", place, task=""),
            ]
        )
    grown(Recorder(world.top).user("Go").compaction("Looked at all").reply("Going on now."), 60_000).save(world.home)
    found = pressure(ProjectHandle(world.ports, world.top))
    assert ("go on", 1) == (found.advice, found.compactions)
    assert "hunt" in found.reason


def test_long_pauses_are_no_work(world: World) -> None:
    """A session that was left open over night did not work for fourteen hours."""
    story = Recorder(world.top).user("Go").reply("Yes, going.")
    story._clock += 14 * 3600
    story.user("Good morning").reply("Good morning to you.")
    story.save(world.home)
    assert pressure(ProjectHandle(world.ports, world.top)).hours < 0.1


def test_no_secret_and_no_escape_leaves_the_record(world: World) -> None:
    """Signals quote commands, and commands hold tokens."""
    secret = secrets()["github"]
    story = Recorder(world.top).user("Push it")
    for _ in range(4):
        story.run(f"curl -H 'token: {secret}' \x1b[31mhost", "refused", code=1)
    story.save(world.home)
    found = pressure(ProjectHandle(world.ports, world.top))
    assert [("failing", 4)] == [(one.signal, one.times) for one in found.signals]
    assert secret not in str(found)
    assert "\x1b" not in str(found)
    assert "start fresh" == found.advice


def test_it_works_without_a_ledger(tmp_path: Path) -> None:
    """`clew pressure` needs no `clew init`; a note says what is not known."""
    world = World(tmp_path, ledger=False)
    Recorder(world.top).user("Go").reply("Yes, going.").save(world.home)
    found = pressure(ProjectHandle(world.ports, world.top))
    assert -1 == found.checkpoint_age_s
    assert "clew init" in found.notes[0]


def test_a_session_is_called_by_its_id(world: World) -> None:
    """Not by the name of its file, which may begin with a word and a date."""
    story = Recorder(world.top).user("Go").reply("Yes, going.").save(world.home)
    file = story.rename(story.with_name("rollout-2026-01-01.jsonl"))
    assert ID == pressure(ProjectHandle(world.ports, world.top), session=file).session


def test_one_more_turn_has_a_price(world: World) -> None:
    """By the model's price, with the context as it is now; unknown where nobody knows the price."""
    prices = Prices([override({"claude-haiku-4-5": {"input": 1.0, "output": 5.0, "cache_read": 0.1}})])
    grown(Recorder(world.top, model="claude-haiku-4-5").user("Go").reply("It is done as you said."), 90_000).save(
        world.home
    )
    found = pressure(ProjectHandle(world.ports, world.top), prices=prices)
    used = found.next_turn
    assert 1 == used.responses and used.cache_read == found.context_tokens
    assert 0.009 < found.next_turn_usd < 0.02
    unknown = [pressure(ProjectHandle(world.ports, world.top), prices=one).next_turn_usd for one in (None, Prices([]))]
    assert [-1, -1] == unknown


def test_what_a_person_set_for_hours_and_price_holds(world: World) -> None:
    """For this client."""
    prices = Prices([override({"claude-haiku-4-5": {"input": 1.0, "output": 5.0}})])
    config = world.top / ".clew" / "config.toml"
    config.write_text(config.read_text() + "\n[pressure.claude-code]\nturn_cents = 1\n")
    grown(Recorder(world.top, model="claude-haiku-4-5").user("Go").reply("It is done as you said."), 60_000).save(
        world.home
    )
    found = pressure(ProjectHandle(world.ports, world.top), prices=prices)
    assert ("compact", "pressure.turn_cents") == (found.advice, found.by)


def test_tokens_for_each_validated_change(world: World) -> None:
    """What a session costs says little without what came of it."""
    story = Recorder(world.top).user("Go").write("src/b.py", "b = 1\n").run("pytest -q", "3 passed in 0.1s")
    story.write("src/c.py", "c = 1\n").run("pytest -q", "3 passed in 0.1s").reply("Both are written and tested.")
    story.save(world.home)
    found = pressure(ProjectHandle(world.ports, world.top))
    assert (2, 5 * 20_485) == (found.validated, found.tokens)
    assert 5 * 20_485 // 2 == found.tokens_per_change
