"""What the record of a session says of hooks, and of who sat there: by the client's own recordings."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clew.clients.claude_code.reader import ClaudeCodeReader
from clew.core.records.transcript import Context
from tests.clients.claude_code.recordings import FOLDER, of

READER = ClaudeCodeReader()
RECORDING = (FOLDER / "2.1.330-compaction.jsonl").read_bytes()


def test_texts_that_hooks_put_before_the_model_are_found() -> None:
    """By them receipts are decided; what a hook only printed is none."""
    lines = RECORDING.split(b"\n")
    found = [text for line in lines for text in READER.injected(line)]
    attachments = [json.loads(line).get("attachment") or {} for line in lines if line.strip()]
    wanted = [text for one in attachments if one.get("type") == "hook_additional_context" for text in one["content"]]
    assert wanted == found and wanted
    assert any(one.get("type") == "hook_success" and one.get("stdout") for one in attachments)


def test_odd_lines_hold_nothing() -> None:
    """Other versions may write it otherwise."""
    for content in ("text", None, [1, {"a": 2}], {}):
        line = json.dumps({"attachment": {"type": "hook_additional_context", "content": content}}).encode()
        assert not list(READER.injected(line))
    for line in (b"", b"{", b"[]", b"null", b'{"attachment": 7}', b"\xff" * 9):
        assert not list(READER.injected(line))


def test_a_headless_session_is_known_by_its_beginning() -> None:
    """A script's session is not what a person goes on with."""
    assert not READER.attended(RECORDING[: 64 << 10])
    for other, attended in ((b'{"entrypoint":"cli"}\n', True), (b'{"entrypoint":"sdk-ts"}\n', False), (b"{}\n", True)):
        assert attended == READER.attended(b"not json\n" + other)
    assert READER.attended(b"")


@pytest.mark.parametrize(
    ("fields", "attended"),
    [
        ({}, True),  # older clients do not say
        ({"entrypoint": "cli", "promptSource": "typed"}, True),
        ({"entrypoint": "claude-vscode"}, True),
        ({"entrypoint": "sdk-cli", "promptSource": "sdk"}, False),
        ({"entrypoint": "sdk-py"}, False),
        ({"entrypoint": "cli", "promptSource": "sdk"}, False),
        ({"entrypoint": 7, "promptSource": ["sdk"]}, True),
    ],
)
def test_each_prompt_and_answer_tells_whether_a_program_gave_it(fields: dict[str, Any], attended: bool) -> None:
    """A session can begin headless and be gone on with by a person; what a program says is not the user's word."""
    line = {"type": "user", "sessionId": "5e-1", "message": {"role": "user", "content": "Never push"}, **fields}
    assert [attended] == [one.attended for one in of(Context, json.dumps(line) + "\n")]
