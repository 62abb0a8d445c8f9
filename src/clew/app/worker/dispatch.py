"""A plan run on workers: phases that may begin are put into the queue, what workers did is fetched, merged and checked.

The one who runs it starts no client. All that it knows is in the ledger and in the queue: killed at any moment it can
be begun again, by anybody with the repository.
"""

from __future__ import annotations

from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NoReturn

from clew.app.plan.where import plan_here
from clew.app.project.opening import ProjectHandle
from clew.app.results import JsonResult
from clew.app.run.context import WORKERS, Run, Sharing
from clew.app.run.runner import ASKED, alone_at, attempted, keep_stuck, state_of
from clew.app.run.summary import RunSummary, summarised
from clew.app.worker.branches import PhaseBranches
from clew.core.errors import ClewError, LedgerError
from clew.core.plan.next_actions import EndRun, Halt, Merge, StartPhase, is_through, next_actions
from clew.core.plan.plan import Phase, Plan
from clew.core.text.cleaning import clean, one_line
from clew.queue.port import CLIENT, OVER, Job, JobState, Order, Queue, check_tags

EVERY_S: Final = 0.5
# How many workers there are is their matter.
_PHASES_MAX: Final = 1000
_GO_ON: Final = "clew run --on-workers"


class Elsewhere:
    """`Worker` of a run that starts no client itself."""

    client = "workers"

    def model(self, phase: Phase, plan: Plan) -> str:  # noqa: ARG002
        return ""

    def brings_payload(self, folder: Path) -> bool:  # noqa: ARG002
        return False

    def __call__(self, *_: object, **__: object) -> NoReturn:
        raise AssertionError("phases are carried out by workers")


@dataclass(slots=True)
class Dispatch:
    """A run whose phases workers carry out. `client` has to do it ("" any). `mine` are the jobs that it put there,
    `told` what was told of each phase last.
    """

    run: Run
    queue: Queue
    branches: PhaseBranches
    client: str = ""
    mine: set[str] = field(default_factory=set)
    told: dict[str, str] = field(default_factory=dict)

    def carried_out(self) -> RunSummary:
        """Have the plan carried out as far as it goes without a person. Raises `InputError` where another run is at
        it.
        """
        run = self.run
        run.sharing = Sharing(bring=lambda phase: self.branches.bring(run, phase))
        with closing(self.queue), alone_at(run):
            run.told("run", 0, "phases go to workers")
            run.limits = run.limits._replace(jobs=_PHASES_MAX)
            try:
                over = self._to_its_end()
                if over.word == "done":
                    self._tidy()
            except KeyboardInterrupt:
                run.barred, run.interrupted = ASKED, True
                with suppress(ClewError):  # what no worker has is taken back; what one has goes on, and is merged next
                    for job in self.queue.jobs():
                        if job.id in self.mine and job.state == "waiting" and not job.until:
                            self.queue.cancel(job.id)
                over = EndRun("halted", (Halt("", ASKED, _GO_ON),))
            return summarised(run, over)

    def _to_its_end(self) -> EndRun:
        away = ""
        while True:
            try:
                over = self._looked()
                away = ""
                if over is not None:
                    return over
            except LedgerError as error:
                if error.code not in ("E-ledger-away", "E-ledger-busy"):
                    raise
                if error.message != away:
                    away = error.message
                    self.run.told("run", 0, f"{away}; it is asked again")
            self.run.outside.sleep(EVERY_S)

    def _looked(self) -> EndRun | None:
        """Do what can be done now; how the run ends, None while workers are at it."""
        run = self.run
        plan, _ = run.look()
        jobs = {one.order.phase: one for one in self.queue.jobs() if one.order.task == run.task}
        for phase in plan.phases:
            self._judge(plan, phase, jobs.get(phase.id))
        state = state_of(run, {one.id: None for one in plan.phases if one.status == "started"})
        meant = [one for one in plan.phases if not state.only or one.id in state.only]
        at_work = {one.id for one in meant if self._is_at_work(one, jobs.get(one.id))}
        for action in next_actions(state._replace(busy=frozenset(at_work), stuck=dict(run.stuck))):
            match action:
                case EndRun():
                    return action
                case StartPhase():
                    at_work.add(action.phase)
                case Merge():
                    self._merge(action)
                case _:
                    pass
        for phase in meant:
            job = jobs.get(phase.id)
            is_ordered = job is not None and job.state not in OVER
            if phase.id in at_work and phase.status in ("planned", "started") and not is_ordered:
                self._order(phase)
        return None

    def _judge(self, plan: Plan, phase: Phase, job: Job | None) -> None:
        """Learn from a phase's newest job why it needs a person, cancel one that nobody wants any more, and tell."""
        run = self.run
        if phase.status == "started" and WORKERS not in phase.place:
            where = f"the work tree {phase.place}" if phase.place else "a work tree of somebody's"
            run.stuck[phase.id] = f"phase {phase.number} is under way in {where}, without workers: end it there"
        if job is None:
            return
        if job.state == "done" and job.result and job.id in self.mine and phase.status in ("planned", "started"):
            run.stuck[phase.id] = one_line(clean(job.result))
        is_other = job.state == "waiting" and set(job.order.tags) != set(self._tags(phase))
        if job.state not in OVER and (phase.status == "stopped" or plan.mode != "approved" or is_other):
            self.queue.cancel(job.id)
        words = _words(job)
        if words and self.told.get(phase.id) != words and not is_through(phase):
            self.told[phase.id] = words
            run.told("work", phase.number, words)

    def _is_at_work(self, phase: Phase, job: Job | None) -> bool:
        """Whether a worker is at it, or will be; one that is done may still be clearing away."""
        if phase.id in self.run.stuck:
            return False
        if phase.status == "started":
            return True
        return job is not None and job.state in ("working", "waiting") and phase.status in ("planned", "done")

    def _merge(self, action: Merge) -> None:
        """Fetch and merge what a worker did. Raises `LedgerError`, which passes; all else is for a person."""
        self.run.did_something = True
        try:
            attempted(self.run, action)
        except LedgerError:
            raise
        except (ClewError, OSError) as error:
            keep_stuck(self.run, action.phase, error)

    def _order(self, phase: Phase) -> None:
        run = self.run
        run.did_something = True
        tags = self._tags(phase)
        try:
            check_tags(tags)
            base = self.branches.offer(run.task, run.branch)
        except ClewError as error:
            run.stuck[phase.id] = f"phase {phase.number}: {error.message} ({error.hint})"
            return
        order = Order(run.task, phase.id, phase.number, phase.title[:1000], run.identity, base, tags)
        self.mine.add(self.queue.put(order))

    def _tags(self, phase: Phase) -> tuple[str, ...]:
        return (*phase.tags, *([CLIENT + self.client] if self.client else []))

    def _tidy(self) -> None:
        run = self.run
        try:
            commit = self.branches.offer(run.task, run.branch)
            self.branches.tidy(run.task, run.look()[0], commit)
        except ClewError as error:
            run.told("run", 0, f"branches of workers stay on the remote: {error.message}")


def _words(job: Job) -> str:
    """How a job stands, for people."""
    worker = one_line(clean(job.worker))
    match job.state:
        case "working":
            return f"{worker} works on it"
        case "lost":
            return f"{worker} gives no sign of life; the next worker takes it over"
        case "waiting" if job.until:
            return f"waits until {job.until}: {one_line(clean(job.result))}"
        case "waiting":
            tags = ", ".join(job.order.tags)
            return f"waits for a worker{f' with {tags}' if tags else ''}"
        case _:
            return ""


class JobRow(JsonResult, frozen=True):
    """A phase in the queue: which, what became of it, who has it since when, until when without a sign of life (or when
    it may be taken), how often it was taken, the tags it needs, and what was said of it last. Times are RFC 3339.
    """

    phase: int
    title: str
    state: JobState
    worker: str
    since: str
    until: str
    attempts: int
    tags: tuple[str, ...]
    why: str


class WorkerBoard(JsonResult, frozen=True):
    """The queue of the plan's task, in the order of its phases; of each phase the newest job."""

    jobs: tuple[JobRow, ...]


def worker_board(project: ProjectHandle, queue: Queue) -> WorkerBoard:
    """Who works on what of the plan that is bound at `folder`. Raises `InputError` where there is none."""
    with project.open(write=False) as at:
        task, _ = plan_here(at)
    with closing(queue):
        newest = {one.order.phase: one for one in queue.jobs() if one.order.task == task}
    rows = []
    for one in sorted(newest.values(), key=lambda job: job.order.number):
        title, worker, why = (one_line(clean(text)) for text in (one.order.title, one.worker, one.result))
        order = {"phase": one.order.number, "title": title, "tags": one.order.tags}
        rows.append(JobRow.of(one, **order, worker=worker, why=why))
    return WorkerBoard(tuple(rows))
