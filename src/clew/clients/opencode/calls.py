"""OpenCode's tools: what a `tool` part means by its input.

Inputs are the model's own JSON, so any field may be missing or of another type: it is then read as empty.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from clew.clients.opencode.wire import number, rows, text
from clew.clients.patches import edits
from clew.core.records import Action, Ask, Delegate, Edit, Other, Plan, Question, Read, Run, Search, Todo, Todos

_DETAIL_CHARS: Final = 200


def actions(tool: str, given: Any) -> tuple[Action, ...]:
    """What a call of `tool` with this input does. Mostly one action; a patch gives one for each of its places."""
    fields: dict[str, Any] = given if isinstance(given, dict) else {}
    known = _TOOLS.get(tool)
    return known(fields) if known is not None else (Other(_detail(fields)),)


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
    return edits(text(fields, "patchText")) or (Other(_detail(fields)),)


def _search(fields: dict[str, Any]) -> tuple[Action, ...]:
    return (Search(text(fields, "pattern"), text(fields, "path") or text(fields, "include")),)


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
    questions = (
        Question(
            text(item, "question") or text(item, "header"),
            tuple(label for label in (text(option, "label") for option in rows(item, "options")) if label),
        )
        for item in rows(fields, "questions")
    )
    return (Ask(tuple(questions)),)


def _delegate(fields: dict[str, Any]) -> tuple[Action, ...]:
    return (Delegate(text(fields, "description"), text(fields, "prompt")),)


def _detail(fields: dict[str, Any]) -> str:
    """The first short strings of an input on one line, for people."""
    parts = [" ".join(value[: 2 * _DETAIL_CHARS].split()) for value in fields.values() if isinstance(value, str)]
    return " · ".join(part for part in parts if part)[:_DETAIL_CHARS]


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
