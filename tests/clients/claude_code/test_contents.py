"""Which file contents a line proves."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clew.clients.claude_code.reader import ClaudeCodeReader

from .recordings import content


def versions(**result: Any) -> list[tuple[str, bytes]]:
    line = json.dumps({"type": "user", "message": {}, "toolUseResult": result}).encode()
    return [tuple(version) for version in ClaudeCodeReader().file_versions(line)]


def read(text: str, **changed: Any) -> list[tuple[str, bytes]]:
    lines = text.count("\n") + 1
    file = {"filePath": "/p/a.py", "content": text, "numLines": lines, "startLine": 1, "totalLines": lines}
    return versions(type="text", file={**file, **changed})


def edit(**changed: Any) -> list[tuple[str, bytes]]:
    known = {"filePath": "/p/a.py", "oldString": "b", "newString": "B", "originalFile": "abc\n", "replaceAll": False}
    return versions(**{**known, "userModified": False, "structuredPatch": [], **changed})


def test_a_full_read_is_the_file_with_or_without_its_last_newline() -> None:
    """Drift compares bytes: a newline invented or lost would call every file changed."""
    assert read("x = 1\n") == [("/p/a.py", b"x = 1\n")]
    assert read("x = 1") == [("/p/a.py", b"x = 1")]


@pytest.mark.parametrize(
    "changed",
    [{"startLine": 2}, {"totalLines": 9}, {"numLines": 1}, {"content": None}, {"filePath": 3}, {"content": "a"}],
)
def test_a_partial_or_odd_read_proves_nothing(changed: dict[str, Any]) -> None:
    """A part taken for the whole would report the rest as deleted."""
    assert read("x\ny\n", **changed) == []


def test_edits_are_made_on_the_recorded_original() -> None:
    """What the agent left is what later drift is measured against."""
    assert edit() == [("/p/a.py", b"aBc\n")]
    assert edit(originalFile="abcb\n", replaceAll=True) == [("/p/a.py", b"aBcB\n")]
    assert edit(originalFile=None, oldString="", newString="new\n") == [("/p/a.py", b"new\n")]
    assert [("/p/a.py", "aé…c\n".encode())] == edit(newString="é…")


@pytest.mark.parametrize(
    "changed",
    [
        {"userModified": True},
        {"originalFile": None},
        {"originalFile": "abcb\n"},
        {"originalFile": "nothing alike"},
        {"originalFile": "nothing alike", "replaceAll": True},
        {"oldString": ""},
        {"newString": 5},
    ],
)
def test_an_edit_that_is_not_certain_proves_nothing(changed: dict[str, Any]) -> None:
    """A guessed content is worse than none: its file would be called changed or unchanged wrongly."""
    assert edit(**changed) == []


def test_several_edits_in_one_call() -> None:
    """MultiEdit records the original once and applies its edits in order."""
    edits = [{"old_string": "a", "new_string": "x"}, {"old_string": "x", "new_string": "y", "replace_all": True}]
    assert versions(filePath="/p/a.py", edits=edits, originalFileContents="a\n", userModified=False) == [
        ("/p/a.py", b"y\n")
    ]


def test_files_that_the_client_reads_again_after_a_compaction() -> None:
    """They come as attachments, and are often the last that a session saw of a file."""
    reader = ClaudeCodeReader()
    found = [v for line in content("2.1.330-compaction.jsonl").splitlines() for v in reader.file_versions(line)]
    assert [b"def add(a, b):\n    return a - b\n", *[b"def add(a, b):\n    return a + b\n"] * 2] == [
        v.content for v in found
    ]
