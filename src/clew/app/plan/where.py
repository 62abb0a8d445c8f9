"""Which task is meant, and that it has a plan."""

from __future__ import annotations

from clew.app.project import ProjectSession, find_task
from clew.core.errors import InputError
from clew.core.plan.plan import Phase, Plan


def task_here(at: ProjectSession, wanted: str | None) -> str:
    """The id of the task that is named, else of the one that is bound here; "" for none."""
    return find_task(at, wanted).id if wanted else at.task()


def plan_here(at: ProjectSession, wanted: str | None = None) -> tuple[str, Plan]:
    """The task that is meant, and its plan. Raises `InputError` where it has none."""
    task = task_here(at, wanted)
    plan = at.plan(task)
    if plan.mode == "none":
        raise InputError(
            "there is no plan here",
            code="E-no-plan",
            hint='`clew plan new "…"` begins one, `clew plan import FILE` takes one in.',
        )
    return task, plan


def phase_named(plan: Plan, wanted: str) -> Phase:
    """The phase with this number or id. Raises `InputError`."""
    found = plan.phase(wanted)
    if found is None:
        raise InputError(
            f"the plan has no phase {wanted[:40]}",
            code="E-phase-no-phase",
            hint=f"There are {len(plan.phases)}: `clew plan show` lists them.",
        )
    return found
