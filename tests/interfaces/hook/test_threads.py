"""Three sessions of one work tree, through the installed hooks: nobody opens, names or closes anything."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.interfaces.hook.hooks import SILENCE
from tests.interfaces.hook.test_full import Place
from tests.recordings.sessions import Recorder

FIRST, SECOND, THIRD = (f"5e5510{n}2-0000-4000-8000-00000000000{n}" for n in (1, 2, 3))


class Shop(Place):
    """A project that was only opted in: no task, no session."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        for record in self.world.home.rglob("*.jsonl"):
            record.unlink()
        self.world.clock.tick()
        with self.world.desk() as at:
            place = {"worktree": str(self.world.top), "branch": "main", "task": ""}
            at.append([at.event("task.closed", {"task": at.task()}, task=""), at.event("place.bound", place, task="")])

    def ran(self, session: str, hours_ago: float) -> Recorder:
        start = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() - 3600 * hours_ago))
        return Recorder(self.world.top, session=session, start=start)

    def ended(self, made: Recorder) -> None:
        made.save(self.world.home)
        for name in ("Stop", "SessionEnd"):
            assert SILENCE == self.run(name, session_id=made.session)
            assert "" == self.broken()


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


def test_what_the_first_session_left_is_given_to_the_third(shop: Shop) -> None:
    """The second one only said hello, and the first was killed: neither takes anything away."""
    made = shop.ran(FIRST, 0.5).user("Raise the fee in src/a.py. Never touch the public API.")
    made.edit("src/a.py", "a = 1", "a = 2", original="a = 1\n")
    made.reply("I chose a table over a formula because rates come from the sheet.")
    made.user("Now write the tests of the fee").save(shop.world.home)
    greeting = shop.context(shop.run("SessionStart", session_id=SECOND))
    assert greeting.startswith("clew: the task “Now write the tests of the fee”")
    shop.ended(shop.ran(SECOND, 0.3).user("hello").reply("Hello! What can I do for you?"))
    text = shop.context(shop.run("SessionStart", session_id=THIRD))
    assert text.startswith("clew: the task “Now write the tests of the fee”")
    for words in ("Never touch the public API", "a table over a formula", "it began with: Raise the fee"):
        assert words in text
    assert "hello" not in text.lower()
    with shop.world.desk(write=False) as at:
        [thread] = [one for one in at.tasks() if one.thread]
        assert [FIRST] == [one.origin.session for one in at.ledger.extracts(task=thread.id)]
