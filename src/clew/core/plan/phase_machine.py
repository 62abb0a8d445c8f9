"""The phase machine: what may happen to a phase, as facts to be recorded, or why it may not. Pure.

```text
planned ── start ──► started ── done, with a check that passed on this tree ──► done ─┐
   ▲                    │                                                             │
   │                    └── stop; a second claim to be done that fails ──► stopped    │
   ├─────── release ────┘                                                             │
   └─────────────────────────────── reopen ───────────────────────────────────┴───────┘
```

An attempt is what lies between a start and an end. Attempt n of a phase is started once and ended once, whoever does
it: the facts' keys say so. A claim to be done that fails may be fixed once, with the cause stated.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias, assert_never

from clew.core.plan.plan import Check, Phase, Plan
from clew.core.state.events import Data
from clew.core.state.fold import ATTEMPTS_MAX

# A claim to be done may fail so often in one attempt: the first time it may be fixed.
FAILED_CLAIMS_MAX: Final = 2


class Start(NamedTuple):
    """Begin a phase. `tree` stands for what the work tree holds, `head` is the commit there, "" unknown. `place` is the
    work tree of its own in which a run carries it out, "" none.
    """

    phase: str
    tree: str = ""
    head: str = ""
    checkpoint: str = ""
    place: str = ""


class CommandsRan(NamedTuple):
    """The phase's commands were run. `commands` is what became of each: JSON objects as texts."""

    phase: str
    check: Check
    commands: tuple[str, ...] = ()
    duration_ms: int = 0


class Finish(NamedTuple):
    """It is done on `tree`. `attempt`: the one that it was begun in (0: the newest), so that a late word is known."""

    phase: str
    tree: str
    outcome: str
    commit: str = ""
    checkpoint: str = ""
    spent_tokens: int = 0
    attempt: int = 0


class Stop(NamedTuple):
    """It cannot be done so."""

    phase: str
    cause: str
    failure: str = ""
    checkpoint: str = ""
    spent_tokens: int = 0
    attempt: int = 0


class Reopen(NamedTuple):
    """It has to be started again."""

    phase: str
    reason: str = ""


class Release(NamedTuple):
    """Whoever carried the attempt out is gone: it ends there, unfinished, and the phase can be started again."""

    phase: str
    attempt: int
    reason: str = ""


class Raise(NamedTuple):
    """It may cost so many tokens."""

    phase: str
    budget_tokens: int
    reason: str = ""


class Tick(NamedTuple):
    """A step is done (`ticked`), or is not."""

    phase: str
    step: str
    ticked: bool = True


Command: TypeAlias = Start | CommandsRan | Finish | Stop | Reopen | Release | Raise | Tick


class PhaseFact(NamedTuple):
    """An event to be recorded: its kind and data. With a `key` it happens once, whoever records it ("" it may happen
    again). `proved`: an exit code proves it, so that it is recorded as `verified`.
    """

    kind: str
    data: Data
    key: str = ""
    proved: bool = False


# What a refusal is about, for whoever tells what to do next.
Reason = Literal[
    "no-phase",
    "no-step",
    "unapproved",
    "waits",
    "state",
    "late",
    "unproved",
    "no-cause",
    "no-outcome",
    "budget",
    "spent",
]


class PhaseRefusal(NamedTuple):
    """Why something may not happen: a sentence without its full stop."""

    reason: Reason
    why: str


def transition(plan: Plan, command: Command) -> tuple[PhaseFact, ...] | PhaseRefusal:
    """What is to be recorded when `command` is given in this state of the plan; () where that is so already."""
    phase = plan.with_id(command.phase)
    if phase is None:
        return PhaseRefusal("no-phase", f"the plan has no phase {command.phase}")
    match command:
        case Start():
            return _start(plan, phase, command)
        case CommandsRan():
            return _ran(phase, command)
        case Finish():
            return _finish(phase, command)
        case Stop():
            return _stop(phase, command)
        case Reopen():
            return _reopen(phase, command)
        case Release():
            return _release(phase, command)
        case Raise():
            return _raise(phase, command)
        case Tick():
            return _tick(phase, command)
        case _ as never:
            assert_never(never)


def _start(plan: Plan, phase: Phase, command: Start) -> tuple[PhaseFact, ...] | PhaseRefusal:
    if plan.mode != "approved":
        return PhaseRefusal("unapproved", f"{_UNAPPROVED[plan.mode]}, so no phase can be started")
    if phase.status != "planned":
        return _not_now(phase, "started")
    waits = plan.waits_for(phase)
    if waits:
        numbers = ", ".join(map(str, waits))
        return PhaseRefusal("waits", f"phase {phase.number} comes after phase {numbers}, which is not done")
    attempt = phase.attempt + 1
    if attempt > ATTEMPTS_MAX:
        return PhaseRefusal("spent", f"phase {phase.number} was tried {ATTEMPTS_MAX} times")
    data: Data = {
        "phase": phase.id,
        "attempt": attempt,
        **_given(tree=command.tree, head=command.head, checkpoint=command.checkpoint, place=command.place),
    }
    return (PhaseFact("phase.started", data, f"phase:{phase.id}:{attempt}:start"),)


def _ran(phase: Phase, command: CommandsRan) -> tuple[PhaseFact, ...] | PhaseRefusal:
    if phase.status != "started":
        return _not_now(phase, "validated")
    check = command.check
    if check.counted and phase.needs_cause and not check.cause.strip():
        return PhaseRefusal("no-cause", f"phase {phase.number} was claimed to be done and failed, and nobody said why")
    data: Data = {
        "phase": phase.id,
        "attempt": phase.attempt,
        "tree": check.tree,
        "verdict": check.verdict,
        "counted": check.counted,
        "commands": list(command.commands),
        "duration_ms": command.duration_ms,
        **_given(failure=check.failure, cause=check.cause),
    }
    ran = PhaseFact("validation.ran", data, proved=True)
    if not (check.counted and check.verdict == "failed"):
        return (ran,)
    others = sum(one.counted and one.verdict == "failed" and one.tree != check.tree for one in phase.checks)
    if others + 1 < FAILED_CLAIMS_MAX:
        return (ran,)
    return ran, _stopped(phase, Stop(phase.id, check.cause, check.failure), proved=True)


def _finish(phase: Phase, command: Finish) -> tuple[PhaseFact, ...] | PhaseRefusal:
    late = _is_late(phase, command.attempt)
    if late is not None:
        return late
    if phase.status != "started":
        return _not_now(phase, "done")
    check = phase.check_on(command.tree) if command.tree else None
    if check is None or check.verdict != "passed":
        what = "did not pass" if check is not None else "were not run"
        return PhaseRefusal("unproved", f"the checks of phase {phase.number} {what} on the files as they are now")
    if not command.outcome.strip():
        return PhaseRefusal("no-outcome", f"nobody said in a line what phase {phase.number} did")
    data: Data = {
        "phase": phase.id,
        "attempt": phase.attempt,
        "tree": command.tree,
        "outcome": command.outcome,
        **_given(commit=command.commit, checkpoint=command.checkpoint, spent_tokens=command.spent_tokens),
    }
    return (PhaseFact("phase.done", data, _end(phase), proved=True),)


def _stop(phase: Phase, command: Stop) -> tuple[PhaseFact, ...] | PhaseRefusal:
    late = _is_late(phase, command.attempt)
    if late is not None:
        return late
    if phase.status != "started":
        return _not_now(phase, "stopped")
    if not command.cause.strip():
        return PhaseRefusal("no-cause", f"nobody said why phase {phase.number} is stopped")
    return (_stopped(phase, command),)


def _stopped(phase: Phase, command: Stop, *, proved: bool = False) -> PhaseFact:
    data: Data = {
        "phase": phase.id,
        "attempt": phase.attempt,
        "cause": command.cause,
        **_given(failure=command.failure, checkpoint=command.checkpoint, spent_tokens=command.spent_tokens),
    }
    return PhaseFact("phase.stopped", data, _end(phase), proved)


def _reopen(phase: Phase, command: Reopen) -> tuple[PhaseFact, ...] | PhaseRefusal:
    if phase.status not in ("done", "stopped"):
        return _not_now(phase, "reopened")
    data: Data = {"phase": phase.id, "attempt": phase.attempt, **_given(reason=command.reason)}
    return (PhaseFact("phase.reopened", data, f"phase:{phase.id}:{phase.attempt}:reopen"),)


def _release(phase: Phase, command: Release) -> tuple[PhaseFact, ...] | PhaseRefusal:
    late = _is_late(phase, command.attempt)
    if late is not None:
        return late
    if phase.status != "started":
        return _not_now(phase, "released")
    data: Data = {"phase": phase.id, "attempt": phase.attempt, **_given(reason=command.reason)}
    # Under the key of the attempt's end: whoever ends it otherwise at the same moment comes too late, or was first.
    return (PhaseFact("phase.reopened", data, _end(phase)),)


def _raise(phase: Phase, command: Raise) -> tuple[PhaseFact, ...] | PhaseRefusal:
    if phase.status == "done":
        return _not_now(phase, "given another budget")
    if command.budget_tokens <= 0:
        return PhaseRefusal("budget", f"{command.budget_tokens} is not a number of tokens")
    if command.budget_tokens == phase.budget_tokens:
        return ()
    data: Data = {"phase": phase.id, "budget_tokens": command.budget_tokens, **_given(reason=command.reason)}
    return (PhaseFact("phase.budgeted", data),)


def _tick(phase: Phase, command: Tick) -> tuple[PhaseFact, ...] | PhaseRefusal:
    step = next((one for one in phase.steps if one.id == command.step), None)
    if step is None:
        return PhaseRefusal("no-step", f"phase {phase.number} has no step {command.step}")
    if step.ticked == command.ticked:
        return ()
    kind = "step.ticked" if command.ticked else "step.unticked"
    return (PhaseFact(kind, {"phase": phase.id, "step": step.id}),)


_UNAPPROVED: Final = {
    "none": "there is no plan",
    "kept": "nobody approved the plan",
    "planning": "the plan is not approved yet",
    "changed": "the plan was changed after it was approved",
    "dropped": "the plan was dropped",
}


def _not_now(phase: Phase, what: str) -> PhaseRefusal:
    is_so = {"planned": "was not started", "started": "is under way", "done": "is done", "stopped": "is stopped"}
    return PhaseRefusal("state", f"phase {phase.number} {is_so[phase.status]}, so it cannot be {what}")


def _is_late(phase: Phase, attempt: int) -> PhaseRefusal | None:
    if not attempt or attempt == phase.attempt:
        return None
    return PhaseRefusal("late", f"phase {phase.number} is in attempt {phase.attempt}, not in {attempt}")


def _end(phase: Phase) -> str:
    """The key of what ends an attempt: of two who end it the first one does."""
    return f"phase:{phase.id}:{phase.attempt}:end"


def _given(**told: str | int) -> dict[str, str | int]:
    return {name: value for name, value in told.items() if value}
