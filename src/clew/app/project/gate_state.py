"""What gates hold here, and what was done behind them: for a person who looks, lets a tool pass, or puts files back."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from clew.app.ports import Ports, runtime_dir
from clew.app.project.gates import asks, is_gate, refresh
from clew.app.project.location import ProjectLocation
from clew.app.project.opening import open_project
from clew.app.project.session import ProjectSession
from clew.app.project.trust import allow_tool, allowed_tools, project_at
from clew.app.project.watch import WatchedChange, changed_now, restore
from clew.app.results import JsonResult
from clew.core.errors import ClewError, NotFound
from clew.core.runtime_dir import FOLDER, GATES, LEAF, ROOT
from clew.core.state.events import timestamp
from clew.core.state.orders import standing_orders

_BREACHES_MAX: Final = 10
_STRICT: Final = ("deny", "warn", "off", "told")


class Breach(NamedTuple):
    """Files that were changed behind a gate: `during` the call of a tool, or between two."""

    at: str
    gate: str
    files: tuple[str, ...]
    command: str
    during: bool


class Rule(NamedTuple):
    """Something that holds here: the item `id`, with what a gate asks about (`names`: paths, guards, commands; () for
    what is only told at a session's start). `level` is deny, warn or told, `gate` the gate that asks ("" none). `by` is
    who said it, `since` when, `task` the title of the task it was said in ("" none).
    """

    id: str
    level: str
    gate: str
    names: tuple[str, ...]
    text: str
    by: str
    since: str
    task: str


class GateState(JsonResult, frozen=True):
    """`levels` by gate, `rules` those that hold, the strictest first. `plan` is the title of the plan that waits for
    approval, "" none. `tools` of which a person said that they only read, `commands` that pass while it waits.
    `changed` are watched files that hold something else than when the watch began; `breaches` what was told, newest
    first.
    """

    levels: Mapping[str, str]
    plan: str
    tools: tuple[str, ...]
    commands: tuple[str, ...]
    changed: tuple[str, ...]
    breaches: tuple[Breach, ...]
    rules: tuple[Rule, ...] = ()


def refresh_everywhere(ports: Ports) -> None:
    """Write every `gates.json` of this user again: a setting was changed that holds in all projects. A place whose
    project is gone, or whose ledger cannot be read, keeps what it has.
    """
    for folder, names, _ in os.walk(ports.trust_store.parent / FOLDER):
        if LEAF in names:
            names.remove(LEAF)
            with suppress(ClewError, OSError):
                root = Path(os.fsdecode(Path(folder, LEAF, ROOT).read_bytes().strip(b"\r\n")))
                with open_project(ports, root, write=False) as at:
                    refresh(ports, at)


def gate_state(ports: Ports, folder: Path) -> GateState:
    """What holds for the work tree of `folder`. Raises `NotFound` where nobody ran `clew init`, `LedgerError`."""
    with open_project(ports, folder, write=False) as at:
        refresh(ports, at)
        live = _live(ports, at.location)
        gates: dict[str, Any] = json.loads((live / GATES).read_bytes())
        plan = gates.get("plan") or {}
        kept = at.ledger.events(kinds=["gate.breached"])
        breaches = [_breach(one.said_at, one.data) for _, one in kept][-_BREACHES_MAX:]
        return GateState(
            levels=gates["levels"],
            plan=str(plan.get("title", "")),
            tools=tuple(sorted(allowed_tools(ports.trust_store, project_at(at.location.root)))),
            commands=tuple(plan.get("commands", ())),
            changed=tuple(one.path for one in changed_now(at.location, live)),
            breaches=tuple(reversed(breaches)),
            rules=tuple(_rules(at, gates["levels"])),
        )


def _rules(at: ProjectSession, levels: Mapping[str, str]) -> list[Rule]:
    """What holds for the task that is bound here: what gates go by, then what sessions are told when they begin."""
    task, titles = at.task(), {one.id: one.title for one in at.tasks()}
    whole = at.standing().orders
    told = {one.item.id: one for one in standing_orders(whole.values(), task)}
    asked = {name: one for name, one in whole.items() if one.holds_in(task) and asks(one.known)[1]}
    short = at.ledger.shortest([*asked, *told])
    found = []
    for name, one in {**told, **asked}.items():
        gate, names = asks(one.known) if name in asked else ("", ())
        item = one.item
        level = levels.get(gate, "told") if gate else "told"
        if level not in ("told", "off") and item.kind in ("constraint", "deferral"):
            level = "deny" if is_gate(one.known) else "warn"
        by = "a person" if item.is_persons else item.actor or "an agent"
        found.append(Rule(short[name], level, gate, names, item.text, by, item.time, titles.get(one.task, "")))
    return sorted(found, key=lambda one: (_STRICT.index(one.level), one.gate, one.since, one.id))


def _breach(said_at: str, data: Mapping[str, Any]) -> Breach:
    files = data["files"] if isinstance(data["files"], list) else []
    command = str(data.get("command") or "")
    return Breach(said_at, str(data["gate"]), tuple(files), command, data.get("during") is True)


def let_pass(ports: Ports, location: ProjectLocation, tool: str) -> bool:
    """Record a person's word that `tool` only reads; whether it is new. Raises `NotAllowed`, `InputError`."""
    project = project_at(location.root)
    is_new = allow_tool(ports.trust_store, project, tool, said=ports.channel(), time=timestamp(ports.now_ms()))
    if is_new:
        refresh_everywhere(ports)
    return is_new


def put_back(
    ports: Ports, location: ProjectLocation, paths: Sequence[str], *, dry_run: bool
) -> tuple[WatchedChange, ...]:
    """Put watched files back as they were when the watch began. Raises `NotFound` where nothing is watched."""
    return restore(location, _live(ports, location), paths, dry_run=dry_run)


def _live(ports: Ports, location: ProjectLocation) -> Path:
    live = Path(runtime_dir(ports, location.root))
    if not live.is_dir():
        raise NotFound(f"{location.root} has no hooks", code="E-no-ledger", hint="Run `clew init` there.")
    return live
