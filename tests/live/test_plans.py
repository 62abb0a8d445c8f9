"""The client's own plan dialog: what a person accepts there is kept, approved, and whole after compactions."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

from tests.live import people
from tests.live.claude import Person
from tests.live.endpoint import Endpoint, Turn, reminders, say
from tests.live.script import Call, Request, bash
from tests.live.stories import opted_in
from tests.live.terminal import at_terminal

PLAN = """\
# Refunds in cents

## Phase 1: Round

- [ ] Round in `refunds.py`
- validate: `python -c 'import refunds'`
- budget: 50k
"""


def writes(request: Request) -> Turn:
    """The agent writes its plan where the client told it to."""
    place = re.search(r"(/\S+/plans/[\w.-]+\.md)", "\n".join(one.text for one in request.seen))
    assert place, "the client names no file for the plan"
    return say("I write it.", Call("Write", {"file_path": place[1], "content": PLAN}))


def shown(me: Person, project: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(me.clew("plan", "show", "--json", cwd=project).stdout)
    return found


def test_a_plan_that_a_person_accepts_is_approved_and_outlives_compactions(me: Person, project: Path) -> None:
    opted_in(me, project)
    script = [writes, say("Look.", Call("ExitPlanMode", {})), say("Done."), say("Still done.")]
    with (
        Endpoint(script, summary="We planned something.") as endpoint,
        at_terminal(me, endpoint, project, "--permission-mode", "plan") as session,
    ):
        session.type("Plan the refunds.")
        session.until(lambda: "Would you like to proceed?" in session.shown())
        session.quiet()
        assert "E-no-plan" in me.clew("plan", "show", cwd=project, code=1).stderr, "nobody accepted it yet"
        session.type("")
        session.until(lambda: len(endpoint.main) >= 3)
        session.quiet()
        kept = shown(me, project)
        assert ("approved", PLAN) == (kept["mode"], kept["text"])
        for _ in range(2):
            session.type("/compact")
            session.quiet(3)
        session.type("Go on.")
        session.until(lambda: len(endpoint.main) >= 4)
        session.leave()
    assert f"\n{PLAN}</clew-data" in reminders(endpoint.main[-1], "SessionStart")[-1]


def test_what_nobody_looked_at_is_approved_by_nobody(me: Person, project: Path) -> None:
    """Without a person at it the client accepts for itself, or refuses: neither is an approval."""
    task = opted_in(me, project)
    with Endpoint([say("Look.", Call("ExitPlanMode", {"plan": PLAN})), say("Done.")]) as endpoint:
        me.run("Plan it.", endpoint, project, "--permission-mode", "plan", CLEW_TASK=task)
    done = me.clew("plan", "show", "--json", cwd=project, code=None)
    assert done.returncode == 1 or json.loads(done.stdout)["mode"] == "kept"


def test_a_compaction_gives_the_plan_back_in_every_client(anyone: people.Person, project: Path) -> None:
    """Byte for byte in the request behind it, whichever way the client has for that (Gemini CLI writes `<` as HTML)."""
    task = opted_in(anyone, project)
    (project / "PLAN.md").write_text(PLAN, encoding="utf-8")
    anyone.clew("plan", "import", "PLAN.md", cwd=project)
    how = anyone.compacting()
    script = [
        say("One.", bash("seq 2000")),
        say("Two.", bash("echo two")),
        say("Three.", bash("echo three"), tokens=how.tokens or 1000),
        say("Four."),
        say("Five."),
        say("Six."),
    ]
    with Endpoint(script, summary="We counted.") as endpoint:
        ran = anyone.run("Count for me.", endpoint, project, *how.options, CLEW_TASK=task)
        more = anyone.resuming(ran.session)
        anyone.run("Go on.", endpoint, project, *how.options, *more, CLEW_TASK=task)
        anyone.run("And on.", endpoint, project, *how.options, *more, CLEW_TASK=task)
    kinds = [request.kind for request in endpoint.requests]
    after = [one for one in endpoint.requests[kinds.index("summary") :] if one.kind == "main"]
    assert any(f"\n{PLAN}</clew-data" in text for one in after for text in map(unescape, one.injected)), [
        one.injected for one in after
    ]
