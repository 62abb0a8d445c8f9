"""Gemini CLI's tools: what a call means.

Arguments are the model's own JSON, so any may be missing or of another type: it is then read as empty. Names and
arguments changed between versions; all of them are understood (docs/clients/gemini.md, "Tools").
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from clew.clients.fields import detail, number, questions, rows, text
from clew.core.records.transcript import Action, Ask, Delegate, Edit, Other, Plan, Read, Run, Search, Todo, Todos

_TODO_STATES: Final = {"in_progress": "in_progress", "completed": "completed", "cancelled": "deleted"}


def action(tool: str, arguments: Any, folder: str = "") -> Action:
    """What a call of `tool` does. Files that it names relative to `folder`, where the session runs, get that before."""
    fields: dict[str, Any] = arguments if isinstance(arguments, dict) else {}
    known = _TOOLS.get(tool)
    if known is None:
        return Other(detail(fields))
    done = known(fields)
    return done._replace(path=placed(done.path, folder)) if isinstance(done, Read | Edit) else done


def placed(path: str, folder: str) -> str:
    """`path`, below `folder` (which may be unknown) if it is relative."""
    is_absolute = path.startswith(("/", "\\", "~")) or path[1:2] == ":"
    return path if is_absolute or not path or not folder else f"{folder.rstrip('/')}/{path.removeprefix('./')}"


def path_of(arguments: Any) -> str:
    """The file that a call names, "" for none."""
    return text(arguments, "file_path", "absolute_path", "path") if isinstance(arguments, dict) else ""


def is_whole_read(tool: str, arguments: Any) -> bool:
    """Whether a call asks for all of a file."""
    done = action(tool, arguments)
    return isinstance(done, Read) and bool(done.path) and not done.first and not done.last


def _run(fields: dict[str, Any]) -> Action:
    return Run(text(fields, "command"), text(fields, "dir_path", "directory"))


def _read(fields: dict[str, Any]) -> Action:
    first, last = number(fields, "start_line"), number(fields, "end_line")
    offset, limit = number(fields, "offset"), number(fields, "limit")  # of older versions; the offset is from 0
    if offset or limit:
        first, last = offset + 1, offset + limit if limit else 0
    return Read(path_of(fields), first, last)


def _replace(fields: dict[str, Any]) -> Action:
    return Edit(path_of(fields), text(fields, "old_string"), text(fields, "new_string"))


def _write(fields: dict[str, Any]) -> Action:
    return Edit(path_of(fields), "", text(fields, "content"))


def _search(fields: dict[str, Any]) -> Action:
    return Search(text(fields, "pattern"), text(fields, "dir_path", "path", "include_pattern", "include"))


def _list_folder(fields: dict[str, Any]) -> Action:
    return Search("*", text(fields, "dir_path", "path"))


def _read_many(fields: dict[str, Any]) -> Action:
    found = fields.get("include") or fields.get("paths")
    patterns = [one for one in found if isinstance(one, str)] if isinstance(found, list) else []
    return Search(", ".join(patterns), "")


def _todos(fields: dict[str, Any]) -> Action:
    entries = (
        Todo("", text(item, "description", "content"), _TODO_STATES.get(text(item, "status"), "pending"))
        for item in rows(fields, "todos")
    )
    return Todos(tuple(entries), whole=True)


def _ask(fields: dict[str, Any]) -> Action:
    return Ask(questions(fields))


def _delegate(fields: dict[str, Any]) -> Action:
    return Delegate(text(fields, "agent_name"), text(fields, "prompt", "objective", "query"))


_TOOLS: Final[dict[str, Callable[[dict[str, Any]], Action]]] = {
    "run_shell_command": _run,
    "read_file": _read,
    "replace": _replace,
    "edit": _replace,
    "write_file": _write,
    "glob": _search,
    "grep_search": _search,
    "search_file_content": _search,
    "grep": _search,
    "list_directory": _list_folder,
    "read_many_files": _read_many,
    "write_todos": _todos,
    "ask_user": _ask,
    "exit_plan_mode": lambda _: Plan(""),  # the plan is in a file: the edit before it holds the text
    "invoke_agent": _delegate,
    "delegate_to_agent": _delegate,
    "codebase_investigator": _delegate,
}
