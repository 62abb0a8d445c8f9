"""A project with a plan of five phases, and a client that does what a script says: for stories about runs."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from clew.app.launching.worker import JobResult
from clew.app.plan.lifecycle import plan_approve, plan_new, plan_write
from clew.app.plan.look import plan_show
from clew.app.ports import Ports
from clew.app.project.opening import ProjectHandle
from clew.app.run.context import Outside, ProgressEvent, Run, RunOptions, Said
from clew.app.run.leases import Pulse
from clew.app.run.runner import carried_out
from clew.app.run.summary import RunSummary
from clew.clients.launching import Job
from clew.core.plan.next_actions import Limits
from clew.core.plan.plan import Phase, Plan
from clew.core.state.items import Authority
from clew.workspace.process_tree import started
from tests.app.projects import World

CHECK = "import pathlib, sys; sys.exit(pathlib.Path('part{}.txt').read_text() != 'good\\n')"
DEPENDS = ("none", "1", "1", "2, 3", "4")


def plan_text(phases: int = 5) -> str:
    """Five phases: the second and the third are independent of each other. Each is to write a file of its own. Of fewer
    `phases` the first.
    """
    rows = ["# Five parts", ""]
    for number, depends in enumerate(DEPENDS[:phases], 1):
        rows += [
            f"## Phase {number}: Part {number}",
            "",
            f"- [ ] Write `part{number}.txt`",
            f'- validate: `{sys.executable} -c "{CHECK.format(number)}"`',
            "- budget: 50k",
            f"- depends: {depends}",
            "",
        ]
    return "\n".join(rows)


Scripted = Callable[[Job, int], JobResult]


class Client:
    """A client of a script: `deeds` say what becomes of an order, by the number of the phase; else the part is written
    as it should be. `orders` are those that came, in order.
    """

    client = "scripted"

    def __init__(self, deeds: Mapping[int, list[Scripted]] | None = None) -> None:
        self.deeds = {number: list(one) for number, one in (deeds or {}).items()}
        self.orders: list[tuple[int, Job]] = []
        self.at_work: set[int] = set()
        self.together: set[frozenset[int]] = set()
        self._lock = threading.Lock()

    def model(self, phase: Phase, plan: Plan) -> str:
        return "small" if phase.tier == "low" else ""

    def brings_payload(self, folder: Path) -> bool:
        return False

    def __call__(
        self, job: Job, *, began: Callable[[int, str], None], seen: Callable[[Pulse], None],
        until: Callable[[], str],
    ) -> JobResult:  # fmt: skip
        number = int(job.prompt.split("# Phase ", 1)[1].split(" ", 1)[0]) if "# Phase " in job.prompt else 0
        number = number or next(n for n, one in reversed(self.orders) if one.session == "" and n)
        with self._lock:
            self.orders.append((number, job))
            self.at_work.add(number)
            self.together.add(frozenset(self.at_work))
            deeds = self.deeds.get(number)
            deed = deeds.pop(0) if deeds else good
        began(999_999_999, started(999_999_999))
        seen(Pulse("Write", 1000, 2, 5000))
        try:
            why = until()
            return JobResult(False, stopped=why) if why else deed(job, number)
        finally:
            with self._lock:
                self.at_work.discard(number)


def good(job: Job, number: int) -> JobResult:
    time.sleep(0.05)
    (Path(job.folder) / f"part{number}.txt").write_text("good\n", encoding="utf-8")
    return JobResult(
        True, f"I wrote it.\n\nOUTCOME: Part {number} is written", tokens=1000, cost_usd=0.02, session=f"s-{number}"
    )


def bad(job: Job, number: int) -> JobResult:
    (Path(job.folder) / f"part{number}.txt").write_text(f"bad {time.monotonic_ns()}\n", encoding="utf-8")
    return JobResult(True, f"OUTCOME: Part {number} is written", tokens=1000, cost_usd=0.02)


class Five(World):
    """The project, its plan approved by a person. `told` is what runs told, `slept` how long they waited."""

    def __init__(self, folder: Path, *, phases: int = 5, plan: str = "") -> None:
        super().__init__(folder)
        self.write(".gitignore", "__pycache__/\n.clew/\n")
        self.repo.commit("the beginning")
        plan_new(ProjectHandle(self.ports, self.top), "Five parts")
        plan_write(ProjectHandle(self.ports, self.top), plan or plan_text(phases))
        plan_approve(ProjectHandle(self.ports, self.top))
        self.told: list[ProgressEvent] = []
        self.slept: list[float] = []
        self.runs = 0

    def ports_of(self, authority: Authority) -> Ports:
        ports = super().ports_of(authority)
        return ports._replace(now_ms=self.clock.tick, environment={**ports.environment, "PYTHONDONTWRITEBYTECODE": "1"})

    def write(self, path: str, text: str) -> None:
        (self.top / path).write_text(text, encoding="utf-8")

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.clock.tick(int(seconds * 1000))

    def run(
        self,
        client: Client,
        *,
        jobs: int = 1,
        only: tuple[str, ...] = (),
        ask: Callable[[int, str, str], Said | None] | None = None,
        limits: Limits | None = None,
    ) -> RunSummary:
        self.runs += 1
        with self.desk(write=False) as at:
            task = at.task()
        return carried_out(
            Run(
                ports=self.ports._replace(task=task),
                top=self.top,
                task=task,
                identity=f"run-{self.runs}",
                worker=client,
                limits=limits or Limits(jobs),
                outside=Outside(self.told.append, ask or (lambda *_: ("accepted", "")), self.sleep, time.monotonic),
                options=RunOptions(only, jobs, ask is not None),
                branch=self.repo.git("branch", "--show-current").strip(),
            )
        )

    def statuses(self) -> list[str]:
        return [one.status for one in plan_show(ProjectHandle(self.ports, self.top)).phases]

    def log(self) -> list[str]:
        """Subjects of the commits on the branch, newest first, without merges."""
        return self.repo.git("log", "--no-merges", "--format=%s").splitlines()

    def parts(self) -> list[str]:
        """What the parts hold, "" for one that is not there."""
        places = [self.top / f"part{number}.txt" for number in range(1, 6)]
        return [place.read_text(encoding="utf-8") if place.is_file() else "" for place in places]
