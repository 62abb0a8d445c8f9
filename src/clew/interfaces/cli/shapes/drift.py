"""The JSON shape of `clew drift`. Documented in docs/json.md."""

from __future__ import annotations

from clew.app.drifted import Drifted
from clew.interfaces.cli.shapes.dump import dump
from clew.interfaces.cli.shapes.session import drift_shape


def drift(found: Drifted) -> str:
    """`clew drift --json`."""
    return dump(
        {
            "task": found.task.id if found.task else "",
            "checkpoint": found.checkpoint.id if found.checkpoint else "",
            "session": found.session,
            "verdict": {"kind": found.verdict.kind, "reason": found.verdict.reason},
            "drift": drift_shape(found.drift),
            "notes": list(found.notes),
        }
    )
