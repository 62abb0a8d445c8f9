"""Which model works on a phase: its tier, a class of model, stands for one model in each client. Pure."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from clew.core.plan.plan import Phase, Plan

# Of a phase that names none, and while there is a plan that nobody has approved yet.
BUILD: Final = "build"
PLAN: Final = "plan"


class Route(NamedTuple):
    """The `model` as the client calls it, "" for its own choice, and in a clause why."""

    model: str
    why: str


def tier_of(plan: Plan, phase: Phase | None) -> tuple[str, str]:
    """The tier of the work at a phase (None: at none), and in a clause where it comes from."""
    if phase is not None:
        said = f"phase {phase.number} says"
        return (phase.tier.lower(), f"{said} so") if phase.tier else (BUILD, f"{said} no tier")
    if plan.is_planning:
        return PLAN, "planning is open"
    return BUILD, "no phase is under way"


def route(tier: str, client: str, models: Mapping[str, str]) -> Route:
    """The model of `client` for a `tier`; `models` are by tier and client: `build.claude-code`."""
    model = models.get(f"{tier}.{client}", "")
    if model:
        return Route(model, f"route.{tier}.{client} says so")
    others = sorted(name.partition(".")[0] for name in models if name.partition(".")[2] == client)
    beside = f" (there is one for {', '.join(others)})" if others else ""
    return Route("", f"there is no route.{tier}.{client}{beside}, so {client} chooses")
