"""The JSON shape of what recording commands did. Documented in docs/json.md."""

from __future__ import annotations

from typing import Any

from clew.app.project import Outcome
from clew.core.events import Event
from clew.core.view import Known
from clew.interfaces.cli.shapes.dump import dump
from clew.interfaces.cli.shapes.session import item_shape
from clew.interfaces.cli.shapes.task import task_shape


def recorded(outcome: Outcome) -> str:
    """`--json` of every recording command."""
    return dump(
        {
            "changed": outcome.changed,
            "said": outcome.said,
            "next": outcome.then,
            "notes": list(outcome.notes),
            "item": known_shape(outcome.item, outcome.shown) if outcome.item else None,
            "task": task_shape(outcome.task, outcome.shown) if outcome.task else None,
            "events": [_event(event) for event in outcome.events],
            "spooled": outcome.spooled,
            "dry_run": outcome.dry_run,
        }
    )


def known_shape(entry: Known, shown_id: str) -> dict[str, Any]:
    """One item with how it stands."""
    return {**item_shape(entry.item, shown_id), "standing": entry.standing, "because": entry.because}


def _event(event: Event) -> dict[str, Any]:
    return {"id": event.id, "kind": event.kind, "task": event.task, "provenance": event.provenance}
