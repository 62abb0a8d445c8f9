"""How Gemini CLI speaks with hooks, by its own recorded inputs."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from clew.clients.gemini import dialect
from clew.clients.hook_events import answer, parse
from clew.core.context.context_size import last_usage
from clew.core.records.hook_events import Answer

RECORDED = Path(__file__).parents[2] / "recordings" / "gemini" / "hooks"


def heard(name: str) -> dict[str, Any]:
    """A recorded input in the canonical form."""
    found: dict[str, Any] = json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8"))
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

    def __init__(self, *argv: str, at_terminal: bool = True, environment: dict[str, str] | None = None) -> None:
        self.argv = ("node", "/usr/bin/gemini", *argv)
        self.at_terminal = at_terminal
        self.environment = environment or {}


@pytest.mark.parametrize(
    ("name", "neutral"),
    [
        ("BeforeAgent", "prompt"),
        ("BeforeTool", "before_tool"),
        ("AfterTool", "after_tool"),
        ("AfterAgent", "stop"),
        ("AfterAgent.active", "stop"),
        ("SessionEnd", "session_end"),
    ],
)
def test_what_the_client_sends_is_understood(name: str, neutral: str) -> None:
    """Its events have names of their own."""
    given = heard(name)
    event = parse("gemini", given, {"GEMINI_PROJECT_DIR": "/repo"})
    assert ("gemini", neutral, given["session_id"], "/repo") == (event.client, event.name, event.session, event.folder)
    assert event.stop_hook_active == name.endswith(".active")


def test_its_tools_are_known() -> None:
    """A tool that the gate does not know keeps its name: while a plan is open only those that read pass."""
    assert ("Bash", "echo one") == (heard("BeforeTool")["tool_name"], heard("BeforeTool")["tool_input"]["command"])
    assert ("Edit", "/repo/calc.py") == _named(heard("BeforeTool.replace"))
    assert ("Read", "/repo/calc.py") == _named(heard("AfterTool.read_file"))
    assert "mcp_statebox_notes_get" == heard("AfterTool.mcp_statebox_notes_get")["tool_name"]
    event: dict[str, Any] = {"cwd": "/repo", "tool_name": "write_file", "tool_input": {"file_path": "src/a.py"}}
    dialect.heard("BeforeTool", event, lambda path, size: b"", parsed)
    assert ("Write", "/repo/src/a.py") == _named(event)
    event = {"cwd": "/repo", "tool_name": "run_shell_command", "tool_input": {"command": "ls", "dir_path": "src"}}
    dialect.heard("BeforeTool", event, lambda path, size: b"", parsed)
    assert "/repo/src" == event["cwd"]


def _named(event: dict[str, Any]) -> tuple[str, str]:
    return event["tool_name"], event["tool_input"]["file_path"]


def test_a_sub_agent_at_work_is_seen_by_its_record(tmp_path: Path) -> None:
    """No event tells it. What is said of the session would go to the sub-agent, and count as said."""
    record, helper = tmp_path / "session-1.jsonl", tmp_path / "s1" / "helper.jsonl"
    helper.parent.mkdir()
    for path, time_s in ((record, 20), (helper, 10)):
        path.touch()
        os.utime(path, (time_s, time_s))

    def agent(name: str) -> object:
        event = {"session_id": "s1", "transcript_path": str(record)}
        dialect.heard(name, event, lambda path, size: b"", parsed)
        return event.get("agent_id")

    assert agent("AfterTool") is None
    os.utime(helper, (30, 30))
    assert "helper.jsonl" == agent("AfterTool")
    assert agent("BeforeAgent") is None, "a prompt is the person's: the sub-agent was killed"


def test_other_events_are_none_of_ours() -> None:
    """One that comes before every request to the model must cost nothing."""
    for name in ("SessionStart", "PreCompress", "BeforeModel", "AfterModel", "BeforeToolSelection", "Notification"):
        assert "" == dialect.heard(name, {}, lambda path, size: b"", parsed)


def test_an_answer_is_what_the_client_reads() -> None:
    """It knows its own names of events only."""
    said = dialect.told(answer(heard("BeforeAgent"), Answer("context", "message")))
    assert said == {
        "hookSpecificOutput": {"hookEventName": "BeforeAgent", "additionalContext": "context"},
        "systemMessage": "message",
    }
    assert {"systemMessage": "m"} == dialect.told(answer(heard("AfterAgent"), Answer("context", "m", "deny")))


def test_who_sits_there_is_what_the_client_itself_goes_by() -> None:
    """In a headless run the model sees nothing of ours."""
    assert dialect.attended({}, Near())
    assert dialect.attended({}, Near("--yolo", "-m", "pro", "-i", "fix it"))
    assert not dialect.attended({}, Near("-p", "fix it"))
    assert not dialect.attended({}, Near("-yp", "fix it"))
    assert not dialect.attended({}, Near("--prompt=fix it"))
    assert not dialect.attended({}, Near(at_terminal=False))
    assert dialect.attended({}, Near("--acp", at_terminal=False)), "an editor, for a person"
    assert not dialect.attended({}, Near(environment={"CI": "true"}))


def said(tokens: int) -> bytes:
    line = {"id": "1", "type": "gemini", "content": "x", "tokens": {"input": tokens, "cached": 5}, "model": "gemini-x"}
    return json.dumps(line).encode() + b"\n"


def rewritten(*texts: str, name: str = "a1") -> bytes:
    """The line by which the client sets its messages."""
    messages = [{"id": f"{name}-{at}", "type": "user", "content": [{"text": text}]} for at, text in enumerate(texts)]
    return b'{"$set": ' + json.dumps({"messages": messages}).encode() + b"}\n"


def test_the_context_is_what_the_newest_answer_was_made_from() -> None:
    """The messages that a resume writes again say nothing of it."""
    assert (20_000, "gemini-x", 0) == dialect.usage(parsed(said(20_000)))
    assert dialect.usage({"$set": {"lastUpdated": "2026-11-21T20:48:54.656Z"}}) is None
    assert dialect.usage(parsed(rewritten("x", '"tokens"'))) is None


def test_a_compaction_leaves_nothing_that_is_known() -> None:
    """The answers before it were made from what is gone."""
    record = said(500_000) + rewritten("context", "<state_snapshot>tide</state_snapshot>")
    for behind, tokens in ((b"", 0), (rewritten("context", "go on"), 0), (said(20_000), 20_000)):
        found = last_usage(record + behind, whole=True, parse=parsed, says=dialect)
        assert found is not None and tokens == found[0]


def test_a_compaction_is_seen_in_the_record() -> None:
    """No hook tells of it. What a tool printed, or a person pasted, is none."""
    text = "<state_snapshot><overall_goal>tide</overall_goal></state_snapshot>"
    record = said(9) + rewritten("context", text) + said(5)
    assert text == dialect.compacted(record, parsed)
    assert text == dialect.compacted(record + rewritten(text, name="b2") + b'{"$set"', parsed)
    thought = f"<scratchpad>what is a <state_snapshot>?</scratchpad>\n{text}"
    assert text == dialect.compacted(rewritten(thought), parsed)
    assert "" == dialect.compacted(said(9) + rewritten("context", f"what is a {text}?"), parsed)
    quoted = json.dumps({"type": "user", "content": [{"text": text}]}).encode()
    assert "" == dialect.compacted(quoted, parsed) == dialect.compacted(b"", parsed)
