"""The JSON shape of `clew doctor`. Documented in docs/json.md."""

from __future__ import annotations

from clew.app.doctor import Checked
from clew.app.health.repair import Repair
from clew.interfaces.cli.shapes.dump import dump


def checked(found: Checked) -> str:
    """`clew doctor --json`."""
    return dump(
        {
            "root": str(found.root),
            "wrong": found.wrong,
            "findings": [
                {"check": one.check, "level": one.level, "said": one.said, "mend": one.mend} for one in found.findings
            ],
        }
    )


def repaired(done: Repair) -> str:
    """`clew doctor --repair --json`."""
    return dump(
        {
            "ledger": str(done.path),
            "damage": done.damage,
            "kept": str(done.kept) if done.kept else "",
            "events": done.events,
            "sessions": done.sessions,
            "lost": list(done.lost),
        }
    )
