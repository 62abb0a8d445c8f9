"""What GitHub Copilot CLI's lines tell, beside what its recording shows in the suite."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clew.clients.copilot.reader import CopilotReader
from clew.core.records.transcript import (
    Action,
    Ask,
    Call,
    Context,
    Delegate,
    Edit,
    FileVersion,
    Interruption,
    Other,
    Poll,
    Prompt,
    Question,
    Read,
    Reply,
    Result,
    Run,
    Running,
    Search,
    Thought,
)

from .recordings import STORY, called, ended, event, of, session

READER = CopilotReader()
PATCH = "*** Begin Patch\n*** Update File: a.py\n-x\n+y\n*** Add File: b.py\n+z\n*** End Patch\n"


@pytest.mark.parametrize(
    ("tool", "given", "actions"),
    [
        ("bash", {"command": "make"}, [Run("make")]),
        ("read_bash", {"shellId": "3"}, [Poll("3")]),
        ("view", {"path": "/w/a.py", "view_range": [3, -1]}, [Read("/w/a.py", 3, 0)]),
        ("view", {"path": "/w/a.py", "view_range": "all"}, [Read("/w/a.py", 0, 0)]),
        ("edit", {"path": "/w/a.py", "old_str": "a", "new_str": "b"}, [Edit("/w/a.py", "a", "b")]),
        ("create", {"path": "/w/a.py", "file_text": "a"}, [Edit("/w/a.py", "", "a")]),
        ("apply_patch", PATCH, [Edit("a.py", "x", "y"), Edit("b.py", "", "z")]),
        ("rg", {"pattern": "x", "paths": "src"}, [Search("x", "src")]),
        ("task", {"description": "look", "prompt": "Look around"}, [Delegate("look", "Look around")]),
        (
            "ask_user",
            {"message": "Which?", "requestedSchema": {"properties": {"c": {"enum": ["red", "green"]}}}},
            [Ask((Question("Which?", ("red", "green")),))],
        ),
        ("sql", {"query": "select 1"}, [Other("select 1")]),
    ],
)
def test_what_a_call_means(tmp_path: Path, tool: str, given: Any, actions: list[Action]) -> None:
    """A patch comes as free text, and is one edit for each of its files."""
    assert actions == [one.action for one in of(Call, session(tmp_path, called(tool, given)))]


def test_a_tool_of_a_server_is_named_by_it(tmp_path: Path) -> None:
    path = session(tmp_path, called("my-notes-get", {}, mcpServerName="my-notes", mcpToolName="get"))
    assert ["mcp__my-notes__get"] == [one.tool for one in of(Call, path)]


@pytest.mark.parametrize(
    ("line", "outcome", "code", "text"),
    [
        (ended("hi\n<shellId: 0 completed with exit code 3>", shellExecution={"exitCode": 3}), "error", 3, "hi"),
        (ended("late\n<shellId: 4 completed with exit code 0>"), "ok", 0, "late"),
        (ended("<command with id: 1 stopped>"), "interrupted", None, "<command with id: 1 stopped>"),
        (ended('a\n\nTool "view" succeeded. Additional guidance from postToolUse hooks:\nnote'), "ok", None, "a"),
        (ended("", success=False, error={"code": "failure", "message": "No match"}), "error", None, "No match"),
        (
            ended("", success=False, error={"code": "failure", "message": "Denied by preToolUse hook: no"}),
            "denied",
            None,
            "Denied by preToolUse hook: no",
        ),
        (
            ended("", success=False, error={"code": "rejected", "message": "The user said no"}),
            "rejected",
            None,
            "The user said no",
        ),
    ],
)
def test_how_a_call_ended(tmp_path: Path, line: dict[str, Any], outcome: str, code: int | None, text: str) -> None:
    """For the client a command is a success whatever its exit code."""
    (found,) = of(Result, session(tmp_path, called("bash", {}), line))
    assert (outcome, code, text) == (found.outcome, found.exit_code, found.text)


@pytest.mark.parametrize(
    "said",
    [
        "<command started in background with shellId: 3>",
        "a\n<command with shellId: 3 is still running after 30 seconds. Use stop_bash to stop it.>",
        "<command with shellId: 3 moved to background by the user. Wait for the user's next instruction.>",
    ],
)
def test_a_command_that_goes_on_has_no_end_yet(tmp_path: Path, said: str) -> None:
    path = session(tmp_path, called("bash", {"command": "serve"}), ended(said))
    assert (["3"], []) == ([one.process for one in of(Running, path)], of(Result, path))


def test_only_what_a_person_said_is_a_prompt(tmp_path: Path) -> None:
    """What a stop hook asks for is queued like a person's words, but nobody typed it in any mode."""
    path = session(
        tmp_path,
        event("user.message", content="first", messageId="m1", delivery="idle"),
        event("user.message", content="Write a hand-off", delivery="queued"),
        event("user.message", content="and this", delivery="queued", agentMode="interactive"),
        event("user.message", content="go on", isAutopilotContinuation=True),
        event("user.message", content="a skill's text", source="skill-pdf"),
        event("user.message", content="/compact now", delivery="idle"),
        event("user.message", content="/etc/hosts is odd", attachments=[{"type": "image"}]),
        event("user.message", agent="a1", content="Look around", source="agent-5e"),
    )
    found = [(one.agent, one.source, one.text) for one in of(Prompt, path)]
    assert [
        ("", "typed", "first"),
        ("", "typed", "and this"),
        ("", "command", "/compact now"),
        ("", "typed", "[image] /etc/hosts is odd"),
        ("a1", "typed", "Look around"),
    ] == found


def test_a_session_that_moves_is_followed(tmp_path: Path) -> None:
    """It can go into another work tree, and be gone on with elsewhere."""
    moved = event("session.context_changed", cwd="/w/tree", branch="topic")
    resumed = event("session.resume", context={"cwd": "/v", "branch": "main"})
    path = session(tmp_path, moved, resumed, event("abort", reason="user_initiated"))
    assert [("/w", ""), ("/w/tree", "topic"), ("/v", "main")] == [(one.cwd, one.branch) for one in of(Context, path)]
    assert 1 == len(of(Interruption, path))


def test_what_the_model_thought_is_apart_from_what_it_said(tmp_path: Path) -> None:
    path = session(tmp_path, event("assistant.message", content=" Done. ", reasoningText="Hm.", toolRequests=[]))
    assert (["Done."], ["Hm."]) == ([one.text for one in of(Reply, path)], [one.text for one in of(Thought, path)])


def test_whole_contents_are_proved_by_what_was_made_and_what_was_shown() -> None:
    """By the recording: a file that was read from end to end, and one that was written."""
    versions = [version for line in STORY.read_bytes().splitlines() for version in READER.file_versions(line)]
    refunds = b"def share(total, parts):\n    return [total // parts] * parts\n"
    assert [FileVersion("/repo/refunds.py", refunds), FileVersion("/repo/made.py", b"made = 1\n")] == versions
