"""JSON shape of `clew confirm` (docs/json.md)."""

from __future__ import annotations

from clew.app.confirm import Confirmed
from clew.interfaces.cli.shapes.dump import dump


def confirmed(found: Confirmed) -> str:
    """What came of an answer that opened the gate, or found it open."""
    return dump({"said": found.said, "fits": found.fits, "misses": found.misses})
