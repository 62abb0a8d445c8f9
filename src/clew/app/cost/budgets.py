"""`clew budget`: what may be used, what was, and how a person raises it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import structs

from clew.app.cost.spent import Spend, spent_each
from clew.app.plan.where import recorded
from clew.app.ports import Ports, runtime_dir
from clew.app.project.authority import require_person
from clew.app.project.budgets import as_told, limits
from clew.app.project.location import locate
from clew.app.project.opening import ProjectHandle
from clew.app.project.runtime_dirs import tops
from clew.app.results import JsonResult
from clew.core.cost.budget import (
    BUDGET,
    COUNTED,
    COUNTED_VERSION,
    NOTHING,
    RAISED,
    SCOPES,
    SPENT,
    VERSION,
    WARN_PERCENT,
    measured,
    spent_of,
)
from clew.core.errors import InputError, NotFound
from clew.core.plan.phase_machine import Raise
from clew.core.runtime_dir import SESSIONS
from clew.core.text.cleaning import shorten
from clew.workspace.atomic import alone, private_folder, replace

_BYTES_MAX: Final = 1 << 20
# Of what people raised the last ones are kept.
_RAISED_MAX: Final = 500
_MICRO: Final = 10_000
# Microdollars in a dollar.
USD: Final = 1_000_000
_UNITS: Final = ("tokens", "cents")
_NAME_CHARS: Final = 40


class Budget(JsonResult, frozen=True):
    """A budget of one day, task, phase or session: what was used of it, and the most (with what was raised), of which 0
    is no limit. Tokens of a phase are those that no cache gave. `used_usd` is None where nothing that was used has a
    price; `unpriced_tokens` are not in it: nobody knows what their model costs. `stands`: "" within it, "warned",
    "stopped", or "idle" of a phase that was stopped. `called` is what `clew budget raise` calls it, `title` that of a
    task or phase.
    """

    scope: str
    name: str
    called: str
    title: str
    used_tokens: int
    used_usd: float | None
    unpriced_tokens: int
    most_tokens: int
    most_usd: float
    stands: str


class Budgets(JsonResult, frozen=True):
    """The day first, then the task that is bound here and its phase that is under way or was stopped, then the sessions
    of this project that used something, the one that used most first.
    """

    budgets: tuple[Budget, ...]
    is_set: bool


class Raised(JsonResult, frozen=True):
    """What was raised, and by how much: tokens and microdollars."""

    before: Budget
    after: Budget
    tokens: int
    usd: float


def budgets(project: ProjectHandle, day: str) -> Budgets:
    """What was used of the budgets that hold in the project that `folder` is in, as hooks counted it."""
    held, table = _held(project)
    data = project.ports.trust_store.parent
    raised = _json(data / SPENT / RAISED)

    def made(scope: str, name: str, used: list[int], limit: list[int], called: str, title: str = "") -> Budget:
        more = _amount(raised.get(f"{scope}:{name}"), 2)
        most = tuple(one + extra if one else 0 for one, extra in zip(limit, more, strict=True))
        both = measured(scope, used)
        share = max((100 * value // one for value, one in zip(both, most, strict=True) if one), default=0)
        stands = "stopped" if share >= 100 else "warned" if share >= WARN_PERCENT else ""
        usd = both[1] / USD if both[1] or not used[3] else None
        return Budget(scope, name, called, title, both[0], usd, used[3], most[0], most[1] / USD, stands)

    found = [made("day", day, _used_in(data / SPENT / day), held["day"], "")]
    task = _bound(table)
    if task:
        name = task["name"]
        found.append(made("task", name, _used_in(data / SPENT / name), held["task"], task["short"], task["title"]))
    phase, stopped = task.get("phase"), None
    if not phase:
        phase = stopped = _stopped(project, held["phase"])
    if phase:
        used, number = _used_in(data / SPENT / phase["name"]), str(phase["number"])
        one = made("phase", phase["name"], used, phase["limit"], number, phase["title"])
        found.append(structs.replace(one, stands="idle") if stopped else one)
    sessions = [
        made("session", path.parent.name, _session(path), held["session"], path.parent.name)
        for top in tops(locate(project.folder))
        for path in _counted(runtime_dir(project.ports, top))
    ]
    sessions.sort(key=lambda one: (-(one.used_usd or 0), -one.used_tokens, one.name))
    return Budgets((*found, *sessions), any(map(any, held.values())) or bool(phase and any(phase["limit"])))


def count_before(project: ProjectHandle, tell: Callable[[int, int], None] = lambda _done, _all: None) -> None:
    """Count what sessions of the task that is bound here used before anybody set a budget for it or its phase: those
    that no hook counts. Each session is looked for once.
    """
    task = _bound(_held(project)[1])
    waiting = []
    for scope in filter(None, (task, task.get("phase"))):
        kept = project.ports.trust_store.parent / SPENT / scope["name"]
        with project.open(write=False) as at:
            sessions = {one.origin.session for one in at.ledger.extracts(task=task["name"])}
        new = {one for one in sessions if one and "/" not in one and not (kept / one).exists()}
        if new:
            waiting.append((kept, new, scope.get("since", "")))
    for kept, new, since in waiting:
        found = spent_each(project.ports, new, since, tell=tell)
        private_folder(kept)
        for session in new:
            one = found.get(session, Spend())
            line = f"{one.tokens:15} {round(one.cents * _MICRO):15} {one.fresh:15} {one.unpriced:15}\n"
            replace(kept / session, line.encode(), mode=0o600, durable=False)


def raise_budget(
    project: ProjectHandle, day: str, scope: str, wanted: str = "", *, tokens: int = 0, cents: int = 0
) -> Raised:
    """Add to a budget: of the session whose id begins with `wanted`, of the task or phase that is so called, or of the
    `day`: so much, or as much again as its limit. Raises `NotAllowed` to anybody but a person, `NotFound`,
    `InputError`.
    """
    limit = _limit(project, scope)
    by = (tokens, cents * _MICRO) if tokens or cents else (limit[0], limit[1])
    missing = next((unit for unit, most, more in zip(_UNITS, limit, by, strict=True) if more and not most), "")
    if missing or not any(limit):
        raise InputError(
            f"no budget {f'in {missing} ' if missing else ''}is set for a {scope}",
            code="E-budget-none",
            hint=f"`clew settings set budget.{scope}_{missing or 'tokens'} N` sets one.",
        )
    before = _one(budgets(project, day), scope, wanted)
    require_person(project.ports.channel(), "budget", "raise a budget")
    more = by
    if scope == "phase" and by[0]:
        _raise_phase(project, before, by[0])
        more = (0, by[1])
    if any(more):
        _keep_raised(project.ports, f"{scope}:{before.name}", more)
    return Raised(before, _one(budgets(project, day), scope, wanted), by[0], by[1] / USD)


def _one(known: Budgets, scope: str, wanted: str) -> Budget:
    """The one budget that is meant."""
    found = [one for one in known.budgets if one.scope == scope and _is_meant(one, wanted)]
    if len(found) != 1:
        many = f"more than one {scope}" if found else f"no {scope}"
        name = shorten(wanted, _NAME_CHARS)
        called = f"that hooks counted here begins with {name}" if scope == "session" else f"here is called {name}"
        raise NotFound(f"{many} {called}", code="E-budget-session", hint="`clew budget` lists what has one.")
    return found[0]


def _is_meant(one: Budget, wanted: str) -> bool:
    if one.scope == "phase":
        return one.called == wanted
    return one.name.startswith(wanted)


def _raise_phase(project: ProjectHandle, before: Budget, tokens: int) -> None:
    """The plan says how many tokens a phase may use, so everybody who reads it goes by that."""
    with project.open(write=True) as at:
        task = at.task()
        raised = Raise(before.name.rpartition(".")[0], before.most_tokens + tokens)
        recorded(at, at.plan(task), raised, task=task)


def _keep_raised(ports: Ports, name: str, more: tuple[int, int]) -> None:
    data = ports.trust_store.parent
    private_folder(data / SPENT)
    file = data / SPENT / RAISED
    with alone(file):
        kept = {key: _amount(value, 2) for key, value in _json(file).items()}
        was = kept.pop(name, [0, 0])
        kept[name] = [was[0] + more[0], was[1] + more[1]]
        newest = dict(list(kept.items())[-_RAISED_MAX:])
        replace(file, json.dumps(newest).encode(), mode=0o600)


def _held(project: ProjectHandle) -> tuple[dict[str, list[int]], dict[str, Any]]:
    """The limits that the settings say, and what hooks are told at this place ({} where there is no budget)."""
    root = locate(project.folder).root
    live = runtime_dir(project.ports, root)
    return limits(project.ports.settings(root)), _json(Path(live, BUDGET)) if live else {}


def _limit(project: ProjectHandle, scope: str) -> list[int]:
    held, table = _held(project)
    phase = _bound(table).get("phase") if scope == "phase" else None
    found: list[int] = phase["limit"] if phase else held[scope]
    return found


def _bound(table: Mapping[str, Any]) -> dict[str, Any]:
    """The task that is bound here, as hooks are told of it; {} none."""
    tasks = table.get("tasks") or ()
    return next((one for one in tasks if one["name"] == table["bound"]), {})


def _counted(live: str) -> list[Path]:
    """What hooks counted of each session of a place."""
    folder = Path(live, SESSIONS)
    return sorted(folder.glob(f"*/{COUNTED}")) if live and folder.is_dir() else []


def _used_in(folder: Path) -> list[int]:
    """What all sessions used that count for one thing."""
    total = list(NOTHING)
    for path in folder.iterdir() if folder.is_dir() else ():
        total = [value + more for value, more in zip(total, spent_of(_bytes(path)), strict=True)]
    return total


def _session(path: Path) -> list[int]:
    """What hooks counted of a session."""
    return _amount(_json(path, COUNTED_VERSION).get("session"), len(NOTHING))


def _stopped(project: ProjectHandle, default: list[int]) -> dict[str, Any] | None:
    """The phase of the task that is bound here which was stopped, as hooks are told of one that is under way; None
    where there is none, or it has no budget.
    """
    if not locate(project.folder).has_ledger:
        return None
    with project.open(write=False) as at:
        task = at.task()
        phases = at.plan(task).phases if task and at.has_plan(task) else ()
        one = next((one for one in phases if one.status == "stopped"), None)
        found = as_told(one, default) if one else {"limit": []}
        return found if any(found["limit"]) else None


def _amount(value: object, length: int) -> list[int]:
    if isinstance(value, list) and len(value) == length and all(isinstance(one, int) for one in value):
        return value
    return [0] * length


def _json(path: Path, version: int = VERSION) -> dict[str, Any]:
    try:
        found = json.loads(_bytes(path).decode("utf-8", "replace") or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) and found.get("v", version) == version else {}


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_BYTES_MAX)
    except OSError:
        return b""


__all__ = ["SCOPES", "Budget", "Budgets", "Raised", "budgets", "count_before", "raise_budget"]
