"""The JSON shape of `clew uninstall`, and of the changes that it and `clew init` make. Documented in docs/json.md."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from clew.app.install import Change
from clew.app.uninstall import Uninstallation
from clew.interfaces.cli.shapes.dump import dump


def uninstalled(done: Uninstallation) -> str:
    """`clew uninstall --json`."""
    return dump(
        {
            "dry_run": done.dry_run,
            "changes": changes(done.changes),
            "places": [str(path) for path in done.lives],
            "stay": list(done.stay),
            "failed": list(done.failed),
        }
    )


def changes(found: Iterable[Change]) -> list[dict[str, Any]]:
    """Each changed file with what happens to it."""
    return [
        {
            "path": str(change.path),
            "change": "made" if change.before is None else "removed" if change.after is None else "changed",
        }
        for change in found
    ]
