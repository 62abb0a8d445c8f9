"""Gemini CLI's tools: what a call means.

Arguments are the model's own JSON, so any may be missing or of another type: it is then read as empty. Names and
arguments changed between versions; all of them are understood (docs/clients/gemini.md, "Tools").
"""

from __future__ import annotations

from typing import Any, Final

from clew.clients.fields import number, text
from clew.clients.tools import Meaning, actions_of, ask, delegate, plan, run, search, todos
from clew.core.records.transcript import Action, Edit, Read, Search

_PATHS: Final = ("file_path", "absolute_path", "path")
_TODO_STATES: Final = {"in_progress": "in_progress", "completed": "completed", "cancelled": "deleted"}


def action(tool: str, arguments: Any, folder: str = "") -> Action:
    """What a call of `tool` does. Files that it names relative to `folder`, where the session runs, get that before."""
    (done,) = actions_of(_TOOLS, tool, arguments)
    return done._replace(path=placed(done.path, folder)) if isinstance(done, Read | Edit) else done


def placed(path: str, folder: str) -> str:
    """`path`, below `folder` (which may be unknown) if it is relative."""
    is_absolute = path.startswith(("/", "\\", "~")) or path[1:2] == ":"
    return path if is_absolute or not path or not folder else f"{folder.rstrip('/')}/{path.removeprefix('./')}"


def path_of(arguments: Any) -> str:
    """The file that a call names, "" for none."""
    return text(arguments, *_PATHS) if isinstance(arguments, dict) else ""


def is_whole_read(tool: str, arguments: Any) -> bool:
    """Whether a call asks for all of a file."""
    done = action(tool, arguments)
    return isinstance(done, Read) and bool(done.path) and not done.first and not done.last


def _read(fields: dict[str, Any]) -> tuple[Action, ...]:
    first, last = number(fields, "start_line"), number(fields, "end_line")
    offset, limit = number(fields, "offset"), number(fields, "limit")  # of older versions; the offset is from 0
    if offset or limit:
        first, last = offset + 1, offset + limit if limit else 0
    return (Read(path_of(fields), first, last),)


def _edit(old: str, new: str) -> Meaning:
    return lambda fields: (Edit(path_of(fields), text(fields, old), text(fields, new)),)


def _read_many(fields: dict[str, Any]) -> tuple[Action, ...]:
    found = fields.get("include") or fields.get("paths")
    patterns = [one for one in found if isinstance(one, str)] if isinstance(found, list) else []
    return (Search(", ".join(patterns), ""),)


_SEARCH: Final = search("pattern", "dir_path", "path", "include_pattern", "include")
_TOOLS: Final[dict[str, Meaning]] = {
    "run_shell_command": run("command", "dir_path", "directory"),
    "read_file": _read,
    **dict.fromkeys(("replace", "edit"), _edit("old_string", "new_string")),
    "write_file": _edit("", "content"),
    **dict.fromkeys(("glob", "grep_search", "search_file_content", "grep"), _SEARCH),
    "list_directory": search("", "dir_path", "path"),
    "read_many_files": _read_many,
    "write_todos": todos("todos", "description", "content", states=_TODO_STATES),
    "ask_user": ask,
    "exit_plan_mode": plan(""),  # it is in a file: the edit before it holds the text
    **dict.fromkeys(
        ("invoke_agent", "delegate_to_agent", "codebase_investigator"),
        delegate("agent_name", prompt=("prompt", "objective", "query")),
    ),
}
