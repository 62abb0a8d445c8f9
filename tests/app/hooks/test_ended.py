"""A turn or a session ends, or a compaction begins: what was said is imported, and nothing depends on it."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from clew.app.project.gates import refresh
from clew.app.record.checkpoint import last_checkpoint
from clew.core.context.status_line import shown
from tests.app.hooks.hooked import EARLIER, NOW, Hooked, own_process
from tests.app.projects import open_task, state_item


@pytest.fixture
def world(tmp_path: Path) -> Hooked:
    return Hooked(tmp_path)


def test_a_manual_compaction_is_taken_in_after_it(world: Hooked) -> None:
    """No hook runs before it, since the client would put its command before the model: what was said is taken in at
    the start after it, and the checkpoint is taken when the record shows the compaction.
    """
    world.start()
    made = world.story(session=NOW)
    made.save(world.home)
    assert "moon()" in world.start("compact").context
    with world.desk(write=False) as at:
        assert NOW in at.ledger.taken() and last_checkpoint(at.ledger, None) is None
    boundary = {"type": "system", "subtype": "compact_boundary", "sessionId": NOW, "timestamp": "2026-11-22T00:20:00Z"}
    made.raw(json.dumps({**boundary, "uuid": "5e-c", "compactMetadata": {"trigger": "manual", "preTokens": 9000}}))
    made.user("Go on").reply("I go on.").save(world.home)
    world.end("stop")
    with world.desk(write=False) as at:
        mark = last_checkpoint(at.ledger, None)
    assert mark is not None and "compacted" == mark.reason


@pytest.mark.parametrize("name", ["stop", "session_end", "before_compaction"])
def test_what_was_said_is_in_the_ledger_afterwards(world: Hooked, name: str) -> None:
    """Whoever asks next finds it without reading the record."""
    world.start()
    world.story(session=NOW).save(world.home)
    world.end(name)
    with world.desk(write=False) as at:
        assert NOW in at.ledger.taken()


def test_a_commit_gives_a_checkpoint(world: Hooked) -> None:
    """A point to look back at, at the moment that was worth it."""
    world.start()
    world.finished(session=NOW).save(world.home)
    world.end("stop")
    with world.desk(write=False) as at:
        mark = last_checkpoint(at.ledger, None)
    assert mark is not None and "committed" == mark.reason


def test_a_turn_that_a_stop_hook_keeps_going_is_left_alone(world: Hooked) -> None:
    """Its end comes again; and whoever answers here could keep it going for ever."""
    world.story(session=NOW).save(world.home)
    world.end("stop", stop_hook_active=True)
    with world.desk(write=False) as at:
        assert NOW not in at.ledger.taken()


def test_sub_agents_end_nothing(world: Hooked) -> None:
    """They carry their parent's id."""
    world.start(pid=own_process())
    world.end("session_end", agent="a65b")
    assert (world.session() / "client").exists()
    world.end("session_end")
    assert not (world.session() / "client").exists()


def test_the_status_line_is_prepared(world: Hooked) -> None:
    """The hook that prints it reads one small file."""
    with world.desk() as at:
        open_task(at, "Fix the tide")
    world.start()
    world.finished(session=NOW).save(world.home)
    world.end("stop")
    parts = (world.session() / "line").read_text()
    line = shown(parts, now_s=world.clock() // 1000, context_percent=None, broken=False)
    assert "Fix the tide" in line and "saved 0 min ago" in line


# Binding by the first edit


def two_tasks(world: Hooked) -> tuple[str, str]:
    """Two open tasks, bound nowhere, each with a file; one file is both's."""
    found = []
    for title, name in (("Fix the tide", "src/a.py"), ("Fix the moon", "src/b.py")):
        with world.desk() as at:
            task = open_task(at, title)
            world.clock.tick()
            place = {"worktree": str(world.top), "branch": "main", "task": ""}
            at.append([at.event("place.bound", place, task="")])
            state_item(at, "finding", f"{title} begins in {name}", task=task, files=[name, "README.md"])
            found.append(task)
        world.clock.tick()
    return found[0], found[1]


def bound_now(world: Hooked) -> str:
    with world.desk(write=False) as at:
        return at.task()


def test_the_first_edit_of_a_tasks_file_binds_the_place(world: Hooked) -> None:
    """Whoever edits the file of an open task works on it; the session counts for it, and the next one goes on."""
    tide, _ = two_tasks(world)
    world.start(session=EARLIER)
    world.story().save(world.home)
    world.end("stop", session=EARLIER)
    assert tide == bound_now(world)
    with world.desk(write=False) as at:
        assert tide == at.ledger.taken()[EARLIER].task
    assert world.start().context.startswith("clew: the task “Fix the tide”")


def test_a_file_of_two_tasks_or_of_none_binds_nothing(world: Hooked) -> None:
    """No topic is guessed."""
    two_tasks(world)
    made = world.story()
    made.lines = [row.replace("src/a.py", "README.md") for row in made.lines]
    made.save(world.home)
    world.end("stop", session=EARLIER)
    assert "" == bound_now(world)


def test_reading_a_tasks_file_binds_nothing(world: Hooked) -> None:
    """To look at something is not to work on it."""
    two_tasks(world)
    from tests.recordings.sessions import Recorder

    made = Recorder(world.top, session=EARLIER, start="2026-11-21T23:00:00").user("What is in src/a.py?")
    made.read("src/a.py", "a = 1\n").reply("It sets `a` to 1.").save(world.home)
    world.end("stop", session=EARLIER)
    assert "" == bound_now(world)


def test_a_budget_that_is_used_up_is_told_once(world: Hooked, tmp_path: Path) -> None:
    """At the end of the turn in which it was, by the person's own command; again when it was raised and is used up."""
    log = tmp_path / "told"
    log.touch()
    world.setting("budget.session_tokens", 1000)
    with (world.home / ".config" / "clew" / "config.toml").open("a", encoding="utf-8") as file:
        file.write(f"[notify]\ncommand = 'echo \"$CLEW_NOTICE_KIND: $CLEW_NOTICE\" >> {log}'\n")
    world.start()
    world.story(session=NOW).save(world.home)
    with world.desk() as at:
        refresh(world.hook(NOW), at)
    tokens = world.session() / "tokens.json"
    for used, told in ((900, 0), (1100, 1), (1200, 1), (900, 1), (1300, 2)):
        tokens.write_text(json.dumps({"v": 3, "session": [used, 0, 0, 0]}), encoding="utf-8")
        world.end("stop")
        limit = time.monotonic() + 20
        while log.read_text("utf-8").count("\n") < told:
            assert time.monotonic() < limit
            time.sleep(0.01)
    assert 2 == log.read_text("utf-8").count("budget: A budget is used up: session 5e551022\n")
