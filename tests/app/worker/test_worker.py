"""What one worker does with a phase that it takes, that is taken from it, or that it gives back."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from clew.app.launching.worker import JobResult
from clew.app.phase.lifecycle import phase_start
from clew.app.plan.lifecycle import plan_approve, plan_write
from clew.app.project.opening import ProjectHandle
from clew.app.run.context import Outside, ProgressEvent, RunOptions
from clew.app.run.leases import Pulse
from clew.app.run.prepare import made_ready
from clew.app.run.runner import carried_out
from clew.app.run.summary import RunSummary
from clew.app.worker.branches import PhaseBranches
from clew.app.worker.dispatch import Dispatch, Elsewhere, worker_board
from clew.app.worker.worker import PhaseWorker, WorkerOptions, ready_worker
from clew.clients.launching import Job, Limited
from clew.core.errors import InputError, LedgerError, NotAllowed
from clew.core.state.events import timestamp
from clew.queue.port import Order
from clew.testing.clock import Clock
from tests.app.run.runs import Client, good, plan_text
from tests.app.worker.teams import Member, Team, team
from tests.app.worlds import secrets
from tests.ledger.postgres.server import server
from tests.queue.memory import MemoryQueue
from tests.workspace.repos import Repo

WAIT_S = 60.0


@pytest.fixture
def one(tmp_path: Path) -> Iterator[Team]:
    """A lead and a worker's clone, with a plan of one phase; nothing runs there by itself."""
    with team(tmp_path, server(), workers=1, phases=1) as made:
        yield made


@pytest.fixture
def two(tmp_path: Path) -> Iterator[Team]:
    """The same with two workers' clones."""
    with team(tmp_path, server(), workers=2, phases=1) as made:
        yield made


class Desk:
    """A queue in memory, whose clock is moved by hand, and what was told."""

    def __init__(self, made: Team) -> None:
        self.team = made
        self.clock = Clock(time.time_ns() // 1_000_000)
        self.queue = MemoryQueue(self.clock)
        self.told: list[ProgressEvent] = []
        self.outside = Outside(self.told.append, lambda *_: None, lambda _: time.sleep(0.02), time.monotonic)

    def order(self, *tags: str) -> str:
        """The only phase is put into the queue; its job."""
        world = self.team.lead.world
        repository = worker_of(self, self.team.lead, Client()).repository
        with world.desk(write=False) as at:
            task = at.task()
        base = PhaseBranches(world.ports, repository, "origin").offer(task, "main")
        phase = self.team.plan.phases[0]
        return self.queue.put(Order(task, phase.id, 1, phase.title, "run-1", base, tags))

    def state(self) -> str:
        return self.queue.jobs()[-1].state

    def run(self, *, seconds: float = WAIT_S) -> RunSummary:
        """The plan is run on workers until it ends; Ctrl-C comes after so many seconds."""
        limit = time.monotonic() + seconds

        def sleep(_: float) -> None:
            if time.monotonic() > limit:
                raise KeyboardInterrupt
            time.sleep(0.02)

        outside = Outside(self.told.append, lambda *_: None, sleep, time.monotonic)
        run = made_ready(self.team.handle, RunOptions(baseline=False), Elsewhere(), outside)
        branches = PhaseBranches(run.ports, run.repository, "origin")
        return Dispatch(run, self.queue, branches).carried_out()


def worker_of(desk: Desk, member: Member, client: Client, *, lease_s: int = 60) -> PhaseWorker:
    options = WorkerOptions(member.name, {"scripted": client}, lease_s=lease_s, poll_s=0.02, baseline=False)
    handle = ProjectHandle(member.world.ports, member.world.top)
    return ready_worker(handle, options, lambda: desk.queue, desk.outside)


@contextmanager
def at_work(worker: PhaseWorker) -> Iterator[threading.Thread]:
    """While this lasts the worker serves; then it ends, once it has nothing."""
    thread = threading.Thread(target=worker.serve, daemon=True)
    thread.start()
    try:
        yield thread
    finally:
        worker.ending = True
        thread.join(WAIT_S)
        assert not thread.is_alive()


def until(reached: Callable[[], object]) -> None:
    deadline = time.monotonic() + WAIT_S
    while not reached():
        assert time.monotonic() < deadline
        time.sleep(0.01)


class Waiting(Client):
    """A client that works until it is ended. `at` is set once it works, `why` is why it was ended."""

    def __init__(self) -> None:
        super().__init__()
        self.at = threading.Event()
        self.why = ""

    def __call__(
        self, job: Job, *, began: Callable[[int, str], None], seen: Callable[[Pulse], None], until: Callable[[], str]
    ) -> JobResult:
        good(job, 1)
        self.at.set()
        deadline = time.monotonic() + WAIT_S
        while not (why := until()) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.why = why
        return JobResult(False, stopped=why)


def test_who_is_refused_ends_its_client_and_commits_nothing(two: Team) -> None:
    """Given a worker whose lease ran out, another one begins the phase anew. Both attempts stay on record; the first
    one's work tree stays, and nothing of it is on the remote.
    """
    desk, slow = Desk(two), Waiting()
    first, second = two.workers
    desk.order()
    with at_work(worker_of(desk, first, slow, lease_s=1)):
        until(slow.at.is_set)
        with at_work(worker_of(desk, second, Client())):
            # Between two of its signs of life time goes by.
            until(lambda: desk.queue.jobs()[0].worker == second.name or not desk.clock.tick(2000))
            until(lambda: desk.state() == "done")
        until(lambda: slow.why)
    assert "another worker" in slow.why
    phase = two.plan.phases[0]
    assert ("done", 2) == (phase.status, phase.attempt)
    (left,) = (first.world.top / ".clew" / "worktrees").glob("p1-*")
    assert (left / "part1.txt").exists() and "-1-w" in left.name
    assert first.world.repo.git("rev-parse", "main") == first.world.repo.git("rev-parse", f"clew/{left.name}")
    heads = two.lead.world.repo.git("ls-remote", "--heads", "origin")
    assert f"clew/phase/{phase.place}" in heads and left.name not in heads
    with two.lead.world.desk(write=False) as at:
        kinds = [each.event.kind for each in at.ledger.events(task=at.task()) if each.event.kind.startswith("phase.")]
    assert ["phase.started", "phase.reopened", "phase.started", "phase.done"] == kinds


def test_what_is_given_back_goes_on_where_its_work_tree_is(one: Team) -> None:
    """Ctrl-C twice. The same machine needs no new attempt, and has what was done so far."""
    desk, slow = Desk(one), Waiting()
    desk.order()
    worker = worker_of(desk, one.workers[0], slow)
    with at_work(worker):
        until(slow.at.is_set)
        worker.ending = worker.gives_back = True
    assert ("waiting", "started") == (desk.state(), one.plan.phases[0].status)
    assert "asked to end" in desk.queue.jobs()[0].result
    with at_work(worker_of(desk, one.workers[0], Client())):
        until(lambda: desk.state() == "done")
    phase = one.plan.phases[0]
    assert ("done", 1) == (phase.status, phase.attempt)
    assert not list((one.workers[0].world.top / ".clew" / "worktrees").glob("p1-*")), "its commit is on the remote"


def test_a_limit_gives_the_phase_back_until_it_lets_go(two: Team) -> None:
    """Meanwhile the worker is free. The session goes on where it was; elsewhere only if that machine stays away."""
    desk = Desk(two)
    resets_at = timestamp(time.time_ns() // 1_000_000 + 600_000)

    def limited(_job: Job, _number: int) -> JobResult:
        return JobResult(False, session="s-1", limited=Limited("a usage limit", resets_at), stopped="")

    desk.order()
    with at_work(worker_of(desk, two.workers[0], Client({1: [limited]}))):
        until(lambda: desk.queue.jobs()[0].result)
    (job,) = desk.queue.jobs()
    assert "waiting" == job.state and job.until > resets_at and "a usage limit" in job.result
    with at_work(worker_of(desk, two.workers[1], Client())):
        desk.clock.tick(700_000)
        until(lambda: "its own machine" in desk.queue.jobs()[0].result)
    assert 1 == two.plan.phases[0].attempt


def test_a_run_puts_phases_into_the_queue_and_merges_what_comes_back(one: Team) -> None:
    """It tells who works on what; branches that are merged go. Done twice it is done once."""
    desk = Desk(one)
    with at_work(worker_of(desk, one.workers[0], Client())):
        assert "done" == desk.run().word, [each.text for each in desk.told]
    one.ended_as_undisturbed()
    assert [(1, "done", "", 1)] == [
        (each.phase, each.state, each.worker, each.attempts) for each in worker_board(one.handle, desk.queue).jobs
    ]
    assert "done" == desk.run().word and 1 == len(desk.queue.jobs())


def test_nobody_takes_what_asks_for_more_than_a_machine_has(one: Team) -> None:
    """The run tells what it waits for; Ctrl-C takes it out of the queue again."""
    plan_write(one.handle, plan_text(1).replace("- depends: none", "- tags: gpu, Linux"))
    plan_approve(one.handle)
    desk = Desk(one)
    with at_work(worker_of(desk, one.workers[0], Client())):
        found = desk.run(seconds=1.0)
    assert "halted" == found.word and "Ctrl-C" in found.halts[0].why
    assert "waits for a worker with gpu, linux" in [each.text for each in desk.told]
    assert "cancelled" == desk.state()


def test_a_phase_that_somebody_began_by_hand_is_theirs(one: Team) -> None:
    """No worker takes it away; the run tells where it is."""
    desk = Desk(one)
    desk.order()
    phase_start(one.handle, "1", with_baseline=False)
    with at_work(worker_of(desk, one.workers[0], Client())):
        until(lambda: desk.state() == "done")
    assert "under way in a work tree of somebody's" in desk.queue.jobs()[0].result
    found = desk.run()
    assert "halted" == found.word and "without workers" in found.halts[0].why


@pytest.mark.parametrize("where", ["its last state", "a commit before", "a file that git shows no patch of"])
def test_a_secret_in_the_work_of_a_phase_is_pushed_nowhere(one: Team, where: str) -> None:
    """The phase is not done by it, and a person is told; what a later commit takes out would go along, too."""
    token = secrets()["github"]

    def leaks(job: Job, number: int) -> JobResult:
        repo = Repo(Path(job.folder), make=False)
        repo.write("local.env", f"token = {token}\n")
        if where != "its last state":
            repo.commit("settings")
        if where == "a commit before":
            repo.write("local.env", "none\n")
            repo.commit("no token")
        return good(job, number)

    if where == "a file that git shows no patch of":  # git goes by the attributes of the work tree where it is asked
        one.workers[0].world.repo.write(".gitattributes", "*.env -diff\n")
    desk = Desk(one)
    with at_work(worker_of(desk, one.workers[0], Client({1: [leaks]}))):
        found = desk.run()
    assert "halted" == found.word and "what would be pushed holds what looks like a secret" in found.halts[0].why
    assert token not in found.halts[0].why and "started" == one.plan.phases[0].status
    assert "/p1-" not in one.lead.world.repo.git("ls-remote", "--heads", "origin")


@pytest.mark.parametrize("where", ["a file", "a message", "a merge"])
def test_a_secret_in_a_commit_of_the_base_that_was_never_pushed_stays_here(one: Team, where: str) -> None:
    """What the remote has already is not looked at."""
    repo, desk = one.lead.world.repo, Desk(one)
    token = secrets()["github"]
    repo.write("old.txt", f"token = {token}\n")
    repo.commit("pushed by its owner")
    repo.git("push", "-q", "origin", "main")
    desk.order()
    if where == "a file":
        repo.write("note.txt", f"token = {token}\n")
        repo.commit("a note")
        repo.write("note.txt", "none\n")
    elif where == "a merge":
        repo.git("checkout", "-q", "-b", "side")
        repo.write("side.txt", "side\n")
        repo.commit("side")
        repo.git("checkout", "-q", "main")
        repo.git("merge", "-q", "--no-ff", "--no-commit", "side")
        repo.write("side.txt", f"token = {token}\n")
    else:
        repo.write("note.txt", "none\n")
    repo.commit(f"no token {token}" if where == "a message" else "no token")
    before = repo.git("ls-remote", "--heads", "origin")
    with pytest.raises(NotAllowed, match=r"looks like a secret: .*\(main, commit ") as error:
        desk.order()
    assert "E-egress-secret" == error.value.code and token not in error.value.message
    assert before == repo.git("ls-remote", "--heads", "origin")


def test_a_run_without_workers_leaves_their_phases_alone(one: Team) -> None:
    """It neither ends their clients nor begins their phases anew."""
    desk, slow = Desk(one), Waiting()
    desk.order()
    worker = worker_of(desk, one.workers[0], slow)
    with at_work(worker):
        until(slow.at.is_set)
        found = carried_out(made_ready(one.handle, RunOptions(), Client(), desk.outside))
        worker.ending = worker.gives_back = True
    assert "halted" == found.word and "with a worker on another machine" in found.halts[0].why
    assert ("started", 1) == (one.plan.phases[0].status, one.plan.phases[0].attempt)


def test_where_no_worker_begins(one: Team) -> None:
    """Below an agent, and without the remote by which code comes and goes."""
    desk = Desk(one)
    member = one.workers[0]
    handle = ProjectHandle(member.world.ports, member.world.top)
    options = WorkerOptions("w", {"scripted": Client()}, remote="upstream")
    with pytest.raises(InputError, match="no remote 'upstream'"):
        ready_worker(handle, options, lambda: desk.queue, desk.outside)
    below = Outside(desk.told.append, lambda *_: None, time.sleep, time.monotonic, "claude started it")
    with pytest.raises(NotAllowed, match="claude started it"):
        ready_worker(handle, options, lambda: desk.queue, below)


def test_nothing_of_a_workers_waits_in_a_spool(one: Team) -> None:
    """An event in it loses its key, and would count besides the one that another worker records under that key."""
    member = one.workers[0]
    handle = ProjectHandle(member.world.ports._replace(spools=False), member.world.top)
    with pytest.raises(LedgerError, match="cannot be reached"), handle.open(write=True) as at:
        member.relay.close()
        at.keep([at.event("run.started", {"run": "r"}, task="", key="once")])
    assert not (member.world.top / ".clew" / "spool").exists()


def test_an_order_that_begins_elsewhere_waits(one: Team) -> None:
    """A remote that is not the run's has no such commit: the order goes back, and says why."""
    desk = Desk(one)
    phase = one.plan.phases[0]
    with one.lead.world.desk(write=False) as at:
        desk.queue.put(Order(at.task(), phase.id, 1, phase.title, "run-1", "ab" * 20))
    with at_work(worker_of(desk, one.workers[0], Client())):
        until(lambda: desk.queue.jobs()[0].result)
    assert "git fetch failed" in desk.queue.jobs()[0].result and "planned" == one.plan.phases[0].status
