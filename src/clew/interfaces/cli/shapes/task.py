"""The JSON shapes of tasks. Documented in docs/json.md."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from clew.app.task import FreeSession, Listing, TaskShown
from clew.core.items import Origin
from clew.core.tasks import Task
from clew.interfaces.cli.shapes.dump import dump


def task_list(found: Listing) -> str:
    """`clew task list --json`."""
    rows = zip(found.tasks, found.ids, strict=True)
    return dump(
        {
            "tasks": [{**task_shape(task, shown), "bound": task.id == found.bound} for task, shown in rows],
            "hidden": found.hidden,
        }
    )


def task_shown(found: TaskShown) -> str:
    """`clew task show --json`."""
    sessions = [_origin(one) for one in found.sessions]
    shape = {**task_shape(found.task, found.shown), "bound": found.is_bound}
    return dump({"task": shape, "counts": dict(found.counts), "sessions": sessions})


def free_sessions(found: Iterable[FreeSession]) -> str:
    """`clew task adopt --json` without a session."""
    return dump({"sessions": [{**_origin(one.origin), "about": one.about} for one in found]})


def _origin(one: Origin) -> dict[str, Any]:
    return {
        "client": one.client,
        "session": one.session,
        "branch": one.branch,
        "first_time": one.first_time,
        "last_time": one.last_time,
        "ended": one.ended,
    }


def task_shape(task: Task, shown_id: str) -> dict[str, Any]:
    """One task: the same wherever one is shown."""
    return {
        "id": task.id,
        "short_id": shown_id,
        "title": task.title,
        "type": task.type,
        "status": task.status,
        "outcome": task.outcome,
        "opened_at": task.opened_at,
        "changed_at": task.changed_at,
        "thread": task.thread,
        "places": [place._asdict() for place in task.places],
    }
