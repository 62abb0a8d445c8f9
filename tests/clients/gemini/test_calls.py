"""The client's tools, by names and arguments of all its versions."""

from __future__ import annotations

from typing import Any

import pytest

from clew.clients.gemini.rendering import action
from clew.core.records.transcript import (
    Action,
    Ask,
    Delegate,
    Edit,
    Other,
    Plan,
    Question,
    Read,
    Run,
    Search,
    Todo,
    Todos,
)

TODOS = [
    {"description": "a", "status": "completed"},
    {"description": "b", "status": "cancelled"},
    {"content": "c", "status": "blocked"},
    7,
]
KEPT = (Todo("", "a", "completed"), Todo("", "b", "deleted"), Todo("", "c", "pending"))


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("run_shell_command", {"command": "make"}, Run("make")),
        ("read_file", {"file_path": "a.py"}, Read("/w/a.py", 0, 0)),
        ("read_file", {"absolute_path": "/x/a.py", "offset": 10, "limit": 5}, Read("/x/a.py", 11, 15)),
        ("read_file", {"file_path": "/x/a.py", "start_line": 3.0, "end_line": 9}, Read("/x/a.py", 3, 9)),
        ("replace", {"file_path": "./a.py", "old_string": "x", "new_string": "y"}, Edit("/w/a.py", "x", "y")),
        ("write_file", {"file_path": "C:\\a.py", "content": "y"}, Edit("C:\\a.py", "", "y")),
        ("grep_search", {"pattern": "x", "dir_path": "/w"}, Search("x", "/w")),
        ("list_directory", {"path": "/w"}, Search("*", "/w")),
        ("read_many_files", {"include": ["a", "b", 7]}, Search("a, b", "")),
        ("write_todos", {"todos": TODOS}, Todos(KEPT, True)),
        ("ask_user", {"questions": [{"question": "Q", "options": [{"label": "A"}, 7]}]}, Ask((Question("Q", ("A",)),))),
        ("exit_plan_mode", {"plan_filename": "p.md"}, Plan("")),
        ("invoke_agent", {"agent_name": "x", "prompt": "look"}, Delegate("x", "look")),
        ("mcp_notes_get", {"topic": "build", "n": 3}, Other("build")),
    ],
)
def test_each_tool_does_what_it_is_called_for(tool: str, arguments: dict[str, Any], expected: Action) -> None:
    """An edit that is not known as one is work that nobody remembers."""
    assert action(tool, arguments, "/w") == expected
