"""Work trees of phases that are merged: removed, if nothing is lost by that."""

from __future__ import annotations

from clew.app.project import locate
from clew.app.project.views import views_at
from clew.app.run.context import Run
from clew.app.worktree.place import home_of, registered
from clew.app.worktree.remove import Kept, remove
from clew.core.errors import ClewError
from clew.core.plan.plan import Phase, Plan


def removed(run: Run, name: str) -> str:
    """Remove a work tree, after the files there that are views of the ledger; why it stays, "" it is gone."""
    try:
        views_at(locate(home_of(run.repository) / name)).sweep()
        found = remove(run.ports, run.repository, name)
    except ClewError as error:
        return error.message
    return "; ".join(one.text for one in found.reasons) if isinstance(found, Kept) else ""


def swept(run: Run, plan: Plan) -> list[str]:
    """Remove the work trees of phases that are merged, which a run that was killed left; what stays, and why. A work
    tree of another attempt at a phase, or of one that is not merged, stays; it is told where it holds work.
    """
    notes = []
    for name in registered(run.repository):
        phase = next((one for one in plan.phases if name.startswith(place_of(one))), None)
        if phase is None:
            continue
        is_over = phase.merged and name == phase.place
        why = removed(run, name) if is_over else _work_in(run, name)
        if why:
            what = "stays" if is_over else f"holds what an attempt at phase {phase.number} left"
            notes.append(f"The work tree {name} {what}: {why}.")
    return notes


def place_of(phase: Phase) -> str:
    """How the names of the work trees of a phase begin; the attempt follows."""
    return f"p{phase.number}-{phase.id[2:8].lower()}-"


def _work_in(run: Run, name: str) -> str:
    """What would be lost with a work tree, "" nothing."""
    try:
        found = remove(run.ports, run.repository, name, dry_run=True)
    except ClewError as error:
        return error.message
    return "; ".join(one.text for one in found.reasons) if isinstance(found, Kept) else ""
