"""A worker: takes phases that its machine can do from the queue, and advances each as a run on one machine does.

The queue says who is at a phase; the ledger alone says what became of it. An attempt is carried out by one machine, in
a work tree whose name tells the machine: who takes a phase over from another one releases that attempt, under the key
by which the other would end it, and begins a new one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Final, Literal, NamedTuple, Self

from clew.app.plan.where import recorded
from clew.app.ports import Ports
from clew.app.project.device import store_mark
from clew.app.project.location import locate
from clew.app.project.opening import ProjectHandle
from clew.app.run.context import WORKERS, Outside, ProgressEvent, Run, RunOptions, Sharing, Worker
from clew.app.run.leases import Name
from clew.app.run.prepare import checked_place, limits_of, untrusted_checks
from clew.app.run.runner import attempted, state_of
from clew.app.run.summary import removed
from clew.app.worker.branches import PhaseBranches
from clew.app.worktree.place import registered
from clew.core.errors import ClewError, InputError, LedgerError, NotAllowed, told
from clew.core.plan.next_actions import EndRun, Halt, Merge, Wait, next_actions
from clew.core.plan.phase_machine import Release
from clew.core.plan.plan import Phase
from clew.core.state.events import timestamp
from clew.core.text.cleaning import clean, one_line
from clew.queue.port import CLIENT, Claim, Order, Queue, Refused
from clew.workspace.repository import Repository, find

# More phases at a time than any plan has: how many there are at once is the queue's matter.
_PHASES_MAX: Final = 1000
# Signs of life in the time for which a claim holds.
_BEATS: Final = 3
# A server that is away, or a remote, is asked again after so long.
_AGAIN_S: Final = 5.0
# So often what fails for now is tried again.
_FAILURES_MAX: Final = 100
# A session that waited goes on where its work tree is; if that machine is not there for so long, elsewhere and anew.
_OWN_S: Final = 30
# The state of a phase changes beneath a deed where another worker releases its attempt.
_PASSING: Final = (
    "E-ledger-away", "E-ledger-busy", "E-git-failed", "E-git-slow", "E-worker-branch", "E-phase-state",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """`name` is what others see; of `clients` (by family) the first works where the order names none. A claim holds for
    `lease_s` seconds without a sign of life; the queue is asked every `poll_s`.
    """

    name: str
    clients: Mapping[str, Worker]
    tags: tuple[str, ...] = ()
    jobs: int = 1
    remote: str = "origin"
    lease_s: int = 60
    poll_s: float = 1.0
    baseline: bool = True


class _End(NamedTuple):
    """How a claim ends. over: nothing is left to be done. halted: a person is needed. back: it is given back, to be
    claimed in `after_s` seconds. lost: it is somebody else's.
    """

    word: Literal["over", "halted", "back", "lost"]
    why: str = ""
    after_s: float = 0.0


class Lease:
    """While one is in it, the claim is extended three times in each `lease_s`. `since` is `monotonic()` from before it
    was claimed.
    """

    def __init__(
        self, open_queue: Callable[[], Queue], claim: Claim, lease_s: int, since: float, monotonic: Callable[[], float]
    ) -> None:
        self._open_queue, self._claim, self._lease_s, self._monotonic = open_queue, claim, lease_s, monotonic
        self._until = since + lease_s
        self._refused = ""
        self._over = Event()
        self._thread = Thread(target=self._beat, daemon=True, name="lease")

    def lost(self) -> str:
        """Why the phase may be somebody else's by now, "" it is not."""
        if not self._refused and self._monotonic() > self._until:
            return f"there was no sign of life for {self._lease_s} seconds, so that another worker may have it"
        return self._refused

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()

    def _beat(self) -> None:
        pause = self._lease_s / _BEATS
        while not self._over.wait(pause) and not self._refused:
            try:
                with closing(self._open_queue()) as queue:
                    pause = self._beaten(queue)
            except LedgerError:
                pause = self._lease_s / _BEATS / 4

    def _beaten(self, queue: Queue) -> float:
        """Give signs of life until it is over, or refused: how long to pause then."""
        pause = 0.0
        while not self._over.wait(pause):
            asked = self._monotonic()
            try:
                queue.extend(self._claim, self._lease_s)
            except Refused as error:
                self._refused = f"the phase was given to another worker, or cancelled ({error})"
                break
            self._until = asked + self._lease_s
            pause = self._lease_s / _BEATS
        return 0.0


@dataclass(slots=True)
class PhaseWorker:
    """A worker of one clone. `ending`: it takes nothing more. `gives_back`: nor does it end what it has."""

    ports: Ports
    top: Path
    options: WorkerOptions
    open_queue: Callable[[], Queue]
    outside: Outside
    branches: PhaseBranches
    ending: bool = False
    gives_back: bool = False
    gate: Lock = field(default_factory=Lock)

    @property
    def repository(self) -> Repository:
        found = find(self.top)
        assert found is not None
        return found

    @property
    def suffix(self) -> str:
        """What the names of this clone's work trees of phases end with."""
        return f"{WORKERS}{store_mark(locate(self.top).ledger)[:8]}"

    def serve(self) -> None:
        """Work until `ending`, or Ctrl-C: then what is under way is done to its end; at the second one it is given
        back.
        """
        tags = (*self.options.tags, *(CLIENT + name for name in self.options.clients))
        going: set[Future[None]] = set()
        with ThreadPoolExecutor(self.options.jobs) as pool, ExitStack() as opened:
            queue, away = None, ""
            while not self.ending or going:
                try:
                    for future in [one for one in going if one.done()]:
                        going.discard(future)
                        future.result()
                    try:
                        queue = queue or opened.enter_context(closing(self.open_queue()))
                        self._turn(pool, queue, tags, going)
                        away = ""
                    except LedgerError as error:
                        if error.code not in _PASSING:
                            raise
                        if error.message != away:
                            away = error.message
                            self._tell(0, f"{away}; it is asked again")
                        self._pause(going)
                except KeyboardInterrupt:
                    self.gives_back = self.gives_back or self.ending
                    self.ending = True
                    if going:
                        what = "gives it back" if self.gives_back else "ends what it has; Ctrl-C again gives it back"
                        self._tell(0, f"the worker {what}")

    def _turn(self, pool: ThreadPoolExecutor, queue: Queue, tags: tuple[str, ...], going: set[Future[None]]) -> None:
        """Take what waits, or wait. Raises `LedgerError` where the queue does not answer."""
        if not self.ending and len(going) < self.options.jobs:
            since = self.outside.monotonic()
            claim = queue.claim(self.options.name, tags, self.options.lease_s)
            if claim is not None:
                going.add(pool.submit(self._carry, claim, since))
                return
        self._pause(going)

    def _pause(self, going: set[Future[None]]) -> None:
        if going:
            wait(going, timeout=self.options.poll_s, return_when=FIRST_COMPLETED)
        elif not self.ending:
            self.outside.sleep(self.options.poll_s)

    def _carry(self, claim: Claim, since: float) -> None:
        """Carry out what was claimed, as far as it goes, and tell the queue."""
        order = claim.order
        self._tell(order.number, f"{order.title}: taken (run {order.run})", "run")
        with Lease(self.open_queue, claim, self.options.lease_s, since, self.outside.monotonic) as lease:
            try:
                end = self._advanced(order, lease)
            except (ClewError, OSError) as error:
                problem = told(error)
                if problem is None:
                    raise
                is_passing = problem.code in _PASSING
                why = f"phase {order.number}, on {self.options.name}: {problem.message}"
                end = _End("back", why, _AGAIN_S) if is_passing else _End("halted", why)
            said = self._said(claim, end, lease)
        self._tell(order.number, said, "over")

    def _said(self, claim: Claim, end: _End, lease: Lease) -> str:
        """Tell the queue how it ended, as long as it would be heard; what to tell the person here."""
        while not (why := end.why if end.word == "lost" else lease.lost()):
            try:
                with closing(self.open_queue()) as queue:
                    if end.word == "back":
                        queue.release(claim, end.after_s, end.why)
                        return f"given back: {end.why}"
                    queue.complete(claim, end.why if end.word == "halted" else "")
                    return f"a person is needed: {end.why}" if end.word == "halted" else end.why or "done with it"
            except Refused as error:
                why = str(error)
                break
            except LedgerError:
                self.outside.sleep(min(self.options.poll_s, 1.0))
        return f"let go, and its work tree stays: {why}"

    def _advanced(self, order: Order, lease: Lease) -> _End:
        """Advance the phase until nothing is left to be done here. What fails for now is tried again in place: another
        machine would have to begin anew.
        """
        with self.gate:
            base = self.branches.base(order.task, order.base)
        run = self._run(order, lease, base)
        held, failures, why = 0, 0, ""
        while failures < _FAILURES_MAX:
            try:
                end, held = self._step(run, order.phase, lease, base, held)
            except (ClewError, OSError) as error:
                problem = told(error)
                if problem is None or problem.code not in _PASSING:
                    raise
                failures, why = failures + 1, problem.message
                if failures == 1:
                    run.told("run", order.number, f"{why}; it is tried again")
                self.outside.sleep(min(_AGAIN_S, self.options.lease_s / 4))
                continue
            if end is not None:
                return end
            failures = 0
        return _End("back", why, _AGAIN_S)

    def _step(self, run: Run, wanted: str, lease: Lease, base: str, held: int) -> tuple[_End | None, int]:
        """Do one deed: how the claim ends, None if it goes on; and the attempt that is held by this worker (0 none)."""
        plan, rounds = run.look()
        # Behind the look: what is decided on it is decided by who had the phase then.
        if why := lease.lost():
            return _End("lost", why), held
        if self.gives_back:
            return _End("back", f"{self.options.name} was asked to end"), held
        phase = plan.with_id(wanted)
        if phase is None or phase.status in ("done", "stopped"):
            return self._left(run, phase, base), held
        if phase.status == "started" and held != phase.attempt:
            last = rounds.get(phase.id, ())[-1:]
            waited = last[0].until if last and last[0].end in ("limited", "offline") else ""
            return self._taken(run, phase, waited), phase.attempt
        action = next(iter(next_actions(state_of(run, {}))), None)
        match action:
            case None | Merge() | Halt():
                return _End("back", f"phase {phase.number} is held by another process of {run.top}", _AGAIN_S), held
            case EndRun():
                return _End("halted", next((one.why for one in action.halts), f"phase {phase.number} is done")), held
            case Wait():
                wait_s = max(0, run.until_ms(action.until) - run.ports.now_ms()) / 1000
                return _End("back", f"waits until {action.until}: {action.why}", wait_s), held
            case _:
                attempted(run, action)
        return None, held

    def _taken(self, run: Run, phase: Phase, waited: str) -> _End | None:
        """Take an attempt that is under way: go on with one of this clone's that nobody is at; release one of another
        machine, so that a new one begins. `waited`: until when its session waited.
        """
        if WORKERS not in phase.place:
            where = f"the work tree {phase.place}" if phase.place else "a work tree of somebody's"
            return _End("halted", f"phase {phase.number} is under way in {where}, without workers: end it there")
        is_mine = phase.place.endswith(self.suffix) and phase.place in registered(run.repository)
        if is_mine and run.folder(phase).is_dir() and run.leases.claim(Name(run.task, phase.id, phase.attempt, 0)):
            return None
        if waited and not is_mine and run.ports.now_ms() < run.until_ms(waited) + _OWN_S * 1000:
            return _End("back", "its own machine may go on with the session", _AGAIN_S)
        reason = f"{self.options.name} took it over: whoever had it gave it back, or no sign of life"
        try:
            with run.open(write=True) as at:
                recorded(at, at.plan(run.task), Release(phase.id, phase.attempt, reason), task=run.task)
        except InputError as error:
            if error.code not in ("E-phase-late", "E-phase-state"):
                raise
        else:
            run.told(
                "recovered", phase.number, f"attempt {phase.attempt} is released, in {phase.place}; a new one begins"
            )
        return None

    def _left(self, run: Run, phase: Phase | None, base: str) -> _End:
        """Clear away what an ended phase leaves here: all of it is on the remote, or it stays."""
        if phase is None:
            return _End("over", "the plan has no such phase any more")
        run.leases.complete(Name(run.task, phase.id, phase.attempt, 0))
        is_mine = phase.place.endswith(self.suffix) and phase.place in registered(run.repository)
        with self.gate:
            if phase.status == "done" and is_mine and (why := removed(run, phase.place)):
                run.told("run", phase.number, f"the work tree {phase.place} stays: {why}")
            self.branches.forget_base(base)
        return _End("over")

    def _run(self, order: Order, lease: Lease, base: str) -> Run:
        def lost() -> str:
            return lease.lost() or (f"{self.options.name} was asked to end" if self.gives_back else "")

        def publish(phase: Phase) -> None:
            if why := lease.lost():
                raise NotAllowed(f"nothing is pushed: {why}", code="E-worker-lost")
            self.branches.publish(phase)

        worker = self.options.clients.get(order.client) or next(iter(self.options.clients.values()))
        settings = self.ports.settings(self.top)
        return Run(
            ports=self.ports._replace(task=order.task, spools=False),
            top=self.top,
            task=order.task,
            identity=order.run,
            worker=worker,
            limits=limits_of(settings, _PHASES_MAX),
            outside=self.outside,
            options=RunOptions((order.phase,), _PHASES_MAX, baseline=self.options.baseline),
            context_tokens=settings.number("run.context_tokens"),
            retry_s=settings.number("run.retry_s"),
            gate=self.gate,
            sharing=Sharing(base, self.suffix, publish, lost=lost),
        )

    def _tell(self, phase: int, text: str, sort: Literal["run", "over"] = "run") -> None:
        now = timestamp(self.ports.now_ms())
        self.outside.tell(ProgressEvent(1, sort, phase, one_line(clean(text)), 0, 0, now))


def ready_worker(
    project: ProjectHandle, options: WorkerOptions, open_queue: Callable[[], Queue], outside: Outside
) -> PhaseWorker:
    """A worker of the clone at `folder`. Raises `InputError` and `NotAllowed`: it may not begin."""
    location, repository = checked_place(project, outside)
    untrusted = untrusted_checks(project.ports, location.root)
    if untrusted:
        raise NotAllowed(
            f"nobody trusted {', '.join(untrusted)} here, so a worker could prove nothing",
            code="E-worker-trust",
            hint="`clew trust` shows the commands, and trusts them.",
        )
    branches = PhaseBranches(project.ports, repository, options.remote)
    return PhaseWorker(project.ports, location.root, options, open_queue, outside, branches)
