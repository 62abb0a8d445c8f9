"""Sessions as the benchmark of recall reads them: every client's words, calls and texts, and nothing twice."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.recall.baselines import bag_of_identifiers, conversation, summary
from benchmarks.recall.sessions import records_of, session_files, strings_of

from clew.core.records.transcript import Call, Edit, Read, Run


def rollout(tmp_path: Path, *lines: tuple[str, dict[str, object]]) -> Path:
    path = tmp_path / "rollout.jsonl"
    head = {"type": "session_meta", "payload": {"id": "s", "cwd": "/port"}}
    body = [{"type": kind, "payload": payload} for kind, payload in lines]
    path.write_text("".join(json.dumps(line) + "\n" for line in [head, *body]) + '{"type": "event', encoding="utf-8")
    return path


def message(role: str, text: str) -> tuple[str, dict[str, object]]:
    return "response_item", {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}


def test_a_codex_message_is_read_once(tmp_path: Path):
    """A rollout holds every message twice: a tail made of both would say half as much in the same budget."""
    path = rollout(
        tmp_path,
        message("user", "<environment_context>/port</environment_context>"),
        message("user", "open the lock gate"),
        ("event_msg", {"type": "user_message", "message": "open the lock gate"}),
        ("event_msg", {"type": "agent_message", "message": "gate_motor runs"}),
        message("assistant", "gate_motor runs"),
    )
    assert conversation(records_of(path)) == ["User: open the lock gate", "Agent: gate_motor runs"]


def test_codex_commands_and_patches_count_for_the_bag(tmp_path: Path):
    """The control is the harder the more it sees: commands old and new style, files of patches in either form."""
    path = rollout(
        tmp_path,
        ("response_item", {"type": "function_call", "name": "exec_command", "arguments": '{"cmd": "make lock_test"}'}),
        ("response_item", {"type": "function_call", "name": "shell", "arguments": '{"command": ["ls", "quay_9"]}'}),
        (
            "response_item",
            {"type": "custom_tool_call", "name": "apply_patch", "input": "*** Update File: gate/motor.py\n@@\n-a\n+b"},
        ),
    )
    records = records_of(path)
    assert [record.action for record in records if isinstance(record, Call)] == [
        Run("make lock_test"),
        Run("ls quay_9"),
        Edit("gate/motor.py", "", ""),
    ]
    assert bag_of_identifiers(records) == "gate/motor.py lock_test quay_9"


def test_newer_codex_tells_messages_and_calls_of_scripts_as_items(tmp_path: Path):
    """Since 0.169 there are no other events: without these the baselines of such sessions were empty."""
    text = [{"type": "text", "text": "open the lock gate"}]
    items: list[dict[str, object]] = [
        {"type": "UserMessage", "id": "1", "content": text},
        {"type": "CommandExecution", "id": "call_1", "command": ["/bin/bash", "-lc", "told by its call"]},
        {"type": "CommandExecution", "id": "exec-1", "command": ["/bin/bash", "-lc", "make lock_test"]},
        {"type": "FileChange", "id": "exec-2", "changes": {"/port/gate/motor.py": {"type": "add"}}},
        {"type": "AgentMessage", "id": "2", "content": [{"type": "Text", "text": "gate_motor runs"}]},
    ]
    events = [("event_msg", {"type": "item_completed", "item": item}) for item in items]
    records = records_of(rollout(tmp_path, message("user", "open the lock gate"), *events))
    assert conversation(records) == ["User: open the lock gate", "Agent: gate_motor runs"]
    assert [record.action for record in records if isinstance(record, Call)] == [
        Run("make lock_test"),
        Edit("/port/gate/motor.py", "", ""),
    ]


def test_a_codex_compaction_without_a_summary_is_no_baseline(tmp_path: Path):
    """The client may keep its summary to itself: an empty text must not be scored as one."""
    assert summary(records_of(rollout(tmp_path, ("compacted", {"message": ""}))), 100) is None
    assert summary(records_of(rollout(tmp_path, ("compacted", {"message": "gate half open"}))), 100) == "gate half open"


def test_a_gemini_session_is_one_document_over_many_lines(tmp_path: Path):
    """Its strings and its words are found although no line of the file is JSON; thoughts are not words."""
    call = {"id": "1", "name": "read_file", "args": {"absolute_path": "/port/tide.txt"}, "result": [{"output": "low"}]}
    messages = [
        {"type": "user", "content": "how is the tide"},
        {"type": "gemini", "content": "", "toolCalls": [call], "thoughts": [{"description": "I look"}]},
        {"type": "gemini", "content": "It is low."},
    ]
    path = tmp_path / "session.json"
    path.write_text(json.dumps({"sessionId": "s", "messages": messages}, indent=2), encoding="utf-8")
    records = records_of(path)
    assert conversation(records) == ["User: how is the tide", "Agent: It is low."]
    assert [record.action for record in records if isinstance(record, Call)] == [Read("/port/tide.txt", 0, 0)]
    assert "low" in strings_of(path)


def test_every_client_s_sessions_are_controls(tmp_path: Path):
    """A key must be rare among the sessions of all clients, or a payload of another client could recall it."""
    for name in ("claude-code/a/b/01.jsonl", "codex/a/b/01.jsonl", "gemini/one.json", "gemini/note.md"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}\n", encoding="utf-8")
    expected = ["claude-code/a/b/01.jsonl", "codex/a/b/01.jsonl", "gemini/one.json"]
    assert session_files(tmp_path) == expected
