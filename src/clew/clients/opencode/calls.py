"""OpenCode's tools: what a `tool` part means by its input.

Inputs are the model's own JSON, so any field may be missing or of another type: it is then read as empty.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from clew.clients.fields import detail, number, questions, rows, text
from clew.clients.patches import edits
from clew.core.records.transcript import Action, Ask, Delegate, Edit, Other, Plan, Read, Run, Search, Todo, Todos


def actions(tool: str, given: Any) -> tuple[Action, ...]:
    """What a call of `tool` with this input does. Mostly one action; a patch gives one for each of its places."""
    fields: dict[str, Any] = given if isinstance(given, dict) else {}
    known = _TOOLS.get(tool)
    return known(fields) if known is not None else (Other(detail(fields)),)


def _run(fields: dict[str, Any]) -> tuple[Action, ...]:
    return (Run(text(fields, "command"), text(fields, "workdir")),)


def _read(fields: dict[str, Any]) -> tuple[Action, ...]:
    first, limit = number(fields, "offset"), number(fields, "limit")
    return (Read(text(fields, "filePath"), first, (first or 1) + limit - 1 if limit else 0),)


def _edit(fields: dict[str, Any]) -> tuple[Action, ...]:
    return (Edit(text(fields, "filePath"), text(fields, "oldString"), text(fields, "newString")),)


def _multi_edit(fields: dict[str, Any]) -> tuple[Action, ...]:
    path = text(fields, "filePath")
    edits = (Edit(path, text(one, "oldString"), text(one, "newString")) for one in rows(fields, "edits"))
    return tuple(edits) or (Edit(path, "", ""),)


def _write(fields: dict[str, Any]) -> tuple[Action, ...]:
    return (Edit(text(fields, "filePath"), "", text(fields, "content")),)


def _patch(fields: dict[str, Any]) -> tuple[Action, ...]:
    """Codex's form of a patch, which the client offers to the models that know it."""
    return edits(text(fields, "patchText")) or (Other(detail(fields)),)


def _search(fields: dict[str, Any]) -> tuple[Action, ...]:
    return (Search(text(fields, "pattern"), text(fields, "path", "include")),)


def _list_folder(fields: dict[str, Any]) -> tuple[Action, ...]:
    return (Search("*", text(fields, "path")),)


def _plan(fields: dict[str, Any]) -> tuple[Action, ...]:
    # The plan itself is in a file that the agent has written before.
    return (Plan(text(fields, "plan")),)


def _todo_write(fields: dict[str, Any]) -> tuple[Action, ...]:
    entries = (
        Todo(text(item, "id"), text(item, "content"), _STATUS.get(text(item, "status"), "pending"))
        for item in rows(fields, "todos")
    )
    return (Todos(tuple(entries), whole=True),)


def _ask(fields: dict[str, Any]) -> tuple[Action, ...]:
    return (Ask(questions(fields)),)


def _delegate(fields: dict[str, Any]) -> tuple[Action, ...]:
    return (Delegate(text(fields, "description"), text(fields, "prompt")),)


_STATUS: Final = {"in_progress": "in_progress", "completed": "completed", "cancelled": "deleted"}
_TOOLS: Final[dict[str, Callable[[dict[str, Any]], tuple[Action, ...]]]] = {
    "bash": _run,
    "shell": _run,
    "read": _read,
    "edit": _edit,
    "multiedit": _multi_edit,
    "write": _write,
    "apply_patch": _patch,
    "patch": _patch,
    "grep": _search,
    "glob": _search,
    "list": _list_folder,
    "plan_exit": _plan,
    "todowrite": _todo_write,
    "question": _ask,
    "task": _delegate,
}
