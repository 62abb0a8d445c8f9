"""Work trees of phases that are merged: removed, if nothing is lost by that."""

from __future__ import annotations

from clew.app.project import locate
from clew.app.project.views import views_at
from clew.app.run.context import Run
from clew.app.worktree.place import home_of, registered
from clew.app.worktree.remove import Kept, remove
from clew.core.errors import ClewError
from clew.core.plan.plan import Plan


def removed(run: Run, name: str) -> str:
    """Remove a work tree, after the files there that are views of the ledger; why it stays, "" it is gone."""
    try:
        views_at(locate(home_of(run.repository) / name)).sweep()
        found = remove(run.ports, run.repository, name)
    except ClewError as error:
        return error.message
    return "; ".join(one.text for one in found.reasons) if isinstance(found, Kept) else ""


def swept(run: Run, plan: Plan) -> list[str]:
    """Remove the work trees of phases that are merged, which a run that was killed left; what stays, and why."""
    there = registered(run.repository)
    found = [(one.place, removed(run, one.place)) for one in plan.phases if one.merged and one.place in there]
    return [f"The work tree {name} stays: {why}." for name, why in found if why]
