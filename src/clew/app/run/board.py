"""How a run stands, for whoever looks on from beside: from the ledger, and what this machine sees of clients."""

from __future__ import annotations

from typing import NamedTuple

from clew.app.plan.where import plan_here
from clew.app.project.opening import ProjectHandle
from clew.app.results import JsonResult
from clew.app.run.context import ledger_of
from clew.app.run.leases import LocalLeases
from clew.app.run.summary import PhaseRow, rows_of
from clew.core.plan.recorded import run_of


class WorkingPhase(NamedTuple):
    """What is seen of the client that works on a phase: a `Pulse`, and the number of the phase."""

    phase: int
    act: str
    tokens: int
    cents: int
    context: int
    time: str


class Board(JsonResult, frozen=True):
    """The plan's phases as they stand, and the run. `word`: runs, waits, gone (it was ended without a word: `clew run`
    goes on), done, halted, or none. `process` is the one that runs it here, 0 none. `until` (RFC 3339) and `why` tell
    what it waits for. `working` are what is seen of clients that work now.
    """

    title: str
    run: str
    word: str
    process: int
    until: str
    why: str
    phases: tuple[PhaseRow, ...]
    working: tuple[WorkingPhase, ...]
    tokens: int
    cents: int


def board(project: ProjectHandle) -> Board:
    """The board of the plan that is bound at `folder`. Raises `InputError` where there is none."""
    with project.open(write=False) as at:
        task, plan = plan_here(at)
        rows = rows_of(at, task, {})
        run, said, until = run_of(at.plan_entities(task))
        leases = LocalLeases(ledger_of(at.location.root))
    process = leases.runs()
    numbers = {one.id: one.number for one in plan.phases}
    seen = [(name, pulse) for name, pulse in leases.pulses().items() if name.task == task]
    working = sorted(WorkingPhase(numbers[name.phase], *pulse) for name, pulse in seen if name.phase in numbers)
    over = said in ("done", "halted")
    word = "none" if not run else said if over else "gone" if not process else "waits" if until else "runs"
    why = said if word == "waits" else ""
    return Board(
        plan.title, run, word, process, until if word == "waits" else "", why, rows, tuple(working),
        sum(one.tokens for one in rows), sum(one.cents for one in rows),
    )  # fmt: skip
