"""Writing all files beside the work anew, on request and after a task was closed."""

from __future__ import annotations

from pathlib import Path

from clew.app.handoff.files import rebuild, summary_views
from clew.app.journal.pages import journal_views
from clew.app.memory.candidates import candidates
from clew.app.memory.store import Memory, project_folder
from clew.app.ports import Ports
from clew.app.project import open_project
from clew.app.project.views import Wrote, views_at


def rebuilt(ports: Ports, folder: Path, *, dry_run: bool = False) -> list[Wrote]:
    """Write every view of the work tree that `folder` is in. Raises as `open_project`, and `InputError`."""
    with open_project(ports, folder, write=False) as at:
        at.dry_run = dry_run
        return rebuild(ports, at)


def after_close(ports: Ports, folder: Path) -> tuple[list[Wrote], int]:
    """Write the summary of a task that was just closed and today's journal; the files, and how many learnings wait for
    triage. Raises as `rebuilt`.
    """
    with open_project(ports, folder, write=False) as at:
        views = views_at(at.location)
        newest = max((one.changed_at for one in at.tasks()), default="")
        placed = views.write([*summary_views(at), *journal_views(at, views, since=newest[:10])])
        return placed, len(candidates(Memory(at, project_folder(at.location.root), False)))
