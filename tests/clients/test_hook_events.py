"""Hooks in the canonical form, which is Claude Code's: what it sends, by its own recorded inputs, and what it reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.clients.hook_events import answer, parse, place_variable
from clew.core.records.hook_events import CONTEXT_UNITS_MAX, Answer

RECORDED = Path(__file__).parents[1] / "recordings" / "claude-code" / "hooks"


def recorded(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize(
    ("name", "neutral", "told"),
    [
        ("SessionStart", "session_start", {"source": "startup", "idle_s": -1}),
        ("SessionStart.resume", "session_start", {"source": "resume", "idle_s": 1}),
        ("SessionStart.compact", "session_start", {"source": "compact"}),
        ("UserPromptSubmit", "prompt", {}),
        ("PreToolUse.Edit", "before_tool", {}),
        ("PostToolUse.Edit", "after_tool", {}),
        ("PostToolUseFailure", "after_tool", {}),
        ("PostToolUse.Bash.in-subagent", "after_tool", {"agent": "a65bcced5a93c931f"}),
        ("PreCompact", "before_compaction", {"trigger": "auto"}),
        ("Stop", "stop", {"stop_hook_active": False}),
        ("SessionEnd", "session_end", {"trigger": "other"}),
        ("SubagentStop.of-compaction", "other", {}),
    ],
)
def test_what_the_client_sends_is_understood(name: str, neutral: str, told: dict[str, Any]) -> None:
    """A field that is read wrongly gives a session another one's state, or none."""
    given = recorded(name)
    event = parse("claude-code", given, {})
    assert ("claude-code", neutral, given["session_id"]) == (event.client, event.name, event.session)
    assert (given["transcript_path"], "/repo") == (event.transcript, event.folder)
    assert told == {field: getattr(event, field) for field in told}


def test_the_environment_tells_who_is_there_and_where_it_began() -> None:
    """In a headless run the model sees nothing of ours; and `cwd` moves when the agent changes its folder."""
    given = recorded("Stop") | {"cwd": "/elsewhere"}
    event = parse(
        "claude-code", given, {"CLAUDE_PROJECT_DIR": "/repo", "CLAUDE_PID": "4711", "CLAUDE_CODE_SESSION_ATTENDED": "1"}
    )
    assert ("/repo", 4711, True) == (event.folder, event.pid, event.attended)
    for environment, attended in (
        ({"CLAUDE_CODE_SESSION_ATTENDED": "0", "CLAUDE_CODE_ENTRYPOINT": "sdk-cli"}, False),
        ({"CLAUDE_CODE_ENTRYPOINT": "sdk-py"}, False),  # older clients do not say who attends
        ({"CLAUDE_CODE_ENTRYPOINT": "cli"}, True),
        ({}, True),
    ):
        assert attended == parse("claude-code", given, environment).attended
    assert (
        0
        == parse("claude-code", given, {"CLAUDE_PID": "-1"}).pid
        == parse("claude-code", given, {"CLAUDE_PID": "9" * 40}).pid
    )


@pytest.mark.parametrize("client", ["codex", "gemini", "opencode"])
def test_a_client_that_another_one_runs_is_itself(client: str) -> None:
    """It has the outer one's variables too: its session would be entered in another place, under another process, as
    one that a person sits at.
    """
    outer = {"CLAUDE_PROJECT_DIR": "/outer", "CLAUDE_PID": "1", "CLAUDE_CODE_SESSION_ATTENDED": "1"}
    given = recorded("Stop") | {"cwd": "/inner", "pid": 4711}
    event = parse(client, given, outer)
    assert ("/inner", 4711, False) == (event.folder, event.pid, event.attended)
    event = parse(client, given | {"attended": True}, outer | {place_variable(client): "/place"})
    assert ("/place", 4711, True) == (event.folder, event.pid, event.attended)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
_FIELDS = sorted({field for path in RECORDED.glob("*.json") for field in recorded(path.stem)})


@given(st.dictionaries(st.sampled_from(_FIELDS) | st.text(), _JSON), st.dictionaries(st.text(), st.text()))
def test_garbage_is_no_failure(event: dict[str, Any], environment: dict[str, str]) -> None:
    """What a future version sends must not end a hook with anything but silence."""
    said = answer(event, Answer("context", "message", "deny"))
    assert parse("claude-code", event, environment).client == "claude-code"
    assert not said or json.loads(json.dumps(said))


def test_an_answer_is_what_the_client_reads() -> None:
    """One wrong name, and the client drops it without a word."""
    said = answer(recorded("SessionStart"), Answer(context="a “b”\n🧵", message="for the person"))
    assert said == {
        "hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "a “b”\n🧵"},
        "systemMessage": "for the person",
    }
    said = answer(recorded("PreToolUse.Edit"), Answer(deny="not now"))
    assert said["hookSpecificOutput"] == {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "not now",
    }
    assert {} == answer(recorded("SessionStart"), Answer())


def test_no_answer_makes_a_turn_go_on_or_a_compaction_change() -> None:
    """A context at the end of a turn would start the next one; text before a compaction would go into its orders."""
    for name in ("Stop", "Stop.active", "SessionEnd", "PreCompact", "SubagentStop.of-compaction"):
        assert {} == answer(recorded(name), Answer(context="something", deny="something"))


def test_what_the_client_would_cut_is_not_sent() -> None:
    """It would show the model two kilobytes and the name of a file."""
    start = recorded("SessionStart")
    assert {} == answer(start, Answer(context="x" * CONTEXT_UNITS_MAX))
    assert {} == answer(start, Answer(context="🧵" * (CONTEXT_UNITS_MAX // 2)))
    assert answer(start, Answer(context="x" * (CONTEXT_UNITS_MAX - 1)))
