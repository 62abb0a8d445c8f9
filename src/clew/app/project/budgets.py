"""Budgets as hooks read them: a small file in the live folder of a place, there only where somebody set one."""

from __future__ import annotations

import json
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from clew.app.ports import Ports
from clew.core.cost.budget import BUDGET, SPENT, VERSION
from clew.core.errors import InputError
from clew.core.settings import Settings
from clew.core.settings.table import BUDGETS
from clew.core.text.cleaning import clean, one_line, shorten
from clew.workspace.atomic import private_folder, replace

if TYPE_CHECKING:
    from clew.app.project.session import ProjectSession
    from clew.core.plan.plan import Phase

_CENT: Final = 10_000
_TITLE_CHARS: Final = 60
# So many open tasks a session may be started for by name.
_TASKS_MAX: Final = 200


def limits(settings: Settings) -> dict[str, list[int]]:
    """What a session, a day, a task and a phase may use: tokens and microdollars, 0 no limit."""
    return {
        scope: [settings.number(tokens), settings.number(cents) * _CENT] for scope, (tokens, cents) in BUDGETS.items()
    }


def keep(ports: Ports, at: ProjectSession, live: Path, settings: Settings, bound: str) -> None:
    """Write the budgets of a place, to which the task `bound` ("" none) is, for its hooks, or take them away. Raises
    `OSError`.
    """
    file, held = live / BUDGET, limits(settings)
    is_set = any(map(any, held.values()))
    phases = _phases(at, held["phase"], None if is_set else bound)
    if not is_set and not any(any(one["limit"]) for one in phases.values()):
        file.unlink(missing_ok=True)
        return
    own: dict[str, Any] = {}
    tables: tuple[Path, ...] = ()
    with suppress(InputError):  # `clew cost` tells of it
        own, tables = ports.price_tables()
    private_folder(ports.trust_store.parent / SPENT)  # that it is there tells hooks to look
    known = [*islice((one for one in at.tasks() if one.status == "open" or one.id == bound), _TASKS_MAX)]
    short = at.ledger.shortest([one.id for one in known])
    tasks = [
        {
            "name": one.id,
            "short": short[one.id],
            "title": _plain(one.title),
            "whole": " ".join(one.title.split()).casefold(),
            "phase": phases.get(one.id),
        }
        for one in known
    ]
    data = {"v": VERSION, **held, "bound": bound, "tasks": tasks, "own": own, "tables": [str(path) for path in tables]}
    replace(file, json.dumps(data, separators=(",", ":")).encode(), mode=0o600, durable=False)


def _phases(at: ProjectSession, default: list[int], task: str | None) -> dict[str, dict[str, Any]]:
    """By task (None all, "" none) the phase that is under way, with its budget: of several the one that was begun in
    this work tree.
    """
    begun: dict[str, dict[tuple[str, int], str]] = {}
    for recorded in at.ledger.events(task=task, kinds=("phase.started",)) if task != "" else ():
        event = recorded.event
        identity, attempt = event.data.get("phase"), event.data.get("attempt")
        if isinstance(identity, str) and isinstance(attempt, int):
            begun.setdefault(event.task, {})[identity, attempt] = event.worktree
    here, found = at.place.worktree, {}
    for name, trees in begun.items():
        started = [one for one in at.plan(name).phases if one.status == "started"]
        if started:
            phase = next((one for one in started if trees.get((one.id, one.attempt)) == here), started[0])
            found[name] = as_told(phase, default)
    return found


def as_told(phase: Phase, default: list[int]) -> dict[str, Any]:
    """A phase as hooks are told of it: its attempt, since when, and its budget, by the settings where its plan says
    none.
    """
    return {
        "name": f"{phase.id}.{phase.attempt}",
        "number": phase.number,
        "title": _plain(phase.title),
        "since": phase.started_at,
        "limit": [phase.budget_tokens or default[0], default[1]],
    }


def _plain(text: str) -> str:
    return shorten(one_line(clean(text)), _TITLE_CHARS)
