"""The parts of a session's status line, computed when something was taken in (`app/live_line.py` keeps them)."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from clew.app.checkpoint import last_checkpoint
from clew.app.desk import Desk
from clew.app.live_line import write_line


def keep_line(at: Desk, folder: str) -> None:
    """Keep what the status line of the session with the live folder `folder` tells: task and last checkpoint."""
    name = at.task()
    task = at.task_of(name)
    last = last_checkpoint(at.ledger, name)
    saved_ms = int(datetime.fromisoformat(last.time).timestamp() * 1000) if last else 0
    write_line(Path(folder), task=task.title if task else "", saved_ms=saved_ms)
