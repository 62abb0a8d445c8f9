"""A session that was killed handed nothing over: the one after it reads its record, and hands over in its place."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.live.claude import Person as ClaudePerson
from tests.live.clients import CLIENTS, DRIVERS
from tests.live.conftest import Program
from tests.live.endpoint import Endpoint, Request, Turn, asks, bash, results, said_to_model, say
from tests.live.people import Person, present
from tests.live.stories import DECISION, PROMPT, WHY_DECIDED, opted_in
from tests.live.terminal import AtTerminal, asked_at_terminal, at_terminal
from tests.live.test_drafts import LIE, killed

# Codex asks for a title beside the turn.
TITLE = {"Generate a concise, single-line task title": say("Fix refunds")}
OFFER = re.compile(
    r"No hand-off was written\. If you go on with this work: `clew record (\S+)`.*? about ([\d,]+) tokens"
)
NEXT = "Run the tests of refunds.py"
DRAFT = f"""## Goal
- {PROMPT}
## Decisions
- {DECISION} — {WHY_DECIDED}
## State
- {LIE}
## Next
- {NEXT}
"""


@contextmanager
def seated(me: Person, prompt: str, endpoint: Endpoint, project: Path) -> Iterator[AtTerminal]:
    """The client with a person at it, who typed a prompt."""
    if isinstance(me, ClaudePerson):
        with at_terminal(me, endpoint, project, "--allowedTools", "mcp__clew") as session:
            session.type(prompt)
            yield session
    else:
        with asked_at_terminal(me, prompt, endpoint, project) as session:
            yield session


@pytest.mark.parametrize("way", ["tool", "command"])
@pytest.mark.parametrize("name", CLIENTS)
def test_the_successor_hands_over_for_a_killed_session(
    name: str, way: str, program: Program, project: Path, tmp_path: Path
) -> None:
    """Its start names the price of the record; it reads that, sends a hand-off of which a lie is struck, and the
    session after it begins with the rest, and is offered nothing.
    """
    with present(DRIVERS["claude-code"](program("claude-code"), tmp_path / "home")) as first:
        opted_in(first, project)
        killed(first, project, tmp_path)
        with present(DRIVERS[name](program(name), first.home)) as me:
            me.clew("init", "--client", name, cwd=project)
            heard: list[str] = []

            def reads(request: Request) -> Turn:
                heard.append(said_to_model(request))
                offered = OFFER.search(heard[0])
                session = offered[1] if offered else "none"
                tool, command = asks("clew", "resume", record=session), bash(f"clew record {session}")
                return say("I read what went before.", tool if way == "tool" else command)

            def hands_over(request: Request) -> Turn:
                heard.append(results(request)[-1].text)
                command = bash(f"printf %s {shlex.quote(DRAFT)} | clew checkpoint --draft -")
                return say("I hand over.", asks("clew", "checkpoint", draft=DRAFT) if way == "tool" else command)

            def ends(request: Request) -> Turn:
                heard.append(results(request)[-1].text)
                return say("Done.")

            with (
                Endpoint([reads, hands_over, ends], asked=TITLE) as endpoint,
                seated(me, "Go on.", endpoint, project) as session,
            ):
                session.until(lambda: len(heard) == 3)
                session.quiet()
            me.end_all()
            start, record, kept = heard
            offered = OFFER.search(start)
            assert offered is not None, start[-3000:]
            told = " ".join(record.split())  # where a client gives its shell a terminal, lines are folded
            assert "# Record in short: claude-code session" in told and f"user: {PROMPT}" in told
            assert WHY_DECIDED in told and "edit refunds.py" in told
            assert "Kept the draft W-" in kept and LIE in kept and "3 of 4 entries stand" in kept, kept
            with (
                Endpoint([say("I go on.")], asked=TITLE) as endpoint,
                seated(me, "Go on.", endpoint, project) as session,
            ):
                session.until(lambda: endpoint.main)
                session.quiet()
            after = said_to_model(endpoint.main[0])
            assert DECISION in after and WHY_DECIDED in after and NEXT in after
            assert LIE not in after and OFFER.search(after) is None
            assert [] == me.broken()
