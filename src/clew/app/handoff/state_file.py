"""`state.json`: where a task stands, for programs. Its fields are documented in docs/reference/handoffs.md; they are
added to, never renamed. A view: the same ledger gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, Final

from clew.core.state.items import Item, Kind, State
from clew.core.state.tasks import Task
from clew.documents.profiles import stage_of

VERSION: Final = 1


def state_json(task: Task | None, state: State, shown: Callable[[str], str]) -> str:
    """The state of a task (None: of what belongs to none) as JSON, indented, ending with a newline."""
    items = state.items
    goal = next((item.text for item in items if item.kind == "goal"), task.title if task else "")
    steps = [item for item in items if item.kind in ("step", "phase")]
    under_way = [item for item in steps if stage_of(item) == "in progress"]
    current = max(under_way, key=lambda item: (item.kind == "step", item.time), default=None)
    upcoming = next((item for item in items if item.kind == "next"), None)

    def told(kinds: Iterable[Kind], *fields: str) -> list[dict[str, Any]]:
        return [_told(item, shown(item.id), fields) for item in items if item.kind in kinds]

    shape: dict[str, Any] = {
        "v": VERSION,
        "task": {"id": task.id, "title": task.title, "type": task.type, "status": task.status} if task else None,
        "session": {"client": state.origin.client, "id": state.origin.session, "ended": state.origin.ended},
        "branch": state.origin.branch,
        "updated": max([state.origin.last_time, *(item.time for item in items)], default=""),
        "goal": goal,
        "current": _told(current, shown(current.id), ("kind",)) if current else None,
        "next": _told(upcoming, shown(upcoming.id), ("files",)) if upcoming else None,
        "steps": [{**_told(one, shown(one.id), ("kind",)), "status": stage_of(one)} for one in steps],
        "checks": told(("validation",), "status"),
        "decisions": told(("decision",), "why", "locked"),
        "constraints": told(("constraint",), "why"),
        "failed": told(("failed",), "why"),
        "deferred": told(("deferral",), "why"),
        "findings": told(("finding", "assumption"), "files"),
        "questions": told(("question",), "owner", "blocking", "answer"),
        "risks": told(("risk", "blocker"), "kind", "owner"),
        "reminders": told(("reminder",)),
        "files": [{"path": one.text, "status": one.status, "note": one.why} for one in items if one.kind == "file"],
    }
    return json.dumps(shape, ensure_ascii=False, indent=1) + "\n"


def _told(item: Item, shown: str, fields: Iterable[str]) -> dict[str, Any]:
    found: dict[str, Any] = {"id": shown, "text": item.text, "by": item.provenance}
    for name in fields:
        value = getattr(item, name)
        found[name] = list(value) if isinstance(value, tuple) else value
    return found
