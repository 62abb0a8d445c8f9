"""`clew status`: one screen that tells where the work stands."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import click

from clew.app.look.status import PlanStatus, ProjectStatus, status
from clew.core.text.cleaning import shorten
from clew.interfaces.cli.group import CliCommand
from clew.interfaces.cli.here import check_named_task, count, find_project, of_kind, present, say_notes
from clew.interfaces.cli.options import json_option
from clew.interfaces.cli.screen import show_table

OTHERS_SHOWN_MAX: Final = 3
_TITLE_CHARS: Final = 60
_BLOCKING_SHOWN_MAX: Final = 3
_UNTRUSTED_SHOWN_MAX: Final = 3


@click.command("status", cls=CliCommand, doing="Looking at the work")
@json_option()
def command() -> None:
    """Show the project, the task that is bound here, what is open, what is waiting, and what to run next.

    Nothing is imported or written: `clew resume` imports new sessions.
    """
    check_named_task()
    found = status(find_project(), runs=_runs)
    say_notes(found.notes)
    present(found, _tell)


def _tell(found: ProjectStatus) -> None:
    show_table(("", ""), list(_rows(found)), styles=("bold",))


def _runs(ledger: Path) -> int:
    from clew.app.run.leases import LocalLeases  # here: few projects have a run that goes on

    return LocalLeases(ledger).runs()


def _rows(found: ProjectStatus) -> Iterable[tuple[str, str]]:
    yield "project", f"{found.root} ({found.project})"
    if found.task is not None:
        kind = ", by itself" if found.task.thread else ""
        kind += f", {found.task.type}" if found.task.type else ""
        where = f", bound to {found.branch}" if found.branch else ""
        yield "task", f"{found.task.short_id} {_title(found.task.title)} (open{kind}{where})"
    else:
        yield "task", "none here yet, the first work opens one; what follows belongs to no task"
    if found.plan.mode not in ("none", "dropped"):
        yield "plan", plan_row(found.plan)
    if found.other_tasks:
        shown = [f"{one.short_id} {_title(one.title)}" for one in found.other_tasks[:OTHERS_SHOWN_MAX]]
        more = len(found.other_tasks) - len(shown)
        yield "also open", "; ".join(shown) + (f"; {more} more" if more else "")
    sessions = f"{found.sessions:,} imported" + (f", {found.waiting:,} waiting" if found.waiting else "")
    if found.task is not None and found.free:
        counts = "counts" if found.free == 1 else "count"
        sessions += f"; {count(found.free, 'other')} {counts} for no task (`clew task adopt` lists them)"
    yield "sessions", sessions
    if not found.hooked:
        yield "hooks", "off here: no session is given anything or imported by itself; `clew init` turns them on"
    live = ", ".join(of_kind(number, kind) for kind, number in found.kinds.items())
    yield "live", live or "nothing"
    for one in found.blocking[:_BLOCKING_SHOWN_MAX]:
        owner = f" (for {one.owner})" if one.owner else ""
        yield "blocking", f"{one.short_id} {one.text}{owner}"
    if found.pins:
        yield "pinned", count(found.pins, "item")
    if (last := found.checkpoint) is not None:
        yield "checkpoint", f"{last.name}, {ago(found.checkpoint_age_s)} ({last.reason}, {last.short_id})"
    else:
        yield "checkpoint", "none"
    if found.verdict is not None:
        yield "files", f"{found.verdict.kind}: {found.verdict.reason}"
    if found.spool:
        yield "spool", "1 batch waits" if found.spool == 1 else f"{found.spool:,} batches wait"
    yield from _exchanges(found)
    if found.untrusted:
        names = ", ".join(f"{thing.sort} {thing.name}" for thing in found.untrusted[:_UNTRUSTED_SHOWN_MAX])
        more = len(found.untrusted) - _UNTRUSTED_SHOWN_MAX
        yield "not trusted", names + (f" and {more} more" if more > 0 else "")
    yield "next", " · ".join(found.next)


def _exchanges(found: ProjectStatus) -> Iterable[tuple[str, str]]:
    for place in found.exchanges:
        since = f"confirmed {ago(place.age_s)}" if place.confirmed_at else "never confirmed"
        waits = f"; {count(place.waiting, 'event')} to send (`clew sync`)" if place.waiting else ""
        yield "exchange", f"{place.place}: {since}{waits}"


def plan_row(plan: PlanStatus) -> str:
    """How a plan stands, and where the work is in it."""
    done = sum(one.status == "done" for one in plan.phases)
    current = next((one for one in plan.phases if one.number == plan.current), None)
    at_work = f"; phase {current.number} {_title(current.title)} ({current.status})" if current is not None else ""
    return f"{plan.mode}, {done} of {count(len(plan.phases), 'phase')} done{at_work}"


def ago(seconds: int) -> str:
    """How long ago that was, in words."""
    for unit, size in (("day", 86_400), ("hour", 3600), ("minute", 60)):
        if seconds >= size:
            return f"{count(seconds // size, unit)} ago"
    return "just now"


def _title(title: str) -> str:
    return shorten(title, _TITLE_CHARS)
