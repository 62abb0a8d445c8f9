"""Claude Code's tools: what a `tool_use` block means.

Inputs are the model's own JSON, so any field may be missing or of another type: it is then read as empty.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from clew.clients.fields import detail, number, questions, rows, text
from clew.core.records.transcript import (
    Action,
    Ask,
    Delegate,
    Edit,
    Other,
    Plan,
    Poll,
    Read,
    Run,
    Search,
    Todo,
    Todos,
)


def actions(tool: str, given: Any) -> tuple[Action, ...]:
    """What a call of `tool` with this input does. Mostly one action; `MultiEdit` gives one for each of its edits."""
    fields: dict[str, Any] = given if isinstance(given, dict) else {}
    known = _TOOLS.get(tool)
    return known(fields) if known is not None else (Other(detail(fields)),)


def _run(fields: dict[str, Any]) -> tuple[Action, ...]:
    return (Run(text(fields, "command")),)


def _read(fields: dict[str, Any]) -> tuple[Action, ...]:
    first, limit = number(fields, "offset"), number(fields, "limit")
    last = (first or 1) + limit - 1 if limit else 0
    return (Read(text(fields, "file_path", "notebook_path"), first, last),)


def _edit(fields: dict[str, Any]) -> tuple[Action, ...]:
    return (Edit(text(fields, "file_path"), text(fields, "old_string"), text(fields, "new_string")),)


def _multi_edit(fields: dict[str, Any]) -> tuple[Action, ...]:
    path = text(fields, "file_path")
    edits = rows(fields, "edits")
    return tuple(Edit(path, text(e, "old_string"), text(e, "new_string")) for e in edits) or (Edit(path, "", ""),)


def _write(fields: dict[str, Any]) -> tuple[Action, ...]:
    return (Edit(text(fields, "file_path"), "", text(fields, "content")),)


def _notebook_edit(fields: dict[str, Any]) -> tuple[Action, ...]:
    return (Edit(text(fields, "notebook_path"), "", text(fields, "new_source")),)


def _search(fields: dict[str, Any]) -> tuple[Action, ...]:
    return (Search(text(fields, "pattern"), text(fields, "path", "glob")),)


def _list_folder(fields: dict[str, Any]) -> tuple[Action, ...]:
    return (Search("*", text(fields, "path")),)


def _plan(fields: dict[str, Any]) -> tuple[Action, ...]:
    # Some versions keep the plan in a file of their own (`planFilePath`) only: then the Edit before it holds the text.
    return (Plan(text(fields, "plan")),)


def _todo_write(fields: dict[str, Any]) -> tuple[Action, ...]:
    entries = (
        Todo(text(item, "id"), text(item, "content"), text(item, "status") or "pending")
        for item in rows(fields, "todos")
    )
    return (Todos(tuple(entries), whole=True),)


def _task_create(fields: dict[str, Any]) -> tuple[Action, ...]:
    return (Todos((Todo("", text(fields, "subject", "description"), "pending"),), whole=False),)


def _task_update(fields: dict[str, Any]) -> tuple[Action, ...]:
    number = fields.get("taskId")
    task, subject, status = str(number) if isinstance(number, str | int) else "", text(fields, "subject"), ""
    status = text(fields, "status")
    if not task or not (subject or status):
        return (Other(detail(fields)),)
    return (Todos((Todo(task, subject, status),), whole=False),)


def _ask(fields: dict[str, Any]) -> tuple[Action, ...]:
    return (Ask(questions(fields)),)


def _delegate(fields: dict[str, Any]) -> tuple[Action, ...]:
    return (Delegate(text(fields, "description"), text(fields, "prompt")),)


def _poll(fields: dict[str, Any]) -> tuple[Action, ...]:
    task = text(fields, "task_id", "bash_id") or text(fields, "shell_id")
    return (Poll(task) if task else Other(detail(fields)),)


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
