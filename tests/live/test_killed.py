"""A session is killed inside a tool call; the next one goes on from what it knew."""

from __future__ import annotations

import os
from pathlib import Path

from tests.live.claude import Person, wait_for
from tests.live.endpoint import Endpoint, reminders, say
from tests.live.projects import changes
from tests.live.stories import PROMPT, changed_by_somebody, holds_what_was_known, opted_in, works_on_refunds
from tests.live.terminal import at_terminal


def test_a_headless_session_killed_in_a_tool_call_is_gone_on_with(me: Person, project: Path, tmp_path: Path) -> None:
    """The main promise of clew: nothing of it may need the session that died."""
    task = opted_in(me, project)
    inside = tmp_path / "inside"
    script = works_on_refunds(project, inside)
    with Endpoint(script) as endpoint, me.start(PROMPT, endpoint, project, CLEW_TASK=task) as session:
        wait_for(inside)
        session.kill()
    me.end_all()
    changed_by_somebody(project / "refunds.py")
    with Endpoint([say("I picked it up.")]) as endpoint:
        ran = me.run("Go on.", endpoint, project, CLEW_TASK=task)
    assert (0, "") == (ran.code, ran.err)
    (said,) = reminders(endpoint.main[0], "SessionStart")
    holds_what_was_known(said)
    assert len(said) < 10_000
    assert [" M refunds.py"] == changes(project)
    assert {} == me.settled()


def test_a_persons_session_killed_in_a_tool_call_is_gone_on_with(me: Person, project: Path, tmp_path: Path) -> None:
    """The same with a person at the screen: no variable names the task, the work tree is bound to it."""
    opted_in(me, project)
    inside = tmp_path / "inside"
    with Endpoint(works_on_refunds(project, inside)) as endpoint, at_terminal(me, endpoint, project) as session:
        session.type(PROMPT)
        session.until(inside.exists)
        os.kill(session.process.pid, 9)
        session.process.wait()
    me.end_all()
    changed_by_somebody(project / "refunds.py")
    with Endpoint([say("I picked it up.")]) as endpoint, at_terminal(me, endpoint, project) as session:
        session.type("Go on.")
        session.until(lambda: endpoint.main)
        session.quiet()
        session.leave()
    (said,) = reminders(endpoint.main[0], "SessionStart")
    holds_what_was_known(said)
    assert "“Refunds of split orders" in said.splitlines()[0]
    assert {} == me.settled()
