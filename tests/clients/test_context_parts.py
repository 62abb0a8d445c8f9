"""What stands in a context beside what happened, as each client writes it; and that no line makes a reader fail."""

# ruff: noqa: E501 - a table of lines

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.clients.claude_code.reader import READER as CLAUDE
from clew.clients.codex.reader import READER as CODEX
from clew.clients.gemini.reader import READER as GEMINI
from clew.clients.opencode.reader import READER as OPENCODE
from clew.clients.port import ContextReader
from tests.core.conversations import ODD_VALUES

READERS: list[ContextReader] = [CLAUDE, CODEX, GEMINI, OPENCODE]


def parts(reader: ContextReader, line: dict[str, Any], at: int = 7) -> list[tuple[str, str, str]]:
    return [(one.sort, one.name, one.text) for one in reader.context_parts(json.dumps(line).encode(), at)]


def user(content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "user", "message": {"content": content}, **more}


def attached(**attachment: Any) -> dict[str, Any]:
    return {"type": "attachment", "attachment": attachment}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            {"type": "assistant", "message": {"content": [{"type": "tool_use", "id": "t", "name": "Read", "input": {"a": "ü"}}]}},
            [("input", "t", 'Read {"a": "ü"}')],
        ),
        (user("make it ten"), []),
        (user("fix <system-reminder>todo</system-reminder> it"), [("client", "reminders", "<system-reminder>todo</system-reminder>")]),
        (user("Caveat", isMeta=True), [("client", "notes of the client", "Caveat")]),
        (user("Base directory for this skill: /s/tide/\nBe calm"), [("skills", "tide", "Base directory for this skill: /s/tide/\nBe calm")]),
        (user([{"type": "image"}]), [("image", "image", "")]),
        (
            user([{"type": "tool_result", "tool_use_id": "t", "content": [{"type": "image"}, {"type": "tool_reference", "tool_name": "WebFetch"}]}]),
            [("output", "t", "\n"), ("image", "image", ""), ("loaded", "WebFetch", "")],
        ),
        (
            user([{"type": "tool_result", "tool_use_id": "t", "content": "1\n<system-reminder>calm</system-reminder>"}]),
            [("output", "t", "1\n<system-reminder>calm</system-reminder>")],
        ),
        (attached(type="hook_additional_context", hookName="SessionStart", content=["a", "b"]), [("hook", "SessionStart", "a\nb")]),
        (attached(type="skill_listing", content="- tide"), [("skills", "list of skills", "skill_listing\n- tide")]),
        (attached(type="nested_memory", path="/p/CLAUDE.md", content={"content": "be calm"}), [("rules", "/p/CLAUDE.md", "be calm")]),
        (attached(type="queued_command", prompt="go on"), []),
        (attached(type="diagnostics", files=[{"m": "no any"}]), [("client", "diagnostics", "diagnostics\nno any")]),
    ],
)  # fmt: skip
def test_of_claude_code(line: dict[str, Any], expected: list[tuple[str, str, str]]) -> None:
    """What the reader's records leave out."""
    assert expected == parts(CLAUDE, line)


def test_of_a_sub_agent_that_only_notes_tell_of() -> None:
    """Older versions of Claude Code write it into the record of the session."""
    said = {
        "type": "assistant",
        "message": {"content": [{"type": "text", "text": "found"}, {"type": "tool_use", "name": "Read", "input": {}}]},
    }
    line = {"type": "progress", "data": {"type": "agent_progress", "agentId": "a1", "message": said}}
    found = list(CLAUDE.context_parts(json.dumps(line).encode(), 3))
    assert [("a1", "made", "", "found"), ("a1", "made", "Read", "{}")] == [
        (o.agent, o.sort, o.name, o.text) for o in found
    ]


def item(**payload: Any) -> dict[str, Any]:
    return {"type": "response_item", "payload": payload}


def message(role: str, *texts: str) -> dict[str, Any]:
    return item(type="message", role=role, content=[{"type": "input_text", "text": text} for text in texts])


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (message("user", "make it ten"), []),
        (message("user", "# AGENTS.md instructions for /p\nbe calm"), [("rules", "/p", "# AGENTS.md instructions for /p\nbe calm")]),
        (message("user", "<environment_context>x"), [("client", "environment context", "<environment_context>x")]),
        (
            message("developer", "<skills_instructions>s", "be calm"),
            [("skills", "skills instructions", "<skills_instructions>s"), ("client", "notes of the client", "be calm")],
        ),
        (item(type="function_call", name="shell", call_id="c", arguments="{}"), [("input", "c", "shell {}")]),
        (item(type="function_call_output", call_id="c", output="Exit code: 0\nok"), [("output", "c", "Exit code: 0\nok")]),
        (
            item(type="function_call_output", call_id="c", output=[{"type": "text", "text": "ok"}, {"type": "input_image"}]),
            [("output", "c", "ok\n"), ("image", "image", "")],
        ),
        (item(type="custom_tool_call", name="apply_patch", call_id="c", input="*** Begin"), [("input", "c", "apply_patch *** Begin")]),
        (
            {"type": "compacted", "payload": {"message": "so far", "replacement_history": [
                {"type": "message", "role": "user", "content": [{"text": "make it ten"}]},
                {"type": "message", "role": "user", "content": [{"text": "it was: so far"}]},
                {"type": "compaction", "encrypted_content": "xyz"},
            ]}},
            [("kept", "what a compaction kept", "make it ten"), ("summary", "summary that only the client can read", "")],
        ),
    ],
)  # fmt: skip
def test_of_codex(line: dict[str, Any], expected: list[tuple[str, str, str]]) -> None:
    """What the user typed is a prompt already; the client's own blocks are told apart by their first words."""
    assert expected == parts(CODEX, line)


def test_of_codex_what_a_session_begins_with() -> None:
    """On its first line only: further on it was copied from the session that this one is a fork of."""
    line = {"type": "session_meta", "payload": {"base_instructions": {"text": "be calm"}, "dynamic_tools": [{"n": 1}]}}
    assert [("system", "instructions of the client", "be calm"), ("tools", "tools of the app", '[{"n": 1}]')] == parts(
        CODEX, line, 0
    )
    assert [] == parts(CODEX, line, 500)


def test_of_gemini_and_opencode() -> None:
    """Their lines are made by clew's own rendering."""
    call = {"type": "call", "id": "c", "tool": "read_file", "args": {"p": "a"}}
    assert [("input", "c", 'read_file {"p": "a"}')] == parts(GEMINI, call)
    assert [("hook", "hook", "be calm")] == parts(GEMINI, {"type": "prompt", "hooks": ["be calm"]})
    of = {"role": "user", "session": "s"}
    tool = {"of": of, "part": {"type": "tool", "callID": "c", "tool": "read", "state": {"input": {"p": "a"}}}}
    assert [("input", "c", 'read {"p": "a"}')] == parts(OPENCODE, tool)
    noted = {"of": of, "part": {"type": "text", "synthetic": True, "text": "the file says"}}
    assert [("client", "files and notes", "the file says")] == parts(OPENCODE, noted)


@given(
    st.sampled_from(READERS),
    st.dictionaries(
        st.sampled_from("type message attachment payload part of data isMeta content role hooks agentId".split()),
        st.sampled_from("user assistant attachment progress response_item message compacted call prompt".split())
        | ODD_VALUES,
    ),
)
def test_no_line_makes_a_reader_fail(reader: ContextReader, line: dict[str, Any]) -> None:
    """Formats change without notice."""
    assert all(isinstance(one.text, str) for one in reader.context_parts(json.dumps(line).encode(), 0))
