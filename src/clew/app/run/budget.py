"""Budgets beside the phase's own, which hooks hold clients to: of the day, of the task, of a session."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from clew.app.cost.budgets import Budget, budgets
from clew.app.run.context import Run
from clew.core.errors import ClewError

_OF_ALL: Final = ("day", "task")
_MICRO: Final = 1_000_000


def spent_for_all(run: Run) -> str:
    """Which budget lets no client of this run work any more, as a sentence without its full stop; "" none does."""
    return next((_told(one) for one in _stopped(run) if one.scope in _OF_ALL), "")


def spent_of(run: Run, session: str) -> str:
    """The same for the budget of one session: another one has its own."""
    return next((_told(one) for one in _stopped(run) if one.scope == "session" and session == one.name), "")


def _stopped(run: Run) -> list[Budget]:
    # The day of hooks is the machine's own.
    day = datetime.fromtimestamp(run.ports.now_ms() / 1000).astimezone().strftime("%Y-%m-%d")
    try:
        return [one for one in budgets(run.ports, run.top, day).budgets if one.stands == "stopped"]
    except ClewError:
        return []


def _told(one: Budget) -> str:
    what = {"day": "today", "task": "the task", "session": "the session"}.get(one.scope, one.scope)
    tokens, micro = one.used
    return f"the budget of {what} is spent ({tokens:,} tokens, {micro / _MICRO:.2f} US dollars): `clew budget` shows it"
