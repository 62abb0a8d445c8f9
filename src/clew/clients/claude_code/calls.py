"""Claude Code's tools: what a `tool_use` block means."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from clew.clients.fields import detail, text
from clew.clients.tools import Meaning, actions_of, ask, delegate, edit, edits, plan, read, run, search, todos
from clew.core.records.transcript import Action, Other, Poll, Todo, Todos


def _task_create(fields: dict[str, Any]) -> tuple[Action, ...]:
    return (Todos((Todo("", text(fields, "subject", "description"), "pending"),), whole=False),)


def _task_update(fields: dict[str, Any]) -> tuple[Action, ...]:
    number = fields.get("taskId")
    task, subject, status = str(number) if isinstance(number, str | int) else "", text(fields, "subject"), ""
    status = text(fields, "status")
    if not task or not (subject or status):
        return (Other(detail(fields)),)
    return (Todos((Todo(task, subject, status),), whole=False),)


def _poll(fields: dict[str, Any]) -> tuple[Action, ...]:
    task = text(fields, "task_id", "bash_id", "shell_id")
    return (Poll(task) if task else Other(detail(fields)),)


_TOOLS: Final[dict[str, Meaning]] = {
    **dict.fromkeys(("Bash", "PowerShell"), run("command")),
    **dict.fromkeys(("Read", "NotebookRead"), read("file_path", "notebook_path")),
    "Edit": edit("file_path", "old_string", "new_string"),
    "MultiEdit": edits("file_path", "old_string", "new_string"),
    "Write": edit("file_path", "", "content"),
    "NotebookEdit": edit("notebook_path", "", "new_source"),
    **dict.fromkeys(("Grep", "Glob"), search("pattern", "path", "glob")),
    "LS": search("", "path"),
    **dict.fromkeys(("ExitPlanMode", "exit_plan_mode"), plan("plan")),
    "TodoWrite": todos("todos", "content"),
    "TaskCreate": _task_create,
    "TaskUpdate": _task_update,
    "AskUserQuestion": ask,
    **dict.fromkeys(("Task", "Agent"), delegate("description")),
    **dict.fromkeys(("BashOutput", "TaskOutput", "KillShell", "KillBash", "TaskStop"), _poll),
}
# What a call of a tool with this input does. Mostly one action; `MultiEdit` gives one for each of its edits.
actions = partial(actions_of, _TOOLS)
