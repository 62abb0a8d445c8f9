"""The JSON shape of `clew status`. Documented in docs/json.md."""

from __future__ import annotations

from clew.app.status import Status
from clew.interfaces.cli.shapes.checkpoint import checkpoint_shape
from clew.interfaces.cli.shapes.dump import dump
from clew.interfaces.cli.shapes.session import item_shape
from clew.interfaces.cli.shapes.task import task_shape


def status(found: Status) -> str:
    """`clew status --json`."""
    last = found.last
    return dump(
        {
            "root": str(found.root),
            "project": found.project,
            "ledger": str(found.ledger),
            "branch": found.branch,
            "task": task_shape(found.task, found.shown[found.task.id]) if found.task else None,
            "other_tasks": [task_shape(one, found.shown[one.id]) for one in found.others],
            "sessions": found.sessions,
            "waiting": found.waiting,
            "free": found.free,
            "kinds": dict(found.kinds),
            "blocking": [item_shape(one, found.shown[one.id]) for one in found.blocking],
            "pins": found.pins,
            "checkpoint": checkpoint_shape(last, found.shown[last.id]) if last else None,
            "checkpoint_age_s": found.age_s,
            "verdict": {"kind": found.verdict.kind, "reason": found.verdict.reason} if found.verdict else None,
            "spool": found.spool,
            "untrusted": [{"sort": one.sort, "name": one.name, "place": one.place} for one in found.untrusted],
            "next": list(found.then),
            "notes": list(found.notes),
        }
    )
