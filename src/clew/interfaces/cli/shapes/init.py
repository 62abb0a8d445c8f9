"""The JSON shape of `clew init`. Documented in docs/json.md."""

from __future__ import annotations

from clew.app.init import Initialised
from clew.interfaces.cli.shapes.dump import dump


def initialised(done: Initialised) -> str:
    """`clew init --json`."""
    return dump(
        {
            "dry_run": done.dry_run,
            "root": str(done.plan.spot.root),
            "project": done.project,
            "ledger": str(done.plan.spot.ledger),
            "joined": done.plan.joins,
            "alias": done.plan.alias,
            "made": [str(path) for path in done.made],
            "sessions": done.sessions,
            "checkpoint": done.checkpoint.name if done.checkpoint else "",
            "notes": list(done.notes),
        }
    )
