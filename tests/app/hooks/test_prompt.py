"""While a session goes on: the one line, its budget, and the person's warning."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from clew.app.hooks import quota as talk
from clew.core.records.hook_events import SILENCE
from clew.core.records.seen import file_line
from tests.app.hooks.hooked import Hooked
from tests.app.projects import open_task, state_item


@pytest.fixture
def world(tmp_path: Path) -> Hooked:
    world = Hooked(tmp_path)
    world.start()
    return world


def saw(world: Hooked, *paths: str) -> None:
    """The session has read or written these files, as the hook after the tool notes it."""
    with (world.session() / "seen").open("ab") as file:
        for path in paths:
            facts = (world.top / path).stat()
            file.write(file_line(facts.st_mtime_ns, facts.st_size, str(world.top / path), wrote=False))


def context_of(world: Hooked, tokens: int, model: str = "claude-sonnet-4-5", window: int = 0) -> None:
    """The hook after a tool has looked at the transcript."""
    (world.session() / "pulse").write_text(f"{5000:>15} {tokens:>12} {model:<60} {window:>12}\n")


def test_a_change_from_outside_is_told_once(world: Hooked) -> None:
    """What a session knows of a file that somebody else wrote is wrong, and it would write it back."""
    saw(world, "src/a.py", "README.md")
    assert SILENCE == world.prompt()
    world.repo.write("src/a.py", "a = 3\n\n")
    said = world.prompt()
    assert "clew: Changed from outside since this session saw it: src/a.py. Read again" in said.context
    assert not said.message
    assert [SILENCE] * 12 == [world.prompt() for _ in range(12)]
    world.repo.write("src/a.py", "a = 4\n\n\n")
    assert "src/a.py" in world.prompt().context


def test_a_window_that_the_client_tells_is_the_one_that_counts(world: Hooked) -> None:
    """Of a model that nobody knows it is all there is to go by."""
    context_of(world, 60_000, "-")
    assert SILENCE == world.prompt()
    context_of(world, 60_000, "-", window=95_000)
    assert "the context is 60k tokens" in world.prompt().context
    assert (95_000, {"checkpoint": 37_200, "compact": 43_400}) == (
        talk.told(str(world.session())).window,
        talk.told(str(world.session())).pressure,
    )


def test_after_a_compaction_that_no_hook_tells_what_it_lost_is_said(world: Hooked) -> None:
    """At the prompt that noticed it, and behind a tool; each counts."""
    with world.desk() as at:
        state_item(at, "constraint", "Never change the public API", task=open_task(at, "Fix the tide"))
    for count, name in ((1, "prompt"), (2, "after_tool")):
        text = world.prompt(name, source="compact").context
        assert f"clew: compaction {count} of this session" in text and "Never change the public API" in text
    assert ["compact", "compact"] == [one.source for one in world.receipts()]
    assert SILENCE == world.prompt()


def test_a_threshold_is_told_once_until_the_context_was_made_small(world: Hooked) -> None:
    """Each threshold has its line."""
    context_of(world, 40_000)
    assert SILENCE == world.prompt()
    context_of(world, 104_000)
    line = world.prompt("after_tool").context
    assert line.startswith("clew: the context is 104k tokens") and "\n" not in line
    assert [SILENCE] * 11 == [world.prompt() for _ in range(11)]
    context_of(world, 140_000)
    assert "compact at the next step boundary" in world.prompt().context
    assert ("checkpoint", "compact") == talk.told(str(world.session())).thresholds


def test_a_session_hears_no_more_than_its_budget(world: Hooked) -> None:
    """150 tokens, however much happens."""
    saw(world, "src/a.py")
    heard = []
    for number in range(120):
        world.repo.write("src/a.py", f"a = {10**number}\n")
        heard.append(world.prompt().context)
    lines = [text for text in heard if text]
    assert 2 <= len(lines) <= 12
    assert sum(map(talk.cost, lines)) <= talk.TOKENS_MAX == 150
    places = [at for at, text in enumerate(heard) if text]
    assert all(later - earlier >= 10 for earlier, later in pairwise(places))


def test_a_hook_that_failed_is_told_to_the_person_once(world: Hooked) -> None:
    """The agent can do nothing about it."""
    (Path(world.live) / "broken").write_text("claude-code Stop ValueError intake.py:120\n")
    said = world.prompt()
    assert "ValueError intake.py:120" in said.message and "clew doctor" in said.message and not said.context
    assert SILENCE == world.prompt()


@pytest.mark.parametrize("quiet", ["headless", "switch", "fresh"])
def test_who_is_given_nothing_hears_nothing(world: Hooked, quiet: str) -> None:
    """Not one byte in a headless run; and the fast hooks are not asked again."""
    saw(world, "src/a.py")
    world.repo.write("src/a.py", "a = 3\n\n")
    if quiet == "switch":
        world.setting("inject.on", False)
    elif quiet == "fresh":
        (world.session() / "fresh").touch()
    assert SILENCE == world.prompt(attended=quiet != "headless")
    assert talk.told(str(world.session())).changed
