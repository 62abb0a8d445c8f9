"""The JSON shape of `clew sessions`. Documented in docs/json.md."""

from __future__ import annotations

from clew.app.sessions import Listing
from clew.interfaces.cli.shapes.dump import dump


def listing(found: Listing) -> str:
    """`clew sessions --json`."""
    return dump(
        {
            "sessions": [
                {
                    "client": one.client,
                    "session": one.session,
                    "goal": one.goal,
                    "first_time": one.first_time,
                    "last_time": one.last_time,
                    "place": one.place,
                    "branch": one.branch,
                    "task": one.task,
                    "stands": one.stands,
                    "grew": one.grew,
                    "record": str(one.record) if one.record is not None else None,
                }
                for one in found.sessions
            ],
            "more": found.more,
            "ledger": found.kept,
        }
    )
