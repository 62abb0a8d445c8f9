"""Which model a phase is given in each client, and why."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from clew.app.plan.where import phase_named, plan_here, task_here
from clew.app.project.location import locate
from clew.app.project.opening import ProjectHandle
from clew.app.results import JsonResult
from clew.core.plan.plan import Phase, PhaseStatus, Plan, Route, route, tier_of
from clew.core.settings import Settings


class ClientRoute(JsonResult, frozen=True):
    """The model of one client, "" its own. `place` is the file that says so, or the environment; "" none."""

    client: str
    model: str
    why: str
    place: str


class RoutedPhase(JsonResult, frozen=True):
    """The phase that a route is for (`core.plan.plan.Phase`)."""

    number: int
    id: str
    title: str
    status: PhaseStatus
    tier: str


class Routing(JsonResult, frozen=True):
    """The phase that was asked about (None: work at no phase), its tier, why that one, and what follows. `idle` are
    settings of a client that there is not: nothing heeds them.
    """

    phase: RoutedPhase | None
    tier: str
    tier_by: str
    routes: tuple[ClientRoute, ...]
    idle: tuple[str, ...] = ()


def route_of(settings: Settings, phase: Phase | None, client: str, plan: Plan = Plan()) -> Route:  # noqa: B008
    """The model in `client` for work at `phase`, None for work at none."""
    return route(tier_of(plan, phase)[0], client, _models(settings))


def tier_route(settings: Settings, tier: str, client: str) -> Route:
    """The model in `client` for a `tier` that no phase names."""
    return route(tier, client, _models(settings))


def routed(project: ProjectHandle, client: str, *, task: str | None = None) -> Route:
    """The model in `client` for work in `folder` (absolute) on the phase that is under way in `task` (an id; None: the
    one that is bound there). Where none is, and no planning is open, the client chooses.
    """
    location = locate(project.folder)
    settings = project.ports.settings(location.root)
    if not location.has_ledger or not settings.family("route.*.*"):
        return Route("", f"no route is set, so {client} chooses")
    with project.open(write=False) as at:
        plan = at.plan(task_here(at, task))
    phase = next((one for one in plan.phases if one.status == "started"), None)
    if phase is None and not plan.is_planning:
        return Route("", f"no phase is under way, so {client} chooses")
    return route_of(settings, phase, client, plan)


def routing(project: ProjectHandle, wanted: str, clients: Iterable[str], known: Collection[str] = ()) -> Routing:
    """How each of `clients` is routed for the phase `wanted`, a number or an id; "" the one that the work is at.
    `known` are all clients that there are. Raises `InputError`: there is no such phase.
    """
    location = locate(project.folder)
    settings = project.ports.settings(location.root)
    plan, phase = Plan(), None
    if wanted or location.has_ledger:
        with project.open(write=False) as at:
            plan = plan_here(at)[1] if wanted else at.plan(at.task())
        phase = phase_named(plan, wanted) if wanted else None if plan.is_planning else plan.current
    tier, tier_by = tier_of(plan, phase)
    places = {name: row.place or row.source for name, row in settings.family("route.*.*").items()}
    found = []
    for client in clients:
        chosen = route(tier, client, _models(settings))
        found.append(ClientRoute(client, chosen.model, chosen.why, places.get((tier, client), "")))
    idle = (f"route.{'.'.join(name)}" for name in places if known and name[-1] not in known)
    return Routing(phase and RoutedPhase.of(phase), tier, tier_by, tuple(found), tuple(sorted(idle)))


def _models(settings: Settings) -> Mapping[str, str]:
    return {".".join(name): str(row.value) for name, row in settings.family("route.*.*").items()}
