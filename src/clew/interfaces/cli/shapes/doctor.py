"""The JSON shape of `clew doctor`. Documented in docs/json.md."""

from __future__ import annotations

from clew.app.doctor import Checked
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
