"""The runner: asks what comes next, does it, and asks again, until nothing is left to be done without a person.

The ledger is the only truth about progress. So it does not matter at what moment a runner is killed: the next one asks
the same question of the same facts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Final

from clew.app.project import locate
from clew.app.run.context import Run
from clew.app.run.deeds import done
from clew.app.run.lines import keep_lines
from clew.app.run.summary import RunSummary, summarised
from clew.app.run.working import spent_for_all
from clew.app.validate.tree import ground
from clew.core.errors import ClewError, InputError
from clew.core.plan.next_actions import EndRun, Halt, Round, RunState, Wait, next_actions
from clew.core.plan.plan import Phase, Plan

# So often a run that waits looks at the clock: a machine that slept goes on as soon as it wakes.
_LOOK_S: Final = 15.0
# So long a deed that ends by itself is waited for after somebody asked the run to end.
_END_S: Final = 30.0
_ASKED: Final = "the run was asked to end (Ctrl-C)"


def carried_out(run: Run) -> RunSummary:
    """Carry the plan out as far as it goes without a person. Raises `InputError` where another run is at it."""
    with _alone(run), ThreadPoolExecutor(max_workers=max(1, run.limits.jobs)) as pool:
        run.record("run.started", {"run": run.identity, "client": run.worker.client, "jobs": run.limits.jobs})
        run.told("run", 0, f"{run.worker.client}, {run.limits.jobs} at a time")
        going: dict[str, Future[None]] = {}
        try:
            over = _to_its_end(run, pool, going)
        except KeyboardInterrupt:
            run.barred, run.interrupted = _ASKED, True
            wait(going.values(), timeout=_END_S)
            over = EndRun("halted", (Halt("", _ASKED, "clew run"),))
        return summarised(run, over)


@contextmanager
def _alone(run: Run) -> Iterator[None]:
    """One run at a time in a project."""
    other = run.leases.begin(run.identity)
    if other:
        raise InputError(
            f"another run is under way here (process {other})",
            code="E-run-busy",
            hint="`clew run --watch` shows it; end it with Ctrl-C in its terminal, and it can be gone on with.",
        )
    try:
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
        run.sleep(min(_LOOK_S, left_ms / 1000))


def state_of(run: Run, going: Mapping[str, object]) -> RunState:
    """How the run stands: what the ledger says, what the work trees hold, and who works."""
    plan, rounds = run.look()
    elsewhere = {name.phase for name in run.leases.held() if name.task == run.task}
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
        stuck=dict(run.stuck),
        barred=run.barred or spent_for_all(run),
    )


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
