"""The runner: asks what comes next, does it, and asks again, until nothing is left to be done without a person.

The ledger is the only truth about progress. So it does not matter at what moment a runner is killed: the next one asks
the same question of the same facts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeAlias, assert_never

from clew.app.phase.lifecycle import phase_claim, phase_diff, phase_finish, phase_start, phase_stop
from clew.app.project.location import locate
from clew.app.project.opening import ProjectHandle
from clew.app.project.runtime_dirs import opened
from clew.app.run.context import WORKERS, Run
from clew.app.run.summary import RunSummary, keep_lines, place_of, removed, summarised
from clew.app.run.working import budget_spent, reason_of, recovered, work
from clew.app.validate.configured import configured, of_phase
from clew.app.validate.tree import ground
from clew.app.validate.validation import LedgerFacts, Validation, ValidationRequest, validated
from clew.app.worktree.make import create
from clew.app.worktree.merge import merge
from clew.app.worktree.place import registered
from clew.core.errors import ClewError, InputError, told
from clew.core.plan.next_actions import (
    CommitPhase,
    EndRun,
    Halt,
    Merge,
    Recover,
    ReviewPhase,
    Round,
    RunState,
    StartPhase,
    StopPhase,
    Validate,
    Wait,
    Word,
    WorkOnPhase,
    is_through,
    next_actions,
)
from clew.core.plan.plan import Phase, Plan
from clew.core.state.events import Data
from clew.core.state.ids import identity
from clew.core.text.cleaning import shorten
from clew.workspace.repository import head

_FILES_SHOWN: Final = 6
_TEXT_CHARS: Final = 300
_WHY_CHARS: Final = 2_000


Deed: TypeAlias = StartPhase | WorkOnPhase | Recover | Validate | ReviewPhase | CommitPhase | Merge | StopPhase


def done(run: Run, action: Deed) -> None:
    """Do one deed. What cannot be done for a phase is kept in `run.stuck`, for the person."""
    try:
        attempted(run, action)
    except (ClewError, OSError) as error:
        keep_stuck(run, action.phase, error)


def keep_stuck(run: Run, phase: str, error: ClewError | OSError) -> None:
    """Keep in `run.stuck` what cannot be done for a phase (an id). Raises a fault as it is."""
    problem = told(error)
    if problem is None:
        raise error
    found = run.look()[0].with_id(phase)
    hint = f" ({problem.hint})" if problem.hint else ""
    run.stuck[phase] = f"phase {found.number if found else 0}: {problem.message}{hint}"


def attempted(run: Run, action: Deed) -> None:
    """Do one deed. Raises `ClewError` and `OSError` where it cannot be done; nothing where somebody else was first."""
    phase = run.look()[0].with_id(action.phase)
    assert phase is not None
    if not isinstance(action, StartPhase) and action.attempt != phase.attempt:
        return
    try:
        _stand(run, action, phase)
        _do(run, action, phase)
        if isinstance(action, StartPhase | CommitPhase | Merge | StopPhase):
            keep_lines(run)
    except ClewError as error:
        if error.code != "E-phase-late":  # else somebody else was first, and the ledger says what
            raise


def _stand(run: Run, action: Deed, phase: Phase) -> None:
    """Raise `InputError` where the ground of a deed is gone: the run's branch, or the phase's work tree."""
    if isinstance(action, Recover | StopPhase | Merge):
        return
    at = head(run.repository)
    if run.branch and (isinstance(action, StartPhase) or not phase.place) and (at is None or at.branch != run.branch):
        now = at.branch if at and at.branch else "no branch"
        raise InputError(
            f"the run began on {run.branch}, and the work tree is on {now} by now",
            code="E-run-branch",
            hint=f"`git switch {run.branch}`, then `clew run` goes on.",
        )
    if phase.place and not isinstance(action, StartPhase) and not run.folder(phase).is_dir():
        raise InputError(
            f"its work tree {phase.place} is not there: it was moved, deleted, or its disk is away",
            code="E-worktree-gone",
            hint=f'Bring it back; or `clew phase stop {phase.number} --cause "…"`, `clew phase reopen {phase.number}`.',
        )


def _do(run: Run, action: Deed, phase: Phase) -> None:
    match action:
        case StartPhase():
            _start(run, phase, apart=action.apart)
        case WorkOnPhase():
            work(run, action)
        case Recover():
            recovered(run, phase, action.attempt, action.number)
        case Validate():
            _validate(run, phase, action)
        case ReviewPhase():
            _review(run, phase, action)
        case CommitPhase():
            _commit(run, phase, action)
        case Merge():
            _merge(run, phase)
        case StopPhase():
            phase_stop(ProjectHandle(run.ports, run.folder(phase)), phase.id, cause=action.cause)
            run.told("stopped", phase.number, action.cause)
        case _ as never:
            assert_never(never)


def _start(run: Run, phase: Phase, *, apart: bool) -> None:
    with run.gate:
        place = _place(run, phase) if apart else ""
    folder = run.folder(phase._replace(place=place))
    run.told("phase", phase.number, f"{phase.title}{f' (in the work tree {place})' if place else ''}")
    moved = phase_start(ProjectHandle(run.ports, folder), phase.id, place=place, with_baseline=run.options.baseline)
    for note in moved.notes:
        run.told("checks", phase.number, note)


def _place(run: Run, phase: Phase) -> str:
    """The work tree of a phase's next attempt, made; one that a killed run made for it is taken."""
    name = f"{place_of(phase)}{phase.attempt + 1}{run.sharing.suffix}"
    try:
        path = create(run.ports, run.repository, name, base=run.sharing.base).path
    except InputError as error:
        if error.code != "E-worktree-exists" or name not in registered(run.repository):
            raise
        path = run.folder(phase._replace(place=name))
    # What a person opted into for the repository holds here, too: guards, gates, what a starting session is given.
    opened(str(run.ports.trust_store.parent), locate(path), str(path))
    return name


def _validate(run: Run, phase: Phase, action: Validate) -> None:
    last = _round(run, phase, action.number)
    run.told("checks", phase.number, "the checks run")
    cause = last.cause or (f"the checks said: {phase.checks[-1].failure or 'they failed'}" if phase.checks else "")
    moved = phase_claim(
        ProjectHandle(run.ports, run.folder(phase)),
        phase.id,
        outcome=last.reason or phase.title,
        cause=cause,
        attempt=action.attempt,
        progress=lambda name: run.told("checks", phase.number, name),
    )
    found = moved.validation
    assert found is not None
    word, reason = _word(found)
    _judged(run, phase, action.number, last, word, reason, found.tree)
    if word == "not-run":
        run.stuck[phase.id] = f"the checks of phase {phase.number} were not run: {reason}"
    if moved.phase.status == "stopped":
        run.told("stopped", phase.number, f"it failed again: {reason}")


def _word(found: Validation) -> tuple[Word, str]:
    """What a validation comes to for a run: all but a pass is a failure to be mended, unless nothing could be run."""
    if found.word == "VALIDATION_OK":
        return "passed", ""
    if found.word == "NOT_RUN":
        return "not-run", found.reason
    weakened = [f"{one.path}:{one.line} {one.what}" if one.path else one.what for one in found.weakened]
    return "failed", reason_of(found.failure or weakened, f"{found.word}: {found.reason}")


def _review(run: Run, phase: Phase, action: ReviewPhase) -> None:
    last = _round(run, phase, action.number)
    diff = phase_diff(ProjectHandle(run.ports, run.folder(phase)), phase.id)
    said = run.outside.ask(phase.number, f"{phase.title}: {last.reason}", diff)
    if said is None:
        run.barred = "it waits for somebody to look through what was done"
        run.stuck[phase.id] = f"phase {phase.number} waits for somebody to look through it"
        return
    _judged(run, phase, action.number, last, said[0], said[1], "")


def _judged(run: Run, phase: Phase, number: int, last: Round, word: Word, reason: str, tree: str) -> None:
    data: Data = {
        "phase": phase.id,
        "attempt": phase.attempt,
        "round": number,
        "number": len(last.judged) + 1,
        "word": word,
        "reason": reason,
        "tree": tree,
    }
    run.record("work.judged", data, key=f"work:{phase.id}:{phase.attempt}:{number}:judged:{len(last.judged) + 1}")
    run.told("judged", phase.number, f"{_WORDS[word]}{f': {reason}' if reason else ''}")


_WORDS: Final[dict[Word, str]] = {
    "passed": "the checks passed",
    "failed": "the checks failed",
    "not-run": "the checks were not run",
    "unproved": "the files changed since the checks passed",
    "accepted": "a person accepted it",
    "changes": "a person wants changes",
}


def _commit(run: Run, phase: Phase, action: CommitPhase) -> None:
    last = _round(run, phase, 0)
    try:
        moved = phase_finish(
            ProjectHandle(run.ports, run.folder(phase)),
            phase.id,
            outcome=action.outcome or phase.title,
            attempt=action.attempt,
            publish=lambda: run.sharing.publish(phase),
        )
    except InputError as error:
        if error.code != "E-phase-unproved":
            raise
        _judged(run, phase, last.number, last, "unproved", error.message, "")
        return
    made = f" (commit {moved.commit[:10]})" if moved.commit else " (nothing to commit)"
    run.told("done", phase.number, f"{moved.phase.outcome}{made}, checkpoint {moved.checkpoint}")


def _merge(run: Run, phase: Phase) -> None:
    with run.gate:
        run.sharing.bring(phase)
        found = merge(run.ports, run.repository, phase.place, validate=lambda folder: _is_valid(run, phase, folder))
        if found.outcome == "merged":
            merged: Data = {"phase": phase.id, "attempt": phase.attempt, "commit": found.commit}
            run.record("phase.merged", merged, key=f"phase:{phase.id}:{phase.attempt}:merged")
            removed(run, phase.place)
            run.told("merged", phase.number, f"into {found.base} (commit {found.commit[:10]})")
            return
    if found.outcome == "conflict":
        why = f"{found.base} and {found.branch} both changed {', '.join(found.files[:_FILES_SHOWN])}"
    elif found.outcome == "not clean":
        why = "; ".join(one.text for one in found.reasons[:_FILES_SHOWN])
    else:
        why = f"the checks fail on what {found.base} would become with it"
    run.stuck[phase.id] = f"phase {phase.number} is not merged: {why}"
    _blocked(run, phase, why, found.name)


def _is_valid(run: Run, phase: Phase, folder: Path) -> bool:
    """Whether the checks of the project, of the phase, and of all that is in the branch already, pass on a merge."""
    there = [one for one in run.look()[0].phases if one.id == phase.id or (one.status == "done" and is_through(one))]
    project = configured(folder)
    own = of_phase(dict.fromkeys(line for one in there for line in one.validate), project)
    checks = (*own, *(check for check in project if check not in own))
    location = locate(folder)
    known = LedgerFacts(checks=checks, done=tuple(one.number for one in there), approved=True)
    with ground(location, run.ports.environment, lasting=False) as here:
        request = ValidationRequest(everything=True)
        run.told("checks", phase.number, f"the checks of all that is merged run on it ({len(checks)})")
        found = validated(
            run.ports,
            location,
            here,
            request,
            known,
            redact=run.ports.redact,
            progress=lambda name: run.told("checks", phase.number, name),
        )
    return found.word == "VALIDATION_OK"


def _blocked(run: Run, phase: Phase, why: str, name: str) -> None:
    """What the work waits for, until a person merges it: said once for an attempt."""
    item = f"B-{identity('phase-unmerged', run.task, phase.id, str(phase.attempt))}"
    where = f"is done in the work tree {name} and not merged: `clew worktree merge {name}`"
    text = f"Phase {phase.number} ({phase.title}) {where}"
    with run.open(write=True) as at:
        data = {
            "item": item,
            "kind": "blocker",
            "text": shorten(text, _TEXT_CHARS),
            "why": shorten(at.safe(why), _WHY_CHARS),
        }
        at.keep([at.event("item.stated", data, task=run.task, key=f"{item}:{run.task}")])


def _round(run: Run, phase: Phase, number: int) -> Round:
    """A round of the phase as the ledger has it now; 0: the last one."""
    rounds = run.look()[1].get(phase.id, ())
    return rounds[number - 1]


# So often a run that waits looks at the clock: a machine that slept goes on as soon as it wakes.
_LOOK_S: Final = 15.0
# So long a deed that ends by itself is waited for after somebody asked the run to end.
_END_S: Final = 30.0
ASKED: Final = "the run was asked to end (Ctrl-C)"


def carried_out(run: Run) -> RunSummary:
    """Carry the plan out as far as it goes without a person. Raises `InputError` where another run is at it."""
    with alone_at(run), ThreadPoolExecutor(max_workers=max(1, run.limits.jobs)) as pool:
        run.told("run", 0, f"{run.worker.client}, {run.limits.jobs} at a time")
        going: dict[str, Future[None]] = {}
        try:
            over = _to_its_end(run, pool, going)
        except KeyboardInterrupt:
            run.barred, run.interrupted = ASKED, True
            wait(going.values(), timeout=_END_S)
            over = EndRun("halted", (Halt("", ASKED, "clew run"),))
        return summarised(run, over)


@contextmanager
def alone_at(run: Run) -> Iterator[None]:
    """One run at a time in a project; its beginning is recorded. Raises `InputError` where another one is at it."""
    other = run.leases.begin()
    if other:
        raise InputError(
            f"another run is under way here (process {other})",
            code="E-run-busy",
            hint="`clew run --watch` shows it; end it with Ctrl-C in its terminal, and it can be gone on with.",
        )
    try:
        run.record("run.started", {"run": run.identity, "client": run.worker.client, "jobs": run.limits.jobs})
        yield
    finally:
        run.leases.end()


def _to_its_end(run: Run, pool: ThreadPoolExecutor, going: dict[str, Future[None]]) -> EndRun:
    while True:
        for name in [name for name, future in going.items() if future.done()]:
            going.pop(name).result()
        for action in next_actions(state_of(run, going)):
            match action:
                case EndRun():
                    return action
                case Wait():
                    run.did_something = True
                    _waited(run, action)
                case Halt():
                    pass
                case _:
                    run.did_something = True
                    going[action.phase] = pool.submit(done, run, action)
        if going:
            wait(going.values(), return_when=FIRST_COMPLETED)


def _waited(run: Run, action: Wait) -> None:
    """Wait until the clock says so, however the time goes by."""
    plan, _ = run.look()
    phase = plan.with_id(action.phase)
    run.record("run.waits", {"run": run.identity, "phase": action.phase, "until": action.until, "reason": action.why})
    run.told("waits", phase.number if phase else 0, f"until {action.until}: {action.why}")
    keep_lines(run, action.until)
    until_ms = run.until_ms(action.until)
    while not run.barred and (left_ms := until_ms - run.ports.now_ms()) > 0:
        run.outside.sleep(min(_LOOK_S, left_ms / 1000))


def state_of(run: Run, going: Mapping[str, object]) -> RunState:
    """How the run stands: what the ledger says, what the work trees hold, and who works."""
    plan, rounds = run.look()
    now = {(one.id, one.attempt) for one in plan.phases if one.status == "started"}
    elsewhere = {one.phase for one in run.leases.held() if one.task == run.task and (one.phase, one.attempt) in now}
    meant = [found.id for word in run.options.only if (found := plan.phase(word)) is not None]
    planned = any(one.status == "planned" for one in plan.phases)
    return RunState(
        plan,
        rounds,
        run.now,
        run.limits,
        busy=frozenset((*going, *elsewhere)),
        only=frozenset(meant),
        reviews=run.options.reviews,
        proved=frozenset(one.id for one in plan.phases if one.id not in going and _is_proved(run, one, rounds)),
        clean=run.limits.jobs > 1 or not planned or bool(going) or _is_clean(run, plan),
        stuck={**_at_workers(run, plan), **run.stuck},
        barred=run.barred or budget_spent(run),
    )


def _at_workers(run: Run, plan: Plan) -> dict[str, str]:
    """Of phases whose work tree a worker has on another machine, what a run here waits for."""
    if not any(WORKERS in one.place for one in plan.phases):
        return {}
    there = registered(run.repository)
    return {
        one.id: f"phase {one.number} is with a worker on another machine (work tree {one.place}): "
        "`clew run --on-workers` goes on with it"
        for one in plan.phases
        if WORKERS in one.place and one.place not in there and not is_through(one) and one.status in ("started", "done")
    }


def _is_proved(run: Run, phase: Phase, rounds: Mapping[str, Sequence[Round]]) -> bool:
    """Whether the checks passed on the files of a phase as they are now; asked only where that is all that is left."""
    mine = rounds.get(phase.id, ())
    if phase.status != "started" or not mine or mine[-1].verdict not in ("passed", "accepted"):
        return False
    try:
        with ground(locate(run.folder(phase)), run.ports.environment, lasting=True) as here:
            check = phase.check_on(here.tree())
    except ClewError:
        return False
    return check is not None and check.verdict == "passed"


def _is_clean(run: Run, plan: Plan) -> bool:
    """Whether nothing lies in the work tree that a phase's commit would take along: changes of tracked files, and where
    a phase was stopped there, whatever it left.
    """
    with ground(locate(run.top), run.ports.environment, lasting=True) as here:
        if here.git is None:
            return True
        if any(one.status == "stopped" and not one.place for one in plan.phases):
            return here.tree() == here.tree_of("HEAD")
        return not here.git.status().changed
