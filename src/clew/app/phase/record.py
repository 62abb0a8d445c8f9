"""What the sessions of a work tree tell of a phase: the tokens that it cost so far, and the steps that were ticked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from clew.app.cost.spent import spent_on
from clew.app.intake.find import found_in, project_at, reader_at
from clew.app.ports import Ports
from clew.app.project import ProjectSession
from clew.core.plan.phase_machine import Tick
from clew.core.plan.plan import Phase
from clew.core.records.todos import TodoList
from clew.core.state.events import timestamp
from clew.sessions.log import SessionLog

# A session whose file was written last before the phase began has no part in it.
_SESSIONS_MAX: Final = 20
_WORD: Final = re.compile(r"\w+")
# So much of the words of a step stands in the to-do that means it, and the other way round.
_LIKE: Final = 0.7
WARN_PERCENT: Final = 80


class Done(NamedTuple):
    """What sessions did since a phase began. `tokens` are those that no cache gave, sub-agents' too.
    `completed` are the texts of to-dos that are ticked off now.
    """

    tokens: int
    completed: tuple[str, ...]


def done_in(ports: Ports, at: ProjectSession, phase: Phase) -> Done:
    """What was done since a phase began, read from the clients' own records: to-dos of this work tree's sessions."""
    return Done(spent_on(ports, at, phase), completed_since(ports, at, phase.started_at))


def completed_since(ports: Ports, at: ProjectSession, since: str) -> tuple[str, ...]:
    """The to-dos that sessions of this work tree ticked off since `since` (RFC 3339)."""
    completed: list[str] = []
    files = (item for item in found_in(ports.locators, project_at(at.location.root)))
    recent = [item for item in files if item.modified_ns and _time(item.modified_ns) >= since][:_SESSIONS_MAX]
    for item in recent:
        reader = reader_at(item.path, ports.readers)
        if reader is None:
            continue
        todos = TodoList()
        try:
            todos.take(one for one in SessionLog(item.path, reader) if one.time >= since)
        except OSError:
            continue
        completed += [at.redact(one.text) for one in todos.entries if one.status == "completed"]
    return tuple(dict.fromkeys(completed))


def _time(nanoseconds: int) -> str:
    return timestamp(nanoseconds // 1_000_000)


def ticks(phase: Phase, completed: Iterable[str]) -> tuple[Tick, ...]:
    """The steps of a phase that to-dos which are ticked off mean: by their words."""
    said = [set(_WORD.findall(text.lower())) for text in completed]
    found = []
    for step in phase.steps:
        words = set(_WORD.findall(step.text.lower()))
        if not step.ticked and words and any(_means(words, other) for other in said):
            found.append(Tick(phase.id, step.id))
    return tuple(found)


def _means(one: set[str], other: set[str]) -> bool:
    both = len(one & other)
    return bool(other) and both >= _LIKE * len(one) and both >= _LIKE * len(other)


def percent(tokens: int, budget: int) -> int:
    """How much of a budget is spent, 0 where there is none."""
    return tokens * 100 // budget if budget else 0
