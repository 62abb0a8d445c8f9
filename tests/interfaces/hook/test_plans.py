"""A plan by the installed hooks: from the dialog's result and an agent's last words to the ledger, and back."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clew.core.plan.plan import Plan
from tests.interfaces.hook.conftest import called
from tests.interfaces.hook.hooks import SESSION, SILENCE
from tests.interfaces.hook.test_full import Place
from tests.recordings.sessions import Recorder

CALL = "toolu_dialog"

PLAN = (
    "# Fix the tide\n\n## Phase 1: Look\n\n- [ ] Who calls `moon()`\n- validate: `python -m pytest -q`\n- budget: 50k\n"
)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def _record(place: Place) -> Recorder:
    return Recorder(place.world.top, session=SESSION).user("Plan it.")


def plan(place: Place) -> Plan:
    with place.world.desk(write=False) as at:
        return at.plan()


def accepted(
    place: Place,
    *,
    given: dict[str, Any] | None = None,
    variables: dict[str, str] | None = None,
    record: Recorder | None = None,
    name: str = "x.jsonl",
    **more: Any,
) -> Any:
    """The hook behind the dialog, as the client was seen to call it, and the session's record as it is then."""
    told = {"plan": PLAN, "isAgent": False, "filePath": "/home/dev/.claude/plans/tide.md"}
    record = record or _record(place).call("ExitPlanMode", {}, id=CALL)
    event: dict[str, Any] = {"session_id": SESSION, "transcript_path": str(record.write_to(place.world.home / name))}
    event |= {"tool_use_id": CALL}
    event |= {"tool_response": told if given is None else given, **more}
    return place.run("PostToolUse.ExitPlanMode", variables=variables, **event)


def test_a_person_accepts_and_a_compaction_gives_it_back(place: Place) -> None:
    place.run("SessionStart", session_id=SESSION)
    assert "clew keeps this plan" in place.context(accepted(place))
    found = plan(place)
    assert ("approved", PLAN, "the plan dialog of claude-code") == (found.mode, found.text, found.source)
    given = place.context(place.run("SessionStart.compact", session_id=SESSION))
    assert f"\n{PLAN}</clew-data" in given
    assert "" == place.broken()


@pytest.mark.parametrize(
    ("variables", "more"),
    [
        ({"CLAUDE_CODE_SESSION_ATTENDED": "0"}, {}),
        ({}, {"permission_mode": "bypassPermissions"}),
        ({}, {"tool_name": "ExitPlanMode", "agent_id": "a1"}),
    ],
)
def test_where_nobody_looked_nobody_approved(place: Place, variables: dict[str, str], more: dict[str, Any]) -> None:
    place.run("SessionStart", session_id=SESSION)
    accepted(place, variables=variables, **more)
    assert plan(place).mode in ("kept", "none")


@pytest.mark.parametrize(
    "told",
    [
        lambda record: record,
        lambda record: record.refuse("ExitPlanMode", {"plan": PLAN}),
        lambda record: record.call("ExitPlanMode", {}, id=CALL).result("No.", error=True, id=CALL),
        lambda record: record.call("ExitPlanMode", {"plan": "# Another plan"}, id=CALL),
        lambda record: record.call("ExitPlanMode", {}, id=CALL).call("Bash", {"command": "sleep 9"}),
        lambda record: record.call("ExitPlanMode", {"plan": PLAN}, id=CALL).result("Yes.", id=CALL).run("true"),
        lambda record: record.call("ExitPlanMode", {"plan": PLAN}, id=CALL).result("Yes.", id=CALL).user("Go on."),
        lambda record: record.call("ExitPlanMode", {}, id=CALL).result("Yes.", id=CALL),
    ],
    ids=[
        "no dialog",
        "older",
        "refused",
        "another plan",
        "beside a command",
        "told again",
        "long ago",
        "no plan in it",
    ],
)
def test_a_dialog_that_the_record_does_not_have_is_nobodys(place: Place, told: Callable[[Recorder], Recorder]) -> None:
    """The event alone could be anybody's: then the plan is a proposal."""
    place.run("SessionStart", session_id=SESSION)
    accepted(place, record=told(_record(place)))
    assert ("kept", PLAN) == (plan(place).mode, plan(place).text)


def test_an_event_brings_no_record_of_its_own(place: Place) -> None:
    """An agent's shell that becomes the hook (`exec`) stands below the client, and writes what record it likes."""
    place.run("SessionStart", session_id=SESSION)
    accepted(place, name="written.jsonl")
    assert "kept" == plan(place).mode


@pytest.mark.skipif(not Path("/proc/self/comm").exists(), reason="the tests name themselves as a client on Linux")
def test_what_did_not_come_from_the_client_approves_nothing(place: Place) -> None:
    """An agent's program that sends the event, and a session of which no client told before."""
    accepted(place)
    assert "kept" == plan(place).mode
    place.run("SessionStart", session_id=SESSION)
    with called("python"):
        accepted(place)
    assert "kept" == plan(place).mode
    accepted(place)
    assert "approved" == plan(place).mode


def test_what_codex_proposes_is_kept(place: Place) -> None:
    """At the end of the turn, behind the client's back."""
    place.run("SessionStart", session_id=SESSION)
    said = f"Here it is.\n<proposed_plan>\n{PLAN}</proposed_plan>"
    assert SILENCE == place.run("Stop", session_id=SESSION, last_assistant_message=said)
    for _ in range(200):
        if plan(place).mode != "none":
            break
        time.sleep(0.1)
    assert ("kept", PLAN) == (plan(place).mode, plan(place).text)
