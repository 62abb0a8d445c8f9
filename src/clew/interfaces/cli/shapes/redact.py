"""The JSON shape of `clew redact`. Documented in docs/json.md."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clew.app.purge import Left, Purged
from clew.interfaces.cli.shapes.dump import dump


def redaction(done: Purged) -> str:
    """`clew redact --json`."""
    return dump(
        {
            "dry_run": done.dry_run,
            "id": done.id,
            "short_id": done.shown,
            "changed": done.changed,
            "dropped": [str(path) for path in done.dropped],
            "before": _files(done.before),
            "left": _files(done.left),
        }
    )


def _files(found: Sequence[Left]) -> list[dict[str, Any]]:
    return [{"path": str(one.path), "role": one.role} for one in found]
