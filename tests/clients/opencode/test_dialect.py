"""How our plugin in OpenCode speaks with hooks."""

from __future__ import annotations

from typing import Any

import pytest

from clew.clients.hook_events import parse
from clew.clients.opencode import dialect

SESSION = "ses_e0020ff8effeaUmULeNsGkiqlx"


def heard(name: str, **fields: Any) -> dict[str, Any]:
    """An event of the plugin in the canonical form."""
    event = {"session_id": SESSION, "transcript_path": f"/home/dev/opencode.db/{SESSION}", "cwd": "/repo", **fields}
    event["hook_event_name"] = dialect.heard(name, event, lambda path, size: b"", lambda data: {})
    return event


@pytest.mark.parametrize(
    ("tool", "given", "canonical", "wanted"),
    [
        ("bash", {"command": "ls", "description": "x"}, "Bash", {"command": "ls", "description": "x"}),
        (
            "edit",
            {"filePath": "/repo/a.py", "oldString": "a", "newString": "b"},
            "Edit",
            {"file_path": "/repo/a.py", "old_string": "a", "new_string": "b"},
        ),
        ("write", {"filePath": "a.py", "content": "b"}, "Write", {"file_path": "/repo/a.py", "content": "b"}),
        ("read", {"filePath": "/repo/a.py", "limit": 3}, "Read", {"file_path": "/repo/a.py", "limit": 3}),
        ("apply_patch", {"patchText": "*** Begin Patch"}, "apply_patch", {"command": "*** Begin Patch"}),
        ("clew_record", {"filePath": 7}, "clew_record", {"file_path": 7}),
    ],
)
def test_its_tools_are_known(tool: str, given: dict[str, Any], canonical: str, wanted: dict[str, Any]) -> None:
    """A tool that the gate does not know keeps its name: while a plan is open only those that read pass."""
    event = heard("PreToolUse", tool_name=tool, tool_input=given)
    assert (canonical, wanted) == (event["tool_name"], event["tool_input"])


def test_a_command_runs_where_the_client_says() -> None:
    """What it writes is told from there."""
    assert "/repo/src" == heard("PreToolUse", tool_name="bash", tool_input={"workdir": "src"})["cwd"]
    assert "/tmp/x" == heard("PreToolUse", tool_name="bash", tool_input={"workdir": "/tmp/x"})["cwd"]


def test_the_plugin_says_who_is_there() -> None:
    """In doubt nobody is: a headless run is given nothing."""
    environment = {"CLEW_PLACE": "/repo"}
    assert not parse("opencode", heard("SessionStart", source="startup"), environment).attended
    event = parse("opencode", heard("SessionStart", source="fork", attended=True, pid=4711), environment)
    assert (True, 4711, "fork", "/repo") == (event.attended, event.pid, event.source, event.folder)
