"""The JSON shapes of `clew export` and `clew import`. Documented in docs/json.md."""

from __future__ import annotations

from clew.app.bundle import Exported
from clew.interfaces.cli.shapes.dump import dump
from clew.ledger.bundle import Imported


def exported(done: Exported, *, dry_run: bool) -> str:
    """`clew export FILE --json`."""
    return dump(
        {
            "dry_run": dry_run,
            "file": str(done.file) if done.file else "",
            "project": done.project,
            "events": done.events,
            "extracts": done.extracts,
            "bytes": done.bytes,
            "allowed": [secret._asdict() for secret in done.allowed],
        }
    )


def imported(done: Imported, *, dry_run: bool) -> str:
    """`clew import FILE --json`."""
    return dump(
        {
            "dry_run": dry_run,
            "project": done.project,
            "events": done.events,
            "known": done.known,
            "extracts": done.extracts,
            "left_out": done.left_out,
        }
    )
