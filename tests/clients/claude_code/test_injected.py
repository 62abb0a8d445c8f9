"""What the record of a session says of hooks, and of who sat there: by the client's own recordings."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clew.core.records.transcript import Context
from tests.clients.claude_code.recordings import of


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
