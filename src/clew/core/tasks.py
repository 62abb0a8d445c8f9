"""Tasks: one goal pursued over any number of sessions. Opened, bound to places, closed or dropped, opened again."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from clew.core.fold import Entities, place_entity, values

Status = Literal["open", "closed", "dropped"]
TASK_TYPES: Final = ("feature", "refactor", "debug")


class TaskPlace(NamedTuple):
    """A work tree (its top folder) and branch that a task is bound to; branch "" is any branch there."""

    worktree: str
    branch: str


class Task(NamedTuple):
    """`title` is one line; `type` one of `TASK_TYPES` or "". `outcome`: what came of it, "" while it is open.

    `opened_at` and `changed_at` (last event) are times. `places` are sorted.
    """

    id: str
    title: str
    type: str
    status: Status
    outcome: str
    opened_at: str
    changed_at: str
    places: tuple[TaskPlace, ...]


def tasks(project: Entities) -> tuple[Task, ...]:
    """The tasks in the project's own entities (the fold of task ""), newest change first."""
    places: dict[str, list[TaskPlace]] = {}
    for name, entity in project.items():
        if name.startswith("@"):
            worktree, _, branch = name[1:].partition("\0")
            places.setdefault(str(values(entity).get("task", "")), []).append(TaskPlace(worktree, branch))
    found = []
    for name, entity in project.items():
        fields = values(entity)
        if name.startswith("T-") and "title" in fields:
            said = fields.get("status")
            status: Status = "closed" if said == "closed" else "dropped" if said == "dropped" else "open"
            found.append(
                Task(
                    name,
                    str(fields["title"]),
                    str(fields.get("type", "")),
                    status,
                    str(fields.get("outcome", "")),
                    min(change.said_at for change in entity),
                    max(change.said_at for change in entity),
                    tuple(sorted(places.get(name, []))),
                )
            )
    return tuple(sorted(found, key=lambda task: (task.changed_at, task.id), reverse=True))


def bound(project: Entities, worktree: str, branch: str) -> str:
    """The task that this work tree is bound to: on this branch, else on any. "" if it is to none.

    A binding to a task that is closed or dropped, or was never opened here, counts for nothing.
    """
    for name in (place_entity(worktree, branch), place_entity(worktree, "")):
        entity = project.get(name)
        task = str(values(entity).get("task", "")) if entity else ""
        if task and task in project and values(project[task]).get("status") == "open":
            return task
    return ""


TaskChange = Literal["close", "drop", "reopen", "bind", "rename"]


def unfit(task: Task, change: TaskChange) -> str:
    """Why the task cannot be changed so as it stands, as a clause; "" if it can be."""
    if change == "reopen":
        return "it is open" if task.status == "open" else ""
    if change in ("close", "drop", "bind") and task.status != "open":
        return f"it is {task.status}" + (f" ({task.outcome})" if task.outcome else "")
    return ""
