"""The JSON shape of `clew init`. Documented in docs/json.md."""

from __future__ import annotations

from clew.app.setup import SetUp
from clew.interfaces.cli.adopting import Asked
from clew.interfaces.cli.shapes.adopt import adopt_shape
from clew.interfaces.cli.shapes.dump import dump
from clew.interfaces.cli.shapes.uninstall import changes


def set_up_shape(done: SetUp, asked: Asked | None = None) -> str:
    """`clew init --json`; with `--adopt` also what was found (`asked`)."""
    project = done.project
    opened = asked.adopted.opened if asked and asked.adopted else None
    adopted = (
        {"adopt": adopt_shape(*asked), "opened": opened.task.id if opened and opened.task else ""} if asked else {}
    )
    return dump(
        {
            "dry_run": project.dry_run,
            "root": str(project.plan.location.root),
            "project": project.project,
            "ledger": str(project.plan.location.ledger),
            "joined": project.plan.joins,
            "alias": project.plan.alias,
            "made": [str(path) for path in project.made],
            "clients": list(done.clients),
            "changes": [change for one in done.installed for change in changes(one.changes)],
            "opted_in": done.live is not None,
            "sessions": project.sessions,
            "checkpoint": project.checkpoint.name if project.checkpoint else "",
            "notes": list(done.notes),
            **adopted,
        }
    )
