"""A phase in the hands of the real client: its check fails, the claim is held once, one retry, stopped, explained."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

from tests.live.claude import Person
from tests.live.endpoint import Endpoint, Request, Turn, bash, edit, read, results, said_to_model, say
from tests.live.script import Call, Scripted
from tests.live.stories import OLD, PROMPT, opted_in
from tests.people import typed

SHARES = "import refunds; found = refunds.share(100, 3); assert sum(found) == 100, found"
CHECK = f"{shlex.quote(sys.executable)} -c '{SHARES}'"
PLAN = f"""\
# Refunds

## Phase 1: Make the parts add up

- [ ] Fix `share` in `refunds.py`
- validate: `{CHECK}`
- budget: 50k
"""
FIRST, SECOND = "[round(total / parts)] * parts + [0]", "[total // parts + 1] * parts"


def test_a_claim_is_held_mended_once_and_stopped(me: Person, project: Path, tmp_path: Path) -> None:
    """Given an approved plan: the agent claims to be done while the check fails, and is asked once; its second try
    fails as well, and the phase is stopped. The next session is told why.
    """
    title = opted_in(me, project)
    (tmp_path / "plan.md").write_text(PLAN, encoding="utf-8")
    me.clew("plan", "import", str(tmp_path / "plan.md"), cwd=project)
    clew = str(Path(sys.executable).with_name("clew"))
    home = {name: value for name, value in me.variables(None).items() if name in ("HOME", "PATH")}
    done = typed([clew, "plan", "approve"], cwd=project, folder=tmp_path / "terminal", environment=home)
    assert 0 == done.code, done.out
    heard: list[str] = []

    def told(*calls: Call, text: str = "Next.") -> Scripted:
        def turn(request: Request) -> Turn:
            found = results(request)
            heard.append(found[-1].text if found else "")
            return say(text, *calls)

        return turn

    def held(request: Request) -> Turn:
        heard.append(said_to_model(request))
        return say("I try again.", edit(path, FIRST, SECOND))

    path = project / "refunds.py"
    again = 'clew phase done 1 --outcome "The parts add up" --cause "rounding lost a cent"'
    script = [
        say("I look at it.", read(path)),
        say("I begin.", bash("clew phase start 1")),
        told(edit(path, OLD, FIRST)),
        say("I claim it.", bash('clew phase done 1 --outcome "The parts add up"')),
        told(text="It is all done: the parts add up."),
        held,
        say("Once more.", bash(again)),
        told(text="It is not done; the phase is stopped."),
    ]
    with Endpoint(script) as endpoint:
        ran = me.run(PROMPT, endpoint, project, CLEW_TASK=title)
    assert (0, 0) == (ran.code, endpoint.left), ran.err
    begun, failed, asked, stopped = heard
    assert "Phase 1 is under way" in begun
    assert "[33, 33, 33, 0]" in failed and "One retry" in failed and "TEST_FAILURE" in failed
    assert "phase 1 (Make the parts add up) is not done: its checks fail on the files as they are" in asked
    assert "[34, 34, 34]" in stopped and "STOPPED" in stopped
    shown = json.loads(me.clew("plan", "show", "--json", cwd=project).stdout)
    assert ("stopped", "rounding lost a cent") == (shown["phases"][0]["status"], shown["phases"][0]["cause"])
    payload = me.clew("resume", cwd=project).stdout
    assert "rounding lost a cent" in payload and "until a person decides" in payload
    assert [] == me.broken()
