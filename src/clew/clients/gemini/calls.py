"""Gemini CLI's tools: what a call means.

Arguments are the model's own JSON, so any may be missing or of another type: it is then read as empty. Names and
arguments changed between versions; all of them are understood (docs/clients/gemini.md, "Tools").
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from clew.core.records import Action, Ask, Delegate, Edit, Other, Plan, Question, Read, Run, Search, Todo, Todos

_DETAIL_CHARS: Final = 200
_TODO_STATES: Final = {"in_progress": "in_progress", "completed": "completed", "cancelled": "deleted"}


def action(tool: str, arguments: Any, folder: str = "") -> Action:
    """What a call of `tool` does. Files that it names relative to `folder`, where the session runs, get that before."""
    fields: dict[str, Any] = arguments if isinstance(arguments, dict) else {}
    known = _TOOLS.get(tool)
    if known is None:
        return Other(_detail(fields))
    done = known(fields)
    return done._replace(path=placed(done.path, folder)) if isinstance(done, Read | Edit) else done


def placed(path: str, folder: str) -> str:
    """`path`, below `folder` (which may be unknown) if it is relative."""
    is_absolute = path.startswith(("/", "\\", "~")) or path[1:2] == ":"
    return path if is_absolute or not path or not folder else f"{folder.rstrip('/')}/{path.removeprefix('./')}"


def path_of(arguments: Any) -> str:
    """The file that a call names, "" for none."""
    return _first(arguments, "file_path", "absolute_path", "path") if isinstance(arguments, dict) else ""


def is_whole_read(tool: str, arguments: Any) -> bool:
    """Whether a call asks for all of a file."""
    done = action(tool, arguments)
    return isinstance(done, Read) and bool(done.path) and not done.first and not done.last


def _first(fields: dict[str, Any], *names: str) -> str:
    return next((value for name in names if isinstance(value := fields.get(name), str) and value), "")


def _number(fields: dict[str, Any], name: str) -> int:
    value = fields.get(name)
    if isinstance(value, float) and value.is_integer():  # models write 5 as 5.0
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 1 << 40 else 0


def _list(fields: dict[str, Any], name: str) -> list[dict[str, Any]]:
    value = fields.get(name)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _run(fields: dict[str, Any]) -> Action:
    return Run(_first(fields, "command"), _first(fields, "dir_path", "directory"))


def _read(fields: dict[str, Any]) -> Action:
    first, last = _number(fields, "start_line"), _number(fields, "end_line")
    offset, limit = _number(fields, "offset"), _number(fields, "limit")  # of older versions; the offset is from 0
    if offset or limit:
        first, last = offset + 1, offset + limit if limit else 0
    return Read(path_of(fields), first, last)


def _replace(fields: dict[str, Any]) -> Action:
    return Edit(path_of(fields), _first(fields, "old_string"), _first(fields, "new_string"))


def _write(fields: dict[str, Any]) -> Action:
    return Edit(path_of(fields), "", _first(fields, "content"))


def _search(fields: dict[str, Any]) -> Action:
    return Search(_first(fields, "pattern"), _first(fields, "dir_path", "path", "include_pattern", "include"))


def _list_folder(fields: dict[str, Any]) -> Action:
    return Search("*", _first(fields, "dir_path", "path"))


def _read_many(fields: dict[str, Any]) -> Action:
    found = fields.get("include") or fields.get("paths")
    patterns = [one for one in found if isinstance(one, str)] if isinstance(found, list) else []
    return Search(", ".join(patterns), "")


def _todos(fields: dict[str, Any]) -> Action:
    entries = (
        Todo("", _first(item, "description", "content"), _TODO_STATES.get(_first(item, "status"), "pending"))
        for item in _list(fields, "todos")
    )
    return Todos(tuple(entries), whole=True)


def _ask(fields: dict[str, Any]) -> Action:
    questions = (
        Question(
            _first(item, "question", "header"),
            tuple(label for label in (_first(option, "label") for option in _list(item, "options")) if label),
        )
        for item in _list(fields, "questions")
    )
    return Ask(tuple(questions))


def _delegate(fields: dict[str, Any]) -> Action:
    return Delegate(_first(fields, "agent_name"), _first(fields, "prompt", "objective", "query"))


def _detail(fields: dict[str, Any]) -> str:
    """The first short strings of the arguments on one line, for people."""
    parts = [" ".join(value[: 2 * _DETAIL_CHARS].split()) for value in fields.values() if isinstance(value, str)]
    return " · ".join(part for part in parts if part)[:_DETAIL_CHARS]


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
