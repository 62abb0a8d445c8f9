"""JSON shape of `clew trust` (docs/json.md)."""

from __future__ import annotations

from collections.abc import Sequence

from clew.app.trust import Project, Standing
from clew.interfaces.cli.shapes.dump import dump


def trusting(project: Project, found: Sequence[Standing], *, recorded: int = 0, revoked: int = 0) -> str:
    """What came with the project, and whether each content is trusted; what this run changed."""
    return dump(
        {
            "root": str(project.root),
            "things": [
                {
                    "sort": standing.thing.sort,
                    "name": standing.thing.name,
                    "place": standing.thing.place,
                    "text": standing.thing.text,
                    "hidden": standing.thing.hidden,
                    "sha256": standing.thing.sha256,
                    "trusted": standing.trusted,
                    "problem": standing.thing.problem,
                }
                for standing in found
            ],
            "recorded": recorded,
            "revoked": revoked,
        }
    )
