"""The JSON shapes of the log. Documented in docs/json.md."""

from __future__ import annotations

from typing import Any

from clew.app.log import History, Line, Then
from clew.interfaces.cli.shapes.dump import dump
from clew.interfaces.cli.shapes.session import item_shape


def history(found: History) -> str:
    """`clew log --json`."""
    return dump({"events": [line_shape(line) for line in found.lines], "more": found.more, "task": found.task})


def then(found: Then) -> str:
    """`clew log --at --json`."""
    return dump(
        {
            "checkpoint": found.checkpoint,
            "name": found.name,
            "time": found.time,
            "task": found.task,
            "items": [item_shape(item, shown) for item, shown in zip(found.items, found.ids, strict=True)],
        }
    )


def line_shape(line: Line) -> dict[str, Any]:
    """One event: the same wherever one is told."""
    event = line.event
    return {
        "position": line.seq,
        "id": event.id,
        "kind": event.kind,
        "v": event.v,
        "subject": line.subject,
        "short_id": line.shown,
        "words": line.words,
        "actor": event.actor,
        "provenance": event.provenance,
        "session": event.session,
        "task": event.task,
        "worktree": event.worktree,
        "said_at": event.said_at,
        "recorded_at": event.recorded_at,
        "data": {name: list(value) if isinstance(value, list) else value for name, value in event.data.items()},
    }
