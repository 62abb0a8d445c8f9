"""`clew budget`: what may be used, what was, and how a person raises it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from clew.app.ports import Ports, runtime_dir
from clew.app.project import locate
from clew.app.project.authority import require_person
from clew.app.project.budgets import SCOPES, limits
from clew.app.project.runtime_dirs import tops
from clew.core.cost.budget import COUNTED, RAISED, SPENT, VERSION, WARN_PERCENT
from clew.core.errors import InputError, NotFound
from clew.core.runtime_dir import SESSIONS
from clew.workspace.atomic import alone, private_folder, replace

_BYTES_MAX: Final = 1 << 20
# Of sessions and days that people raised the last ones are kept.
_RAISED_MAX: Final = 500


class Budget(NamedTuple):
    """A budget of one session or day: `used` and `most` (with what was raised) are tokens and microdollars; of `most` 0
    is no limit. `stands`: "" within it, "warned", or "stopped".
    """

    scope: str
    name: str
    used: tuple[int, int]
    most: tuple[int, int]
    stands: str


class Budgets(NamedTuple):
    """The day first, then the sessions of this project that used something, the one that used most first."""

    budgets: tuple[Budget, ...]
    is_set: bool


class Raised(NamedTuple):
    """What was raised, and by how much: tokens and microdollars."""

    before: Budget
    after: Budget
    by: tuple[int, int]


def budgets(ports: Ports, folder: Path, day: str) -> Budgets:
    """What was used of the budgets that hold in the project that `folder` is in, as hooks counted it."""
    root = locate(folder).root
    held = limits(ports.settings(root))
    data = ports.trust_store.parent
    raised = _json(data / SPENT / RAISED)
    found = [_budget("day", day, _used_on(data / SPENT / day), held, raised)]
    sessions = [
        _budget("session", path.parent.name, _amount(_json(path).get("session")), held, raised)
        for top in tops(locate(folder))
        for path in _counted(runtime_dir(ports, top))
    ]
    sessions.sort(key=lambda one: (-one.used[1], -one.used[0], one.name))
    return Budgets((*found, *sessions), any(map(any, held.values())))


def raise_budget(ports: Ports, folder: Path, day: str, *, session: str = "", tokens: int = 0, cents: int = 0) -> Raised:
    """Add to the budget of a session (the beginning of its id) or, with "", of the `day`: so much, or as much again as
    its limit. Raises `NotAllowed` to anybody but a person, `NotFound`, `InputError`.
    """
    known = budgets(ports, folder, day).budgets
    wanted = [one for one in known if (one.name.startswith(session) if session else True)]
    wanted = [one for one in wanted if one.scope == ("session" if session else "day")]
    if len(wanted) != 1:
        raise NotFound(
            f"{'no session' if not wanted else 'more than one session'} here begins with {session[:40]}",
            code="E-budget-session",
            hint="`clew budget` lists them.",
        )
    (before,) = wanted
    held = limits(ports.settings(locate(folder).root))[before.scope]
    by = (tokens, cents * 10_000) if tokens or cents else (held[0], held[1])
    if not any(held):
        raise InputError(
            f"no budget is set for a {before.scope}",
            code="E-budget-none",
            hint=f"`clew settings set budget.{before.scope}_tokens N` sets one.",
        )
    require_person(ports.channel(), "raise a budget")
    data = ports.trust_store.parent
    private_folder(data / SPENT)
    file, name = data / SPENT / RAISED, f"{before.scope}:{before.name}"
    with alone(file):
        kept = {key: list(_amount(value)) for key, value in _json(file).items()}
        was = kept.pop(name, [0, 0])
        kept[name] = [was[0] + by[0], was[1] + by[1]]
        newest = dict(list(kept.items())[-_RAISED_MAX:])
        replace(file, json.dumps(newest).encode(), mode=0o600)
    held_now = limits(ports.settings(locate(folder).root))
    return Raised(before, _budget(before.scope, before.name, before.used, held_now, _json(file)), by)


def _budget(
    scope: str, name: str, used: tuple[int, int], held: Mapping[str, list[int]], raised: Mapping[str, Any]
) -> Budget:
    more = _amount(raised.get(f"{scope}:{name}"))
    most = [limit + extra if limit else 0 for limit, extra in zip(held[scope], more, strict=True)]
    shares = [100 * value // limit for value, limit in zip(used, most, strict=True) if limit]
    share = max(shares, default=0)
    stands = "stopped" if share >= 100 else "warned" if share >= WARN_PERCENT else ""
    return Budget(scope, name, used, (most[0], most[1]), stands)


def _counted(live: str) -> list[Path]:
    """What hooks counted of each session of a place."""
    folder = Path(live, SESSIONS)
    return sorted(folder.glob(f"*/{COUNTED}")) if live and folder.is_dir() else []


def _used_on(folder: Path) -> tuple[int, int]:
    total = [0, 0]
    for path in folder.iterdir() if folder.is_dir() else ():
        words = _text(path).split()
        if len(words) == 2 and all(map(str.isdecimal, words)):
            total = [total[0] + int(words[0]), total[1] + int(words[1])]
    return total[0], total[1]


def _amount(value: object) -> tuple[int, int]:
    if isinstance(value, list) and len(value) == 2 and all(isinstance(one, int) for one in value):
        return value[0], value[1]
    return 0, 0


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(_text(path) or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) and found.get("v", VERSION) == VERSION else {}


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_BYTES_MAX).decode("utf-8", "replace")
    except OSError:
        return ""


__all__ = ["SCOPES", "Budget", "Budgets", "Raised", "budgets", "raise_budget"]
