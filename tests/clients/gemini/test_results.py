"""What calls gave: by the client's own words, of newer and older versions."""

from __future__ import annotations

from typing import Any

import pytest

from clew.clients.gemini.contents import outcome
from clew.core.records.transcript import FileVersion, Result
from tests.clients.gemini.recordings import DOCUMENT, STORY, TURNS, called, message, of, session, stream

SHELL = "run_shell_command"
BACKGROUND = "Command moved to background (PID: 7). Output hidden."
STOPPED = "Command was cancelled by user before it could complete. Below is the output"


def read(tool: str, output: Any, status: str | None = "success", arguments: Any = None) -> tuple[str, int | None, str]:
    key = "error" if status == "error" else "output"
    found = outcome(tool, status, [{"functionResponse": {"id": "1", "response": {key: output}}}], "", arguments or {})
    return found.outcome, found.exit_code, found.text


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("Output: 12 passed\nProcess Group PGID: 7", ("ok", 0, "12 passed")),
        ("<untrusted_context>\nOutput: a\n</untrusted_context>", ("ok", None, "a")),
        ("Output: (empty)\nProcess Group PGID: 7", ("ok", 0, "")),
        ("Output: a\nExit Code: 3\nProcess Group PGID: 7", ("error", 3, "a")),
        ("Output: a\nExit Code: 1 is what it said\nExit Code: 2", ("error", 2, "a\nExit Code: 1 is what it said")),
        ("Output: a\nError: b\nProcess Group PGID: 7", ("ok", 0, "a\nError: b")),
        ("Output: a\nSignal: 15", ("error", None, "a")),
        ("Output: (empty)\nError: spawn nope ENOENT", ("error", None, "spawn nope ENOENT")),
        ("Command: a\nb\nDirectory: x\nStdout: hi\nError: (none)\nExit Code: 0\nSignal: (none)", ("ok", 0, "hi")),
        ("Command: a\nDirectory: x\nOutput: hi\nError: (none)\nExit Code: (none)\nSignal: 9", ("error", None, "hi")),
        (BACKGROUND, ("ok", None, BACKGROUND)),
        (STOPPED, ("interrupted", None, STOPPED)),
        ("Summarised by the client", ("ok", None, "Summarised by the client")),
    ],
)
def test_commands_tell_how_they_ended(output: str, expected: tuple[str, int | None, str]) -> None:
    """A test run that failed must not count as one that passed; what is not told is not made up."""
    assert read(SHELL, output) == expected


@pytest.mark.parametrize(
    ("tool", "output", "status", "expected"),
    [
        (SHELL, "[Operation Cancelled] Reason: User denied execution.", "cancelled", "rejected"),
        (SHELL, "[Operation Cancelled] Reason: User cancelled tool execution.", "cancelled", "interrupted"),
        ("write_file", "[Operation Cancelled] Reason: User did not allow tool call", "cancelled", "rejected"),
        ("write_file", "Tool execution blocked: off limits", "error", "denied"),
        ("replace", "no match", "error", "error"),
        ("exit_plan_mode", "Plan rejected. No feedback provided.", "success", "rejected"),
        ("exit_plan_mode", "User cancelled the plan approval dialog. The plan", "success", "rejected"),
        ("ask_user", "User dismissed ask_user dialog without answering.", "success", "rejected"),
        ("glob", "Found 2", "success", "ok"),
    ],
)
def test_refusals_are_no_failures(tool: str, output: str, status: str, expected: str) -> None:
    """What a person refused is not to be tried again; what failed may be."""
    assert read(tool, output, status)[0] == expected


def test_a_plan_that_was_sent_back_says_why() -> None:
    """The user's words in a refusal are the user's words."""
    (refused,) = [one for one in of(Result, TURNS) if one.outcome == "rejected"]
    assert refused.reason == "keep it until May"


def test_answers_stand_beside_their_questions() -> None:
    """The client numbers them; the questions are in the call."""
    (asked,) = [one for one in of(Result, TURNS) if one.answers]
    assert asked.answers == (("Keep a warning for a release?", "Yes"),)
    for text in ("no json", "[]", '{"answers": 7}', '{"answers": {"0": 7, "9": "x"}}'):
        assert outcome("ask_user", "success", text, "", {"questions": [{"question": "Q"}, 7, {}]}).answers == ()


@pytest.mark.parametrize(
    "result",
    [None, 7, [], [7, None], {"functionResponse": 3}, [{"functionResponse": {"response": {"output": {"a": [1]}}}}]],
)
def test_odd_results_are_read(result: Any) -> None:
    """Any tool can return anything."""
    found = outcome("mcp_x_y", "success", result, {"odd": 1}, None)
    assert found.outcome == "ok" and isinstance(found.text, str)


def _versions(path: Any) -> list[FileVersion]:
    from clew.clients.gemini.reader import GeminiReader

    return [version for line in stream(path).splitlines() for version in GeminiReader().file_versions(line)]


def test_whole_contents_are_proved_by_reads_and_writes() -> None:
    """Drift compares them with the disk, so they have to be right to the byte."""
    before, after = b"RATE = 1\n\n\ndef total(items):\n", b"RATE = 2\n\n\ndef total(items):\n"
    body = b"    return sum(items) * RATE\n"
    assert _versions(STORY) == [
        FileVersion("/home/dev/till/till.py", before + body),  # with a hook's words behind it in the record
        FileVersion("/home/dev/till/till.py", after + body),
        FileVersion("/home/dev/till/notes.md", b"The rate is 2 now.\n"),
    ]
    assert _versions(DOCUMENT)[-1] == FileVersion("/home/mira/tide/notes.md", b"Rounded.\n")


@pytest.mark.parametrize(
    "call",
    [
        called("read_file", "part", args={"file_path": "/w/a", "start_line": 3}),
        called("read_file", "\nIMPORTANT: The file content has been truncated.\n…", args={"file_path": "/w/a"}),
        called("read_file", "x\n\n--- Newly Discovered Project Context ---\ny", args={"file_path": "/w/a"}),
        called("read_file", "x", args={"file_path": "/w/a"}, resultDisplay="Read lines 1-2000 of 9000 from a"),
        called("read_file", "no such file", "error", args={"file_path": "/w/a"}),
        called("write_file", "Successfully wrote: User modified the `x`", args={"file_path": "/w/a", "content": "x"}),
        called("replace", "Successfully modified file", args={"file_path": "/w/a", "old_string": "a"}),
    ],
)
def test_parts_of_files_prove_nothing(call: dict[str, Any], tmp_path: Any) -> None:
    """A wrong content would be reported as drift in a file that nobody touched."""
    assert _versions(session(tmp_path, message("g", "gemini", "", toolCalls=[call]))) == []
