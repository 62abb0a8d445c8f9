"""Repairing the ledger of a project: `clew doctor --repair`."""

from __future__ import annotations

from pathlib import Path

from clew.app.ports import Ports
from clew.app.project import locate
from clew.app.project.opening import ProjectHandle
from clew.app.project.output_redaction import safe_errors
from clew.app.results import JsonResult
from clew.core.errors import LedgerError, NotFound
from clew.core.state.events import timestamp
from clew.ledger.sqlite.repair import repair


class Repair(JsonResult, frozen=True):
    """What was done to the ledger at `path`. `damage` is what was wrong ("" nothing: then nothing was done).

    `kept` is where the old file is, None where nothing was done. `events` and `sessions` count what was saved, `lost`
    names what could not be.
    """

    ledger: Path
    damage: str
    kept: Path | str = ""
    events: int = 0
    sessions: int = 0
    lost: tuple[str, ...] = ()


def repair_ledger(project: ProjectHandle) -> Repair:
    """Put what is whole of the ledger of the project that `folder` is in into a new file; the old one is kept.

    Nothing is done to a ledger without damage, or in a dry run. Raises `NotFound` where no ledger is kept, and
    `LedgerError` where nothing of it can be read or another process holds it.
    """
    with safe_errors(project.ports.redact):
        location = locate(project.folder)
        if not location.has_ledger:
            raise NotFound(f"{location.root} is not initialised", code="E-no-ledger", hint="Nothing to repair.")
        if location.is_remote:
            raise LedgerError(
                "a server keeps the ledger of this project: it is not repaired from here",
                code="E-ledger-server",
                hint="Restore the database from a backup; `clew doctor` tells what cannot be read.",
            )
        damage = _damage(project.ports, location.ledger)
        if not damage or project.dry_run:
            return Repair(location.ledger, damage)
        stamp = timestamp(project.ports.now_ms())[:19].replace(":", "-")
        done = repair(location.ledger, stamp=stamp)
        return Repair(location.ledger, damage, done.kept or "", done.events, done.sessions, done.lost)


def _damage(ports: Ports, path: Path) -> str:
    try:
        ledger = ports.open_ledger(path, project="", write=False)
        try:
            return ledger.damage()
        finally:
            ledger.close()
    except LedgerError as error:
        if error.code != "E-ledger-corrupt":
            raise
        return error.message
