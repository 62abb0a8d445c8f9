"""A team: one who runs a plan, and workers, each with a home, a clone and a network of its own; real processes, a real
server, a real remote. They can be killed, frozen, cut off, and their server restarted.

What they come to must be what an undisturbed run comes to: each phase done once, in one commit, none of them lost.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from clew.app.install.init import found, plan
from clew.app.plan.lifecycle import plan_approve, plan_new, plan_write
from clew.app.ports import Ports
from clew.app.project.opening import ProjectHandle
from clew.core.plan.plan import Plan
from clew.core.state.items import Authority
from clew.workspace.process import MARK
from tests.app.projects import World
from tests.app.run.kills import _pids, _read
from tests.app.run.runs import plan_text
from tests.app.worker.relay import Relay
from tests.ledger.postgres.server import Server
from tests.workspace.repos import Repo

LEASE_S = 1
RUN_S = 120.0
_PROGRAM = Path(__file__).parents[1] / "run" / "program.py"
_GIT = "[user]\nname = Ada\nemail = ada@example.org\n"
_KEPT = ("LANG", "LC_ALL", "TMPDIR", "TERM", "KF_RULE_CACHE_DIR")
HARMS = ("kill", "freeze", "cut", "restart", "run")


class Machine(World):
    """A world by the clock on the wall, as the programs that run there have it."""

    def ports_of(self, authority: Authority) -> Ports:
        return super().ports_of(authority)._replace(now_ms=lambda: time.time_ns() // 1_000_000, chance=os.urandom)


class Member:
    """One machine of the team: its world (home and clone), and the process that runs there."""

    def __init__(self, team: Team, name: str, *, clone: bool) -> None:
        self.name = name
        self.log = team.folder / "log"
        self.relay = Relay(team.server.folder / ".s.PGSQL.5432")
        self.world = Machine(team.folder / name, ledger=False)
        (self.world.home / ".gitconfig").write_text(_GIT, encoding="utf-8")
        if clone:
            shutil.rmtree(self.world.top)
            subprocess.run(["git", "clone", "-q", str(team.remote), str(self.world.top)], check=True)
            (self.world.top / ".clew").mkdir()
            shutil.copy(team.lead.world.top / ".clew" / "config.toml", self.world.top / ".clew")
        self.address = f"postgres://clew@127.0.0.1:{self.relay.port}/team"
        handle = ProjectHandle(self.world.ports, self.world.top)
        found(self.world.ports, plan(handle, self.address)).ledger.close()
        self.process: subprocess.Popen[str] | None = None
        programs = team.folder / name / "bin"
        programs.mkdir()
        client = programs / "claude"
        client.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S {team.program} {self.log} "$@"\n', encoding="utf-8")
        client.chmod(0o755)
        own = {key: value for key, value in os.environ.items() if key in _KEPT}
        path = os.pathsep.join((str(programs), str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
        self.environment = {
            **own, "HOME": str(self.world.home), "PATH": path, "PYTHONDONTWRITEBYTECODE": "1", "USER": name,
        }  # fmt: skip

    @property
    def said(self) -> str:
        return (self.world.home / "said").read_text(encoding="utf-8")

    def begin(self, *words: str) -> subprocess.Popen[str]:
        """Begin `clew WORDS`; it goes on by itself."""
        with (self.world.home / "said").open("a", encoding="utf-8") as said:
            self.process = subprocess.Popen(
                [str(Path(sys.executable).with_name("clew")), *words],
                cwd=self.world.top, env=self.environment, stdin=subprocess.DEVNULL, stdout=said,
                stderr=subprocess.STDOUT, text=True, start_new_session=True,
            )  # fmt: skip
        return self.process

    def work(self, *options: str) -> None:
        self.begin("worker", "--lease", str(LEASE_S), "--no-baseline", "--json", "--client", "claude-code", *options)

    def send(self, number: signal.Signals) -> None:
        assert self.process is not None
        with suppress(ProcessLookupError):
            self.process.send_signal(number)

    def kill(self) -> None:
        self.send(signal.SIGKILL)
        assert self.process is not None
        self.process.wait()

    def end(self) -> int:
        """Have it end as a service is ended: its exit code."""
        self.send(signal.SIGTERM)
        assert self.process is not None
        return self.process.wait(30)

    def left(self) -> list[int]:
        """What is alive of all that was started for clients on this machine."""
        environs = {pid: _read(f"/proc/{pid}/environ") for pid in _pids()}
        return [pid for pid, told in environs.items() if f"{MARK}=" in told and str(self.world.home) in told]


class Team:
    """A lead, who runs the plan, and so many workers."""

    def __init__(
        self, folder: Path, server: Server, *, workers: int, phases: int = 3, text: str = "", program: Path = _PROGRAM
    ) -> None:
        self.folder, self.server, self.phases, self.program = folder, server, phases, program
        folder.mkdir(parents=True, exist_ok=True)
        server.empty("team")
        server.sql("DROP SCHEMA IF EXISTS absurd CASCADE", "team")
        self.remote = folder / "remote.git"
        self.lead = Member(self, "lead", clone=False)
        repo = self.lead.world.repo
        repo.write(".gitignore", "__pycache__/\n.clew/\n")
        self.begun = repo.commit("the beginning")
        subprocess.run(["git", "clone", "-q", "--bare", str(repo.top), str(self.remote)], check=True)
        repo.git("remote", "add", "origin", str(self.remote))
        plan_new(self.handle, "Five parts")
        plan_write(self.handle, text or plan_text(phases))
        plan_approve(self.handle)
        self.workers = [Member(self, f"worker{number}", clone=True) for number in range(1, workers + 1)]

    @property
    def handle(self) -> ProjectHandle:
        return ProjectHandle(self.lead.world.ports, self.lead.world.top)

    @property
    def plan(self) -> Plan:
        with self.lead.world.desk(write=False) as at:
            return at.plan(at.task())

    def run(self, *options: str) -> subprocess.Popen[str]:
        return self.lead.begin("run", "--on-workers", "--json", *options)

    def goes_on(self) -> int | None:
        """The exit code of the run, None while it goes on; one that failed is begun again."""
        assert self.lead.process is not None
        code = self.lead.process.poll()
        if code:
            self.run()
        return code

    def until(self, reached: Callable[[], object], what: str) -> None:
        """Wait until something is so."""
        deadline = time.monotonic() + RUN_S
        while not reached():
            assert time.monotonic() < deadline, f"never: {what}\n{self.told()}"
            time.sleep(0.02)

    def told(self) -> str:
        members = [one for one in (self.lead, *self.workers) if (one.world.home / "said").exists()]
        return "\n".join(f"== {one.name}\n{one.said}" for one in members)

    def ends(self) -> None:
        """The run ends well, however often it was disturbed."""
        run = self.lead.process
        assert run is not None
        try:
            code = run.wait(RUN_S)
        except subprocess.TimeoutExpired:
            code = -1
        assert code == 0, f"it does not end well ({code}):\n{self.told()}"

    def ended_as_undisturbed(self) -> None:
        """All phases are done once, each in a commit of its own that nobody lost; workers pushed nowhere else."""
        repo: Repo = self.lead.world.repo
        phases = self.plan.phases
        assert ["done"] * self.phases == [one.status for one in phases], self.told()
        parts = [(repo.top / f"part{one.number}.txt").read_text(encoding="utf-8") for one in phases]
        assert ["good\n"] * self.phases == parts
        with self.lead.world.desk(write=False) as at:
            ends = [one.event for one in at.ledger.events(task=at.task()) if one.event.kind == "phase.done"]
        assert self.phases == len({str(one.data["phase"]) for one in ends}) == len(ends), "a phase was done twice"
        commits = repo.git("log", "--no-merges", "--format=%H %(trailers:key=Clew-Phase,valueonly,separator=)", "main")
        named = dict(line.split(" ") for line in commits.splitlines() if line.split(" ")[1].startswith("P-"))
        assert self.phases == len(named) == len(set(named.values())), f"commits: {named}"
        assert {str(one.data["commit"]) for one in ends} == named.keys(), "a commit is lost"
        heads = [line.split("\t") for line in repo.git("ls-remote", "--heads", "origin").splitlines()]
        assert [self.begun] == [tip for tip, name in heads if not name.startswith("refs/heads/clew/phase/")]
        kept = [name.removeprefix("refs/heads/clew/phase/") for _, name in heads if "/clew/phase/" in name]
        assert 1 == sum(name.startswith("base-") for name in kept), kept
        # What an attempt pushed that was taken over before it was recorded is in no other place.
        assert not {one.place for one in phases} & {*kept}, "branches of phases that are merged are left on the remote"
        assert [] == repo.git("status", "--porcelain").splitlines()
        assert 1 == len(repo.git("worktree", "list").splitlines())

    def close(self) -> None:
        """End all; nothing of it runs any more."""
        for one in (*self.workers, self.lead):
            if one.process is not None and one.process.poll() is None:
                one.send(signal.SIGCONT)
                one.kill()
            one.relay.close()
        deadline = time.monotonic() + 10
        while any(one.left() for one in self.workers) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not [pid for one in self.workers for pid in one.left()], "a client's process is left"


@contextmanager
def team(folder: Path, server: Server, **more: object) -> Iterator[Team]:
    """A team, all of whose processes are gone at the end."""
    made = Team(folder, server, **more)  # type: ignore[arg-type]
    try:
        yield made
    finally:
        made.close()


class Harm(NamedTuple):
    """What is done to whom (the number of a worker), so many seconds after the last one."""

    sort: str
    worker: int
    after_s: float


def harms_of(chance: random.Random, count: int, workers: int) -> list[Harm]:
    """So many harms at random moments."""
    return [Harm(chance.choice(HARMS), chance.randrange(workers), chance.random() * 1.5) for _ in range(count)]


def play(folder: Path, server: Server, harms: list[Harm], *, workers: int, phases: int) -> int:
    """Have a plan carried out while these harms come; how many came before it was through. Raises AssertionError where
    it does not end as it should.
    """
    came = 0
    with team(folder, server, workers=workers, phases=phases) as made:
        for one in made.workers:
            one.work()
        made.run()
        for harm in harms:
            time.sleep(harm.after_s)
            if made.goes_on() == 0:
                break
            _do(made, harm)
            came += 1
        with suppress(AssertionError):  # one that was about to begin when the server was away
            made.ends()
        made.goes_on()
        made.ends()
        for one in made.workers:
            assert one.end() == 0, made.told()
        made.ended_as_undisturbed()
    return came


def _do(made: Team, harm: Harm) -> None:
    one = made.workers[harm.worker]
    match harm.sort:
        case "kill":
            one.kill()
            one.work()
        case "freeze":
            one.send(signal.SIGSTOP)
            time.sleep(LEASE_S * 2.2)
            one.send(signal.SIGCONT)
        case "cut":
            one.relay.cut()
            time.sleep(LEASE_S * 2.2)
            one.relay.heal()
        case "restart":
            made.server.stop()
            made.server.start()
        case _:
            made.lead.kill()
            made.run()
