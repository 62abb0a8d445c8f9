"""What doctor and pressure say after real sessions, and that the client's window is as docs/reference/pressure.md has
it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clew.core.context.pressure import ToldWindow, window
from tests.live.claude import VERSION, Person
from tests.live.endpoint import Endpoint, bash, edit, read, say
from tests.live.stories import NEW, OLD, PROMPT, opted_in


def checks(me: Person, project: Path, *, code: int = 0) -> dict[str, dict[str, Any]]:
    """The doctor's findings by check."""
    told = json.loads(me.clew("doctor", "--json", cwd=project, code=code).stdout)
    return {one["check"]: one for one in told["findings"]}


def test_after_two_sessions_the_doctor_has_heard_and_seen_everything(me: Person, project: Path) -> None:
    """Heartbeats and receipts of real sessions; and each installed hook runs once more, in a place of its own."""
    task = opted_in(me, project)
    assert "info" == checks(me, project)["heard"]["level"]
    path = project / "refunds.py"
    for _ in range(3):
        with Endpoint([say("I look.", read(path)), say("I try it.", edit(path, OLD, NEW)), say("Done.")]) as endpoint:
            me.run(PROMPT, endpoint, project, CLEW_TASK=task)
    found = checks(me, project)
    # How fast hooks are says something of the machine, and where the interpreter lies something of this checkout.
    counted = [one for check, one in found.items() if not check.startswith("hook.") and check != "interpreter"]
    assert [] == [one for one in counted if one["level"] not in ("fine", "info")]
    assert not [one for one in found.values() if one["level"] == "wrong"]
    assert VERSION in found["client"]["said"]
    assert "fine" == found["heard"]["level"] == found["beats"]["level"]
    assert "0 were not" in found["receipts"]["said"]
    assert " 0 were delivered" not in found["receipts"]["said"]
    assert {} == me.settled()


def test_pressure_is_what_the_model_was_sent(me: Person, project: Path) -> None:
    """The number that the endpoint reported as its usage is the one that advice goes by."""
    task = opted_in(me, project)
    with Endpoint([say("Looking.", bash("echo 1"), tokens=40_000), say("Done.", tokens=130_000)]) as endpoint:
        ran = me.run(PROMPT, endpoint, project, CLEW_TASK=task)
    told = json.loads(me.clew("pressure", "--json", cwd=project).stdout)
    assert (ran.session, 130_000) == (told["session"], told["context_tokens"])
    assert ("compact", "compact") == (told["crossed"], told["advice"])


@pytest.mark.parametrize(("tokens", "compacts"), [(-1_000, False), (1_000, True)])
def test_the_client_compacts_where_the_usable_window_ends(
    me: Person, project: Path, tokens: int, compacts: bool
) -> None:
    """Percentages are of the distance to that point, so it has to be where we say."""
    usable = window("claude-sonnet-4-5", told=ToldWindow(100_000)).usable
    before = [
        say(f"Look {number}.", bash(f"echo {number}")) for number in range(4)
    ]  # a short session is never compacted
    with Endpoint([*before, say("More.", bash("echo more"), tokens=usable + tokens), say("Done.")]) as endpoint:
        me.run("Look.", endpoint, project, "--autocompact", "100000")
    assert compacts == ("summary" in [request.kind for request in endpoint.requests])
