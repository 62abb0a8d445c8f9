"""The ways in which a session begins: again, resumed, forked, cleared, in a folder below, in another work tree."""

from __future__ import annotations

import json
import time
from pathlib import Path

from tests.live.claude import Person
from tests.live.endpoint import Endpoint, reminders, say
from tests.live.projects import changes, git
from tests.live.stories import DECISION, PROMPT, besides_our_server, opted_in, works_on_refunds
from tests.live.terminal import at_terminal


def began(me: Person, project: Path, task: str) -> str:
    """A session that found out something and ended; its id."""
    with Endpoint([*works_on_refunds(project, project)[:-1], say("That is it.")]) as endpoint:
        return me.run(PROMPT, endpoint, project, CLEW_TASK=task).session


def changed_by_somebody(project: Path) -> None:
    path = project / "refunds.py"
    path.write_text(path.read_text(encoding="utf-8") + "# by somebody\n", encoding="utf-8")


def test_a_resumed_session_is_told_only_what_changed(me: Person, project: Path) -> None:
    """It has all the rest in its context; said again it would cost as much as the first time."""
    task = opted_in(me, project)
    session = began(me, project, task)
    with Endpoint([say("Yes.")]) as endpoint:
        me.run("Still there?", endpoint, project, "--resume", session, CLEW_TASK=task)
    quiet = [said for said in reminders(endpoint.main[-1], "SessionStart") if DECISION in said]
    changed_by_somebody(project)
    with Endpoint([say("I read it again.")]) as endpoint:
        ran = me.run("Go on.", endpoint, project, "--resume", session, CLEW_TASK=task)
    assert (0, session, "") == (ran.code, ran.session, ran.err)
    told = reminders(endpoint.main[-1], "SessionStart")[-1]
    assert [] == quiet
    assert "refunds.py" in told
    assert DECISION not in told


def test_a_forked_session_is_told_only_what_changed(me: Person, project: Path) -> None:
    """It has another id and the same context."""
    task = opted_in(me, project)
    session = began(me, project, task)
    time.sleep(3)  # a fork knows its parent's end to the second only
    changed_by_somebody(project)
    with Endpoint([say("I read it again.")]) as endpoint:
        ran = me.run("Go on.", endpoint, project, "--resume", session, "--fork-session", CLEW_TASK=task)
    assert ran.session not in ("", session)
    told = reminders(endpoint.main[-1], "SessionStart")[-1]
    assert "refunds.py" in told
    assert DECISION not in told


def test_a_cleared_session_starts_from_what_is_known(me: Person, project: Path) -> None:
    """`/clear` empties the context in the middle of the work: the next prompt needs all of it."""
    task = opted_in(me, project)
    script = [*works_on_refunds(project, project)[:-1], say("That is it."), say("I go on.")]
    with Endpoint(script) as endpoint, me.live(endpoint, project, CLEW_TASK=task) as session:
        for prompt in (PROMPT, "/clear", "Go on."):
            session.prompt(prompt)
        assert 0 == session.end().code
    (told,) = reminders(endpoint.main[-1], "SessionStart")
    assert DECISION in told
    assert PROMPT[:20] in told


def test_a_session_in_a_folder_below_is_one_of_the_project(me: Person, project: Path) -> None:
    """People start the client where they stand."""
    task = opted_in(me, project)
    began(me, project, task)
    git(project, "checkout", "-q", "--", ".")
    below = project / "docs"
    below.mkdir()
    with Endpoint([say("Done.")]) as endpoint:
        ran = me.run("Go on.", endpoint, below, CLEW_TASK=task)
    assert (0, "") == (ran.code, ran.err)
    assert DECISION in reminders(endpoint.main[0], "SessionStart")[0]
    assert [] == changes(project)


def test_a_session_in_another_work_tree_is_one_of_the_project(me: Person, project: Path, tmp_path: Path) -> None:
    """One ledger for all work trees; what was opted in is the repository."""
    task = opted_in(me, project)
    began(me, project, task)
    other = tmp_path / "other"
    git(project, "worktree", "add", "-q", str(other), "-b", "other")
    with Endpoint([say("Done.")]) as endpoint:
        ran = me.run("Go on.", endpoint, other, CLEW_TASK=task)
    assert (0, "") == (ran.code, ran.err)
    assert DECISION in reminders(endpoint.main[0], "SessionStart")[0]
    assert [] == changes(other)


def test_injection_can_be_switched_off(me: Person, project: Path) -> None:
    """By a variable, for one run."""
    task = opted_in(me, project)
    began(me, project, task)
    with Endpoint([say("Done.")]) as endpoint:
        me.run("Go on.", endpoint, project, CLEW_TASK=task, CLEW_INJECT_ON="off")
    assert "clew" not in besides_our_server(endpoint.main[0])


def test_the_status_line_shows_the_task(me: Person, project: Path) -> None:
    """On request, and where there is none."""
    opted_in(me, project)
    me.clew("init", "--statusline", cwd=project)
    answers = [say(f"Done {number}.", tokens=40_000) for number in range(2)]
    with Endpoint(answers) as endpoint, at_terminal(me, endpoint, project) as session:
        # The line is asked for again after an answer. At the first one the hook of the start may still be at work.
        for number in range(2):
            session.type("Hello.")
            session.until(lambda number=number: len(endpoint.main) > number)
            session.quiet()
        session.until(lambda: "Refunds of split orders" in " ".join(session.shown().split()), 60)
        session.leave()
    assert 0 == session.process.returncode


def test_a_start_that_nobody_heard_is_made_good_at_the_first_prompt(me: Person, project: Path) -> None:
    """A client may drop or kill the hook of a session's start; then the first prompt brings what it would have."""
    task = opted_in(me, project)
    began(me, project, task)
    path = me.home / ".claude" / "settings.json"
    settings = json.loads(path.read_text(encoding="utf-8"))
    del settings["hooks"]["SessionStart"]
    path.write_text(json.dumps(settings), encoding="utf-8")
    with Endpoint([say("Done."), say("Again.")]) as endpoint, me.live(endpoint, project, CLEW_TASK=task) as session:
        for prompt in ("Go on.", "And on."):
            session.prompt(prompt)
        assert 0 == session.end().code
    (told,) = reminders(endpoint.main[-1], "UserPromptSubmit")
    assert DECISION in told
