"""How GitHub Copilot CLI speaks with hooks, by its own recorded inputs."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

from clew.clients.copilot import dialect
from clew.clients.hook_events import answer, parse
from clew.core.context.context_size import last_usage
from clew.core.records.hook_events import Answer

from .recordings import FOLDER, event


def heard(name: str, **more: Any) -> dict[str, Any]:
    """A recorded input in the canonical form."""
    found: dict[str, Any] = json.loads((FOLDER / "hooks" / f"{name}.json").read_text(encoding="utf-8")) | more
    found["hook_event_name"] = dialect.heard(found["hook_event_name"], found, lambda path, size: b"", parsed)
    return found


def parsed(data: bytes) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


class Near:
    """A client that was started so."""

    def __init__(self, *argv: str, at_terminal: bool = True) -> None:
        self.argv = ("/usr/bin/copilot", *argv)
        self.at_terminal = at_terminal


@pytest.mark.parametrize(
    ("name", "neutral"),
    [
        ("UserPromptSubmit", "prompt"),
        ("PreToolUse.Edit", "before_tool"),
        ("PostToolUse.Read", "after_tool"),
        ("PostToolUseFailure.Edit", "after_tool"),
        ("PreCompact", "before_compaction"),
        ("Stop", "stop"),
        ("SessionEnd", "session_end"),
    ],
)
def test_what_the_client_sends_is_understood(name: str, neutral: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It tells its hooks in which folder of its own they lie; where its record is follows from that."""
    monkeypatch.setitem(os.environb, b"COPILOT_HOOK_DIR", b"/home/dev/.copilot/hooks")
    monkeypatch.setattr("posix.environ", dict(os.environb))
    given = heard(name)
    found = parse("copilot", given, {"COPILOT_PROJECT_DIR": "/repo"})
    assert ("copilot", neutral, given["session_id"], "/repo") == (found.client, found.name, found.session, found.folder)
    assert f"/home/dev/.copilot/session-state/{found.session}/events.jsonl" == found.transcript


def test_its_tools_are_known() -> None:
    """While a plan is open only those that read pass, by the names that the gate knows."""
    edit = heard("PreToolUse.Edit")
    assert ("Edit", "/repo/refunds.py") == (edit["tool_name"], edit["tool_input"]["file_path"])
    assert {"old_string", "new_string"} < set(edit["tool_input"])
    assert "BashOutput" == heard("PreToolUse.read_bash")["tool_name"]
    assert "mcp__clew__show" == heard("PreToolUse.Edit", tool_name="clew-show", tool_input={})["tool_name"]
    for given in ("*** Begin Patch", {"input": "*** Begin Patch"}):
        patch = heard("PreToolUse.Edit", tool_input=given)
        assert ("apply_patch", {"command": "*** Begin Patch"}) == (patch["tool_name"], patch["tool_input"])
    relative = heard("PreToolUse.Edit", tool_input={"path": "src/a.py"})
    assert "/repo/src/a.py" == relative["tool_input"]["file_path"]


def test_a_command_with_an_exit_code_has_failed() -> None:
    """For the client it is a success."""
    found = heard("PostToolUse.Bash")
    assert ("PostToolUseFailure", "Exit code 3\n1\n2\n3\n") == (found["hook_event_name"], found["error"])
    result = {"text_result_for_llm": "fine\n<shellId: 0 completed with exit code 0>"}
    assert "PostToolUse" == heard("PostToolUse.Bash", tool_result=result)["hook_event_name"]


def test_of_a_sub_agent_only_its_tools_are_heard_as_the_session_s() -> None:
    """It is told as a session of its own, which names the one that began it."""
    found = heard("PreToolUse.in-subagent")
    assert ("PreToolUse", found["parent_agent_id"]) == (found["hook_event_name"], found["session_id"])
    assert found["agent_id"] != found["session_id"]
    assert "" == heard("Stop.in-subagent")["hook_event_name"]


def test_an_answer_is_said_on_one_level() -> None:
    """What stands within `hookSpecificOutput` the client drops, but for a denial."""
    given = heard("UserPromptSubmit")
    assert {"additionalContext": "look"} == dialect.told(answer(given, Answer(context="look")))
    assert {"decision": "block", "reason": "more"} == dialect.told(answer(heard("Stop"), Answer(block="more")))
    denied = json.loads(dialect.ANSWERS["deny"] % json.dumps('"no"'))
    assert {"permissionDecision": "deny", "permissionDecisionReason": '"no"'} == denied


def test_how_full_the_context_is() -> None:
    """Sub-agents have contexts of their own; a compaction tells what it left."""
    usage = {"model": "gpt-5.1", "inputTokens": 900, "maxPromptTokens": 128_000}
    lines = [
        event("session.usage_record", usage=usage),
        event("session.usage_record", agent="a1", usage={**usage, "inputTokens": 7}),
    ]
    assert (900, "gpt-5.1", 128_000) == _last(lines)
    compacted = event("session.compaction_complete", success=True, postCompactionTokens=40, summaryContent="Sum")
    assert (40, "", 0) == _last([*lines, compacted])
    assert (900, "gpt-5.1", 128_000) == _last([*lines, event("session.compaction_complete", success=False)])


def _last(lines: list[dict[str, Any]]) -> Any:
    data = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
    return last_usage(data, whole=True, parse=parsed, says=dialect)


def test_what_was_spent() -> None:
    """What a cache holds is counted as input too; a compaction is paid for, also one that is called off."""
    told = {"model": "m", "inputTokens": 100, "outputTokens": 5, "cacheReadTokens": 60, "cacheWriteTokens": 10}
    (one,) = dialect.spent(event("session.usage_record", usage={**told, "apiCallId": "c1"}))
    assert ("c1", "m", [30, 10, 0, 60, 5]) == (one[0], one[2], one[3])
    (two,) = dialect.spent(event("session.compaction_complete", compactionAttemptId="x", compactionTokensUsed=told))
    assert ("x", "m") == (two[0], two[2])
    assert [] == dialect.spent(event("session.shutdown", usage=told)) == dialect.spent({"type": [], "data": 3})


def test_the_newest_summary_is_found_in_the_record_s_end() -> None:
    lines = [
        event("session.compaction_complete", success=True, summaryContent="Old"),
        event("session.compaction_complete", success=True, summaryContent="New"),
        event("session.compaction_complete", success=False, error="Compaction Cancelled"),
        event("user.message", content='"session.compaction_complete"'),
    ]
    data = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
    assert "New" == dialect.compacted(data, parsed)
    assert "" == dialect.compacted(b"", parsed)


@pytest.mark.parametrize(
    ("near", "attended"),
    [
        (Near(), True),
        (Near("--interactive", "hello"), True),
        (Near("-p", "hello"), False),
        (Near("-sp", "hello"), False),
        (Near("--prompt=hello"), False),
        (Near(at_terminal=False), False),
        (Near("--acp", at_terminal=False), True),
    ],
)
def test_whether_a_person_sits_there(near: Near, attended: bool) -> None:
    assert attended == dialect.attended({}, near)
