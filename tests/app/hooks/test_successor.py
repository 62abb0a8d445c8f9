"""A session begins where the last one left no hand-off: what reading its record costs is said, once it is worth it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from clew.app.look.sessions import digest
from clew.app.project.opening import ProjectHandle
from clew.app.resume.catchup import checkpoint
from clew.core.text.receipt import mark_of
from tests.app.draft.test_keep import DRAFT
from tests.app.hooks.hooked import EARLIER, LATELY, NOW, Hooked
from tests.recordings.sessions import Recorder

OFFER = "No hand-off was written."


@pytest.fixture
def world(tmp_path: Path) -> Hooked:
    made = Hooked(tmp_path)
    made.story().save(made.home)
    return made


def test_the_price_of_the_record_is_told_with_how_to_go_on(world: Hooked) -> None:
    """It is what the record really holds; the line stands before the data, which keeps its mark."""
    text = world.start().context
    tokens = digest(ProjectHandle(world.hook(NOW), world.top), session=EARLIER).tokens
    assert f"{OFFER} If you go on with this work: `clew record 5e551011`" in text and f"about {tokens:,} tokens" in text
    assert "`clew checkpoint --draft -`" in text and "the tool resume with record 5e551011" in text
    lead, _, rest = text.partition("<clew-data ")
    assert OFFER in lead
    mark, _, inside = rest.partition(">\n")
    assert mark == mark_of(inside.partition("</clew-data")[0])


def test_a_long_record_costs_no_more_than_its_budget(world: Hooked) -> None:
    made = world.story()
    for number in range(400):
        made.reply(f"Finding {number}: " + " ".join(f"src/moon_{number}_{part}.py" for part in range(12)))
    made.call("Bash", {"command": "sleep 100"}).save(world.home)
    price = re.search(r"about ([\d,]+) tokens; then", world.start().context)
    assert price is not None and 5_500 < int(price[1].replace(",", "")) <= 6_000


def test_where_a_hand_off_was_written_nothing_is_offered(world: Hooked) -> None:
    """The next session begins with it."""
    checkpoint(ProjectHandle(world.hook(EARLIER), world.top), draft=DRAFT)
    assert OFFER not in world.start().context


def test_a_few_words_are_no_work(tmp_path: Path) -> None:
    """The payload holds all there is; but a long talk is work, though nothing was edited."""
    world = Hooked(tmp_path)
    talk = (
        Recorder(world.top, session=EARLIER, start=LATELY)
        .user("What does src/a.py do?")
        .reply("It counts. Next: fix it.")
    )
    talk.call("Bash", {"command": "sleep 100"}).save(world.home)
    assert "src/a.py" in world.start().context and OFFER not in world.start(session="5e-2").context
    for number in range(8):
        talk.user(f"And what about part {number} of it?").reply(f"Part {number} counts as well.")
    talk.call("Bash", {"command": "sleep 100"}).save(world.home)
    assert OFFER in world.start(session="5e-3").context


def test_it_is_said_to_nobody_who_cannot_use_it(world: Hooked) -> None:
    """Headless runs, sub-agents, sessions that go on with their context, and who turned it off."""
    task = "Fix the tide in src/a.py"
    assert OFFER in world.start(session="5e-1", task=task).context
    headless = world.start(session="5e-2", task=task, attended=False).context
    assert "moon()" in headless and OFFER not in headless
    assert "" == world.start(session="5e-3", agent="a1").context
    for source in ("resume", "compact", "fork"):
        assert OFFER not in world.start(source, session=f"5e-{source}").context  # type: ignore[arg-type]
    world.setting("draft.by_successor", "off")
    assert OFFER not in world.start(session="5e-4").context
