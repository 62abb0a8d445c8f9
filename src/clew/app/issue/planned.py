"""What people do in an issue to lines of the task's plan: a tick is a tick, other words are another plan's text.

A plan that a person approved is changed by a person only; a phase is done when its checks passed, whoever ticks it.
"""

from __future__ import annotations

import re
from typing import Final

from clew.app.issue.content import Held
from clew.app.plan.facts import facts_as_events
from clew.app.plan.writing import written
from clew.app.project import ProjectSession
from clew.core.errors import ClewError
from clew.core.plan.phase_machine import Refusal, Reopen, Tick, transition
from clew.core.plan.plan import Phase, Plan
from clew.core.state.events import Event
from clew.core.text.cleaning import one_line
from clew.documents.plan.grammar import render
from clew.documents.reconcile import Change

_NOT_PROVED: Final = "a phase is done when its checks passed: `clew phase done`"
_APPROVED: Final = "a person approved the plan"
_BOX: Final = re.compile(r"\[[ xX]\]")
_NUMBERED: Final = re.compile(r"\s*\d+(?:\.\d+)*[a-z]?\.\s+")


def is_planned(plan: Plan, name: str) -> bool:
    """Whether an id is that of a phase or a step of the plan."""
    return any(name == phase.id or any(name == step.id for step in phase.steps) for phase in plan.phases)


class PlanEdits:
    """Edits of a plan's lines, one after the other; the text is written once, behind all of them."""

    def __init__(self, at: ProjectSession, held: Held) -> None:
        self._at = at
        self._task = held.task.id
        self._plan = held.plan
        self._rows = render(held.plan).split("\n")
        self._facts: list[Event] = []
        self._is_new = False

    def take(self, change: Change, *, is_person: bool) -> str:
        """Take a change of a line of the plan, said by whoever speaks now; why it is not taken, "" if it is."""
        assert change.before is not None
        name, after = change.before.id, change.after
        phase = next(one for one in self._plan.phases if name == one.id or any(name == step.id for step in one.steps))
        if change.did == "ticked" and after is not None:
            return self._ticked(phase, name, is_done=after.status == "done", is_person=is_person)
        if change.did not in ("reworded", "removed"):
            return "it is a line of the plan: `clew plan edit`"
        if self._plan.mode in ("approved", "changed") and not is_person:
            return _APPROVED
        step = next((one for one in phase.steps if one.id == name), None)
        line, old = (step.line, step.text) if step else (phase.line, phase.title)
        new = "" if after is None else one_line(after.text)
        if after is not None and step is None:
            new = _NUMBERED.sub("", new, count=1)
        return self._replaced(line, old, new, is_phase=step is None)

    def events(self) -> list[Event]:
        """What is to be recorded."""
        found = list(self._facts)
        if self._is_new:
            try:
                text = "\n".join(row for row in self._rows if row is not _GONE)
                found += written(self._at, self._task, text, source=self._plan.source, whole=True).events
            except ClewError as problem:
                self._at.note(f"The plan stays as it is: {problem.message}.")
        return found

    def _ticked(self, phase: Phase, name: str, *, is_done: bool, is_person: bool) -> str:
        if name != phase.id:
            said = transition(self._plan, Tick(phase.id, name, is_done))
            line = next(one.line for one in phase.steps if one.id == name)
            if 0 <= line < len(self._rows):
                self._rows[line] = _BOX.sub("[x]" if is_done else "[ ]", self._rows[line], count=1)
        elif is_done:
            return _NOT_PROVED
        elif not is_person:
            return "only a person opens a phase again"
        else:
            said = transition(self._plan, Reopen(phase.id, "unticked in the issue"))
        if isinstance(said, Refusal):
            return said.why
        self._facts += facts_as_events(self._at, said, task=self._task)
        return ""

    def _replaced(self, line: int, old: str, new: str, *, is_phase: bool) -> str:
        """Other words in a line of the text, or the line taken out."""
        if not 0 <= line < len(self._rows) or old not in self._rows[line] or (is_phase and not new):
            return "it is a line of the plan: `clew plan edit`"
        self._rows[line] = self._rows[line].replace(old, new, 1) if new else _GONE
        self._is_new = True
        return ""


class _Gone(str):
    """A line that is no more."""


_GONE: Final = _Gone()
