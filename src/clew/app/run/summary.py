"""How a run stands, for whoever looks on from beside; and what came of it: told, recorded, put into the journal, and
handed over.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from clew.app.handoff.make import make
from clew.app.hooks.session_task import keep_line
from clew.app.journal.pages import add
from clew.app.plan.where import plan_here
from clew.app.ports import runtime_dir
from clew.app.project.location import locate
from clew.app.project.opening import ProjectHandle
from clew.app.project.runtime_dirs import running
from clew.app.project.session import ProjectSession
from clew.app.project.views import views_at
from clew.app.results import JsonResult
from clew.app.run.context import Run, ledger_of, plan_and_rounds
from clew.app.run.leases import LocalLeases
from clew.app.validate.tree import forget
from clew.app.worktree.place import home_of, registered
from clew.app.worktree.remove import remove
from clew.core.errors import ClewError
from clew.core.plan.next_actions import EndRun, is_through
from clew.core.plan.plan import Phase, PhaseStatus, Plan
from clew.core.plan.recorded import run_of, spent_on
from clew.core.runtime_dir import session_folder
from clew.core.text.cleaning import shorten


def keep_lines(run: Run, waits: str = "", *, over: bool = False) -> None:
    """Let them tell how far the run is, or until when it waits (RFC 3339); once it is `over`, the phase as ever. It is
    a help: what cannot be written is left alone.
    """
    data = str(run.ports.trust_store.parent)
    with suppress(ClewError, OSError):
        sessions = running(data, locate(run.top), run.ports.now_ms() / 1000, but="")
        if not sessions:
            return
        plan, _ = run.look()
        done = sum(is_through(one) for one in plan.phases)
        text = f"run waits until {waits[11:16]} UTC" if waits else f"run: {done} of {len(plan.phases)} phases done"
        with run.open() as at:
            for one in sessions:
                if folder := session_folder(runtime_dir(run.ports, Path(one.place)), one.session):
                    keep_line(at, folder, run="" if over else text)


def removed(run: Run, name: str, *, dry_run: bool = False) -> str:
    """Remove a work tree, after the files there that are views of the ledger; why it stays, "" it is gone. With
    `dry_run` what would be lost with it, "" nothing.
    """
    try:
        if not dry_run:
            views_at(locate(home_of(run.repository) / name)).sweep()
        found = remove(run.ports, run.repository, name, dry_run=dry_run)
    except ClewError as error:
        return error.message
    return "; ".join(one.text for one in found.reasons)


def swept(run: Run, plan: Plan) -> list[str]:
    """Remove the work trees of phases that are merged, which a run that was killed left; what stays, and why. A work
    tree of another attempt at a phase, or of one that is not merged, stays; it is told where it holds work.
    """
    notes = []
    for name in registered(run.repository):
        phase = next((one for one in plan.phases if name.startswith(place_of(one))), None)
        if phase is None:
            continue
        is_over = phase.merged and name == phase.place
        why = removed(run, name, dry_run=not is_over)
        if why:
            what = "stays" if is_over else f"holds what an attempt at phase {phase.number} left"
            notes.append(f"The work tree {name} {what}: {why}.")
    return notes


def place_of(phase: Phase) -> str:
    """How the names of the work trees of a phase begin; the attempt follows."""
    return f"p{phase.number}-{phase.id[2:8].lower()}-"


_REASON_CHARS: Final = 600


class PhaseRow(JsonResult, frozen=True):
    """How a phase stands. `rounds`: contexts in its newest attempt. Tokens and cents are those of all attempts. `why`:
    its outcome, else what it waits for, "" nothing.
    """

    number: int
    title: str
    status: PhaseStatus
    attempt: int
    rounds: int
    tokens: int
    cents: int
    commit: str
    place: str
    why: str


class PhaseHalt(NamedTuple):
    """A phase (0 none) that needs a person: what it waits for, and the command to begin with, "" none."""

    phase: int
    why: str
    next: str


class RunSummary(JsonResult, frozen=True):
    """What came of a run. `word` is done, or halted: a person is needed. `handoff` is the path of the hand-off that was
    made, "" none. `notes` are for the person.
    """

    v: int
    event: str
    run: str
    word: str
    phases: tuple[PhaseRow, ...]
    halts: tuple[PhaseHalt, ...]
    tokens: int
    cents: int
    handoff: str = ""
    notes: tuple[str, ...] = ()


def rows_of(at: ProjectSession, task: str, halts: Mapping[str, str]) -> tuple[PhaseRow, ...]:
    """The phases of a task's plan as they stand."""
    plan, rounds = plan_and_rounds(at, task)
    rows = []
    for one in plan.phases:
        tokens, cents = spent_on(one, at.plan_entities(task))
        outcome = one.outcome if is_through(one) or not one.outcome else f"not merged yet: {one.outcome}"
        why = halts.get(one.id) or outcome or one.cause
        rows.append(PhaseRow.of(one, rounds=len(rounds.get(one.id, ())), tokens=tokens, cents=cents, why=why))
    return tuple(rows)


def summarised(run: Run, over: EndRun) -> RunSummary:
    """Record the end of a run and what came of it: in the ledger, and where it did anything in the journal and as a
    hand-off.
    """
    plan, _ = run.look()
    numbers = {one.id: one.number for one in plan.phases}
    with run.open() as at:
        rows = rows_of(at, run.task, {one.phase: one.why for one in over.halts})
    tokens, cents = sum(one.tokens for one in rows), sum(one.cents for one in rows)
    done = sum(one.status == "done" for one in rows)
    said = f"A run of {run.worker.client} ended: {done} of {len(rows)} phases are done"
    cost = (f", {tokens:,} tokens" if tokens else "") + (f", {cents / 100:.2f} US dollars" if cents else "")
    first = next((one.why for one in over.halts), "")
    notes: list[str] = []
    handoff = ""
    if run.did_something:
        try:
            add(ProjectHandle(run.ports, run.top), f"{said}{cost}{f'; {first}' if first else ''}")
            made = make(ProjectHandle(run.ports, run.top), task=run.task)
            handoff = made.path if made else ""
        except ClewError as error:
            notes.append(f"No hand-off was made: {error.message}.")
    if all(one.status != "started" for one in plan.phases):
        with run.open() as at:
            forget(at.location)
    notes += swept(run, plan)
    reason = shorten(f"{done} of {len(rows)} phases are done{f'; {first}' if first else ''}", _REASON_CHARS)
    run.record("run.ended", {"run": run.identity, "word": over.word, "reason": reason}, key=f"run:{run.identity}:ended")
    keep_lines(run, over=True)
    for halt in over.halts:
        run.told("halted", numbers.get(halt.phase, 0), halt.why)
    run.told("over", 0, said, tokens=tokens, cents=cents)
    once = dict.fromkeys(over.halts)
    halts = tuple(PhaseHalt(numbers.get(one.phase, 0), one.why, one.next) for one in once)
    return RunSummary(1, "summary", run.identity, over.word, rows, halts, tokens, cents, handoff, tuple(notes))


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
