"""A hand-off by the tool `checkpoint`: what the model is told of it, in few words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clew.core.text.tokens import estimate
from clew.documents.draft import REQUEST
from clew.interfaces.mcp.handlers import Caller, ToolReply, call
from tests.app.draft.test_keep import DRAFT
from tests.app.hooks.hooked import EARLIER, Hooked


@pytest.fixture
def world(tmp_path: Path) -> Hooked:
    world = Hooked(tmp_path)
    world.story().save(world.home)
    return world


def ask(world: Hooked, **given: Any) -> ToolReply:
    """The session calls; the ports are a person's, as those of a server in a terminal are."""
    world.clock.tick()
    return call(world.ports, Caller("claude-code", EARLIER, world.top), "checkpoint", given)


def test_the_model_hears_what_was_struck_and_can_mend_it(world: Hooked) -> None:
    """The one moment at which somebody is there who can."""
    said = ask(world, draft=DRAFT, name="evening")
    assert not said.failed
    first, kept, again, struck = said.text.split("\n")
    assert first.startswith("Created checkpoint K-") and "(evening)" in first
    assert "3 of 4 entries stand" in kept
    assert "Send the whole draft again" in again
    assert struck.startswith("Struck: line ") and "Everything was pushed to origin" in struck
    mended = ask(world, draft=DRAFT.replace("- Everything was pushed to origin", "- Nothing was committed"))
    assert "Struck" not in mended.text and "Send" not in mended.text


def test_it_is_an_agents_word_from_whichever_terminal(world: Hooked) -> None:
    """A server that a person started speaks for a model."""
    ask(world, draft=DRAFT)
    with world.desk(write=False) as at:
        found = [one.event for one in at.ledger.events(kinds=("draft.written", "item.stated"))]
    assert {"agent", "verified"} >= {event.provenance for event in found}
    assert "tool" == found[0].data["source"]


def test_a_hand_off_full_of_lies_is_answered_within_the_budget(world: Hooked) -> None:
    """However much was struck."""
    lies = "".join(
        f"- Commit {number:07x}abc mended `gone_{number}()` in src/gone_{number}.py\n" for number in range(30)
    )
    said = ask(world, draft=f"## State\n{lies}")
    assert not said.failed
    assert estimate(said.text) <= 1000
    assert "more; `clew draft` prints all" in said.text


def test_what_is_refused_says_what_to_do(world: Hooked) -> None:
    """Nothing is lost: the model still has the text."""
    said = ask(world, draft="- The tide in src/a.py was fixed so that moon() keeps its place\n" * 120)
    assert said.failed
    assert "[E-draft-long]" in said.text and "send it again" in said.text


def test_behind_a_threshold_a_checkpoint_alone_is_answered_with_the_request(world: Hooked) -> None:
    """The line of the hook has no room for it, and a tool's description is paid for in every session."""
    world.start(session=EARLIER)
    assert REQUEST not in ask(world).text
    (world.session(EARLIER) / "draft-wanted").touch()
    assert ask(world).text.endswith(REQUEST)
    assert REQUEST not in ask(world).text
