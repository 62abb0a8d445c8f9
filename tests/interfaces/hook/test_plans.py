"""A plan by the installed hooks: from the dialog's result and an agent's last words to the ledger, and back."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from clew.core.plan.plan import Plan
from tests.interfaces.hook.hooks import SESSION, SILENCE
from tests.interfaces.hook.test_full import Place

PLAN = (
    "# Mend the tide\n\n## Phase 1: Look\n\n- [ ] Who calls `moon()`\n- validate: `python -m pytest -q`\n"
    "- budget: 50k\n"
)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def plan(place: Place) -> Plan:
    with place.world.desk(write=False) as at:
        return at.plan()


def accepted(
    place: Place, *, given: dict[str, Any] | None = None, variables: dict[str, str] | None = None, **more: Any
) -> Any:
    """The hook behind the dialog, as the client was seen to call it."""
    told = {"plan": PLAN, "isAgent": False, "filePath": "/home/dev/.claude/plans/tide.md"}
    event = {"session_id": SESSION, "tool_response": told if given is None else given, **more}
    return place.run("PostToolUse.ExitPlanMode", variables=variables, **event)


def test_a_person_accepts_and_a_compaction_gives_it_back(place: Place) -> None:
    place.run("SessionStart", session_id=SESSION)
    assert "clew keeps this plan" in place.context(accepted(place))
    found = plan(place)
    assert ("approved", PLAN, "the plan dialog of claude-code") == (found.mode, found.text, found.source)
    given = place.context(place.run("SessionStart.compact", session_id=SESSION))
    assert f"\n{PLAN}</clew-data" in given
    assert "" == place.broken()


def test_older_clients_hand_it_over_with_the_call(place: Place) -> None:
    place.run("SessionStart", session_id=SESSION)
    accepted(place, given={"isAgent": False}, tool_input={"plan": PLAN})
    assert "approved" == plan(place).mode


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


def test_a_dialog_without_a_text_says_nothing(place: Place) -> None:
    place.run("SessionStart", session_id=SESSION)
    assert SILENCE == accepted(place, given={"plan": None})
    assert "none" == plan(place).mode


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
