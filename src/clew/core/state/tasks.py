"""Tasks: one goal pursued over any number of sessions. Opened, bound to places, closed or dropped, opened again."""

from typing import Final, Literal, NamedTuple

from clew.core.state.fold import BINDING, Entities, Entity, place_entity, values

Status = Literal["open", "closed", "dropped"]
TASK_TYPES: Final = ("feature", "refactor", "debug")


class TaskPlace(NamedTuple):
    """A work tree (its top folder) and branch that a task is bound to; branch "" is any branch there."""

    worktree: str
    branch: str


class Task(NamedTuple):
    """`title` is one line; `type` one of `TASK_TYPES` or "". `outcome`: what came of it, "" while it is open.

    `opened_at` and `changed_at` (last event) are times. `places` are sorted. `thread`: nobody had to open it, the
    sessions of a work tree and branch made it (docs/guide/05-tasks.md). `stack` is the name of the stack that stands
    before its payload, "" none.
    """

    id: str
    title: str
    type: str
    status: Status
    outcome: str
    opened_at: str
    changed_at: str
    places: tuple[TaskPlace, ...]
    thread: bool = False
    stack: str = ""


def tasks(project: Entities) -> tuple[Task, ...]:
    """The tasks in the project's own entities (the fold of task ""), newest change first."""
    there: dict[str, list[TaskPlace]] = {}
    for name, entity in project.items():
        if name.startswith("@"):
            worktree, _, branch = name[1:].partition("\0")
            there.setdefault(_task_at(entity), []).append(TaskPlace(worktree, branch))
    found = []
    for name, entity in project.items():
        fields = values(entity)
        if name.startswith("T-") and "title" in fields:
            status = _status(project, name)
            found.append(
                Task(
                    name,
                    str(fields["title"]),
                    str(fields.get("type", "")),
                    status,
                    "" if status == "open" else str(fields.get("outcome", "")),
                    min(change.said_at for change in entity),
                    max(change.said_at for change in entity),
                    tuple(sorted(there.get(name, []))),
                    fields.get("thread") is True,
                    str(fields.get("stack", "")),
                )
            )
    return tuple(sorted(found, key=lambda task: (task.changed_at, task.id), reverse=True))


def bound(project: Entities, worktree: str, branch: str) -> str:
    """The task that this work tree is bound to: on this branch, else on any. "" if it is to none.

    A binding to a task that is closed or dropped, or was never opened here, counts for nothing. What nobody said (a
    thread's) is about that very branch, or no branch, and comes last.
    """
    return binding(project, TaskPlace(worktree, branch))[0]


def binding(project: Entities, place: TaskPlace) -> tuple[str, str]:
    """What `bound` says of a place, and since when it is bound so."""
    exact = project.get(place_entity(*place), ())
    whichever = project.get(place_entity(place.worktree, ""), ())
    said = [one for one in (exact, whichever) if all(c.provenance != "inferred" for c in one if BINDING in c.fields)]
    for entity in (*said, exact):
        task = _task_at(entity)
        if is_open(project, task):
            return task, max(change.said_at for change in entity)
    return "", ""


def places(project: Entities) -> list[str]:
    """The work trees that were ever bound to something, sorted."""
    return sorted({name[1:].partition("\0")[0] for name in project if name.startswith("@")})


def bound_since(project: Entities, place: TaskPlace) -> str:
    """When it was last said what a place is bound to, be it nothing; "" if nobody ever did."""
    found = (place_entity(place.worktree, branch) for branch in dict.fromkeys((place.branch, "")))
    return max((change.said_at for name in found for change in project.get(name, ())), default="")


def follows_goal(project: Entities, task: Task) -> bool:
    """Whether a thread is still called what its sessions are about: nobody named it."""
    named = (change for change in project.get(task.id, ()) if "title" in change.fields)
    return task.thread and all(change.provenance == "inferred" for change in named)


def ended_by_itself(project: Entities, task: Task) -> str:
    """When a thread ended by itself, "" if it did not: it is open, or somebody ended it."""
    by = next((change for change in project.get(task.id, ()) if "status" in change.fields), None)
    is_so = task.thread and task.status != "open" and by is not None and by.provenance == "inferred"
    return by.said_at if is_so and by is not None else ""


def is_open(project: Entities, task: str) -> bool:
    """Whether a task was opened here, and is not over."""
    return bool(task) and "status" in values(project.get(task, ())) and _status(project, task) == "open"


def ended_by_person(project: Entities, task: str) -> bool:
    """Whether a person ended the task, and with it what was said in it. What others end says nothing of that."""
    by = next((change for change in project.get(task, ()) if "status" in change.fields), None)
    return by is not None and by.fields["status"] != "open" and by.provenance == "human"


def is_bound_by_person(project: Entities, task: str) -> bool:
    """Whether a person bound a work tree to the task, and it still is."""
    return any(
        name.startswith("@") and any(one.provenance == "human" and one.fields.get(BINDING) == task for one in entity)
        for name, entity in project.items()
    )


def _task_at(place: Entity) -> str:
    return str(values(place).get(BINDING, ""))


def _status(project: Entities, task: str) -> Status:
    """How a task stands. While a person has a work tree bound to it, only a person's word ends it."""
    by = next((one for one in project[task] if "status" in one.fields), None)
    said = by.fields["status"] if by else "open"
    if by is None or said == "open" or (by.provenance != "human" and is_bound_by_person(project, task)):
        return "open"
    return "dropped" if said == "dropped" else "closed"


TaskChange = Literal["close", "drop", "reopen", "bind", "rename"]


def unfit(task: Task, change: TaskChange) -> str:
    """Why the task cannot be changed so as it stands, as a clause; "" if it can be."""
    if change == "reopen":
        return "it is open" if task.status == "open" else ""
    if change in ("close", "drop", "bind") and task.status != "open":
        return f"it is {task.status}" + (f" ({task.outcome})" if task.outcome else "")
    return ""
