"""Claude Code's tools: what a `tool_use` block means.

Inputs are the model's own JSON, so any field may be missing or of another type: it is then read as empty.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from clew.core.records import (
    Action,
    Ask,
    Delegate,
    Edit,
    Other,
    Plan,
    Poll,
    Question,
    Read,
    Run,
    Search,
    Todo,
    Todos,
)

_DETAIL_CHARS: Final = 200


def actions(tool: str, given: Any) -> tuple[Action, ...]:
    """What a call of `tool` with this input does. Mostly one action; `MultiEdit` gives one for each of its edits."""
    fields: dict[str, Any] = given if isinstance(given, dict) else {}
    known = _TOOLS.get(tool)
    return known(fields) if known is not None else (Other(_detail(fields)),)


def _text(fields: dict[str, Any], name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def _number(fields: dict[str, Any], name: str) -> int:
    value = fields.get(name)
    if isinstance(value, str) and len(value) < 10 and value.isdecimal():  # models send numbers as strings at times
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 1 << 40 else 0


def _list(fields: dict[str, Any], name: str) -> list[dict[str, Any]]:
    value = fields.get(name)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _run(fields: dict[str, Any]) -> tuple[Action, ...]:
    return (Run(_text(fields, "command")),)


def _read(fields: dict[str, Any]) -> tuple[Action, ...]:
    first, limit = _number(fields, "offset"), _number(fields, "limit")
    last = (first or 1) + limit - 1 if limit else 0
    return (Read(_text(fields, "file_path") or _text(fields, "notebook_path"), first, last),)


def _edit(fields: dict[str, Any]) -> tuple[Action, ...]:
    return (Edit(_text(fields, "file_path"), _text(fields, "old_string"), _text(fields, "new_string")),)


def _multi_edit(fields: dict[str, Any]) -> tuple[Action, ...]:
    path = _text(fields, "file_path")
    edits = _list(fields, "edits")
    return tuple(Edit(path, _text(e, "old_string"), _text(e, "new_string")) for e in edits) or (Edit(path, "", ""),)


def _write(fields: dict[str, Any]) -> tuple[Action, ...]:
    return (Edit(_text(fields, "file_path"), "", _text(fields, "content")),)


def _notebook_edit(fields: dict[str, Any]) -> tuple[Action, ...]:
    return (Edit(_text(fields, "notebook_path"), "", _text(fields, "new_source")),)


def _search(fields: dict[str, Any]) -> tuple[Action, ...]:
    return (Search(_text(fields, "pattern"), _text(fields, "path") or _text(fields, "glob")),)


def _list_folder(fields: dict[str, Any]) -> tuple[Action, ...]:
    return (Search("*", _text(fields, "path")),)


def _plan(fields: dict[str, Any]) -> tuple[Action, ...]:
    # Some versions keep the plan in a file of their own (`planFilePath`) only: then the Edit before it holds the text.
    return (Plan(_text(fields, "plan")),)


def _todo_write(fields: dict[str, Any]) -> tuple[Action, ...]:
    entries = (
        Todo(_text(item, "id"), _text(item, "content"), _text(item, "status") or "pending")
        for item in _list(fields, "todos")
    )
    return (Todos(tuple(entries), whole=True),)


def _task_create(fields: dict[str, Any]) -> tuple[Action, ...]:
    return (Todos((Todo("", _text(fields, "subject") or _text(fields, "description"), "pending"),), whole=False),)


def _task_update(fields: dict[str, Any]) -> tuple[Action, ...]:
    number = fields.get("taskId")
    task, subject, status = str(number) if isinstance(number, str | int) else "", _text(fields, "subject"), ""
    status = _text(fields, "status")
    if not task or not (subject or status):
        return (Other(_detail(fields)),)
    return (Todos((Todo(task, subject, status),), whole=False),)


def _ask(fields: dict[str, Any]) -> tuple[Action, ...]:
    questions = (
        Question(
            _text(item, "question") or _text(item, "header"),
            tuple(label for label in (_text(option, "label") for option in _list(item, "options")) if label),
        )
        for item in _list(fields, "questions")
    )
    return (Ask(tuple(questions)),)


def _delegate(fields: dict[str, Any]) -> tuple[Action, ...]:
    return (Delegate(_text(fields, "description"), _text(fields, "prompt")),)


def _poll(fields: dict[str, Any]) -> tuple[Action, ...]:
    task = _text(fields, "task_id") or _text(fields, "bash_id") or _text(fields, "shell_id")
    return (Poll(task) if task else Other(_detail(fields)),)


def _detail(fields: dict[str, Any]) -> str:
    """The first short strings of an input on one line, for people."""
    parts = [" ".join(value[: 2 * _DETAIL_CHARS].split()) for value in fields.values() if isinstance(value, str)]
    return " · ".join(part for part in parts if part)[:_DETAIL_CHARS]


_TOOLS: Final[dict[str, Callable[[dict[str, Any]], tuple[Action, ...]]]] = {
    "Bash": _run,
    "PowerShell": _run,
    "Read": _read,
    "NotebookRead": _read,
    "Edit": _edit,
    "MultiEdit": _multi_edit,
    "Write": _write,
    "NotebookEdit": _notebook_edit,
    "Grep": _search,
    "Glob": _search,
    "LS": _list_folder,
    "ExitPlanMode": _plan,
    "exit_plan_mode": _plan,
    "TodoWrite": _todo_write,
    "TaskCreate": _task_create,
    "TaskUpdate": _task_update,
    "AskUserQuestion": _ask,
    "Task": _delegate,
    "Agent": _delegate,
    "BashOutput": _poll,
    "TaskOutput": _poll,
    "KillShell": _poll,
    "KillBash": _poll,
    "TaskStop": _poll,
}
