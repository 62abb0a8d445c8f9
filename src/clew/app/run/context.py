"""What the deeds of one run share: the project, the task, who works, the clock, and who is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Final, Literal, Protocol

from clew.app.launching.worker import JobResult
from clew.app.ports import Ports
from clew.app.project.location import locate
from clew.app.project.opening import open_project
from clew.app.project.session import ProjectSession
from clew.app.results import JsonResult
from clew.app.run.leases import LocalLeases, Pulse
from clew.app.worktree.place import home_of
from clew.clients.launching import Job
from clew.core.plan.next_actions import Limits, Round
from clew.core.plan.plan import Phase, Plan
from clew.core.plan.recorded import plan_of, rounds_of
from clew.core.state.events import Data, timestamp
from clew.core.text.cleaning import clean, one_line
from clew.documents.plan.grammar import parse
from clew.workspace.repository import Repository, find

# run: it began. phase: a phase is begun. work: a client begins to work. act: what it does. worked: it ended, and how.
# checks: the checks run. judged: what they said. done, stopped, merged: so it is. waits: until when, and why.
# recovered: what a run that was killed left was ended. halted: a person is needed. over: the run ended.
Sort = Literal[
    "run", "phase", "work", "act", "worked", "checks", "judged", "done", "stopped", "merged", "waits", "recovered",
    "halted", "over",
]  # fmt: skip


class ProgressEvent(JsonResult, frozen=True):
    """One thing that happened. `phase` is a number (0: the run's own), `text` one line, clean and redacted. Tokens and
    cents are those of the attempt so far. `time` is RFC 3339.
    """

    v: int
    event: Sort
    phase: int
    text: str
    tokens: int
    cents: int
    time: str


# What a person says to a diff: it is accepted, or what is to be done otherwise; None: the run is to end here.
Said = tuple[Literal["accepted", "changes"], str]
# Shows the diff of a phase (its number, its title, the patch), and asks.
Ask = Callable[[int, str, str], Said | None]


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What is wanted of a run. `only`: the phases that are meant, as they are named (() all). `reviews`: a person looks
    through each diff.
    """

    only: Sequence[str] = ()
    jobs: int = 1
    reviews: bool = False
    baseline: bool = True


@dataclass(frozen=True, slots=True)
class Outside:
    """What a run is given from outside: who is told and asked, how it sleeps, a clock that does not run while the
    machine sleeps (seconds), why this may come from an agent's client ("" it does not).
    """

    tell: Callable[[ProgressEvent], None]
    ask: Ask
    sleep: Callable[[float], None]
    monotonic: Callable[[], float]
    below: str = ""


@dataclass(frozen=True, slots=True)
class Sharing:
    """How a run shares a plan with other machines; as it stands, it does not. `base` is the branch that work trees
    begin at ("" the one checked out), `suffix` ends their names. `publish` is called with a phase whose commit is made,
    before that is recorded; `bring` before its work tree is merged. `lost` says why its phase is somebody else's now,
    "" it is not.
    """

    base: str = ""
    suffix: str = ""
    publish: Callable[[Phase], None] = lambda _: None
    bring: Callable[[Phase], None] = lambda _: None
    lost: Callable[[], str] = str


class Worker(Protocol):
    """Has one client of one family work to its end."""

    @property
    def client(self) -> str:
        """The name of the client's family."""
        ...

    def model(self, phase: Phase, plan: Plan) -> str:
        """The model for a phase, "" the client's own."""
        ...

    def brings_payload(self, folder: Path) -> bool:
        """Whether hooks of ours bring the payload there, so that the prompt needs none."""
        ...

    def __call__(
        self, job: Job, *, began: Callable[[int, str], None], seen: Callable[[Pulse], None], until: Callable[[], str]
    ) -> JobResult:
        """Have it work. `began` is told its process, and the word of its start, before it is given anything to do;
        `seen` what it does; `until` is asked often, and ends it by giving a reason.
        """
        ...


# In the names of the work trees that workers make; what tells their machine follows.
WORKERS: Final = "-w"


@dataclass(slots=True)
class Run:
    """One run. `ports` have its `task`; `top` is the work tree that it was started in, `branch` what was checked out
    there ("" none), `identity` its id. `barred` is why no client may be started any more, "" nothing; `stuck` is what a
    person has to do for a phase. `did_something`: there was anything to do. After `retry_s` it is tried again where
    nobody says when, and then twice as late each time.
    """

    ports: Ports
    top: Path
    task: str
    identity: str
    worker: Worker
    limits: Limits
    outside: Outside
    options: RunOptions
    branch: str = ""
    context_tokens: int = 0
    retry_s: int = 60
    barred: str = ""
    interrupted: bool = False
    did_something: bool = False
    stuck: dict[str, str] = field(default_factory=dict)
    # One deed at a time makes or merges a work tree.
    gate: Lock = field(default_factory=Lock)
    sharing: Sharing = Sharing()
    leases: LocalLeases = field(init=False)

    def __post_init__(self) -> None:
        self.leases = LocalLeases(ledger_of(self.top))

    @property
    def now(self) -> str:
        """Now, RFC 3339."""
        return timestamp(self.ports.now_ms())

    @property
    def repository(self) -> Repository:
        """The repository of the run; work trees need one."""
        found = find(self.top)
        assert found is not None
        return found

    def folder(self, phase: Phase) -> Path:
        """The work tree in which a phase is carried out."""
        return home_of(self.repository) / phase.place if phase.place else self.top

    def told(self, sort: Sort, phase: int, text: str, *, tokens: int = 0, cents: int = 0) -> None:
        """Tell what happened."""
        self.outside.tell(ProgressEvent(1, sort, phase, one_line(clean(text)), tokens, cents, self.now))

    @contextmanager
    def open(self, *, write: bool = False) -> Iterator[ProjectSession]:
        """The project, from the work tree that the run was started in."""
        with open_project(self.ports, self.top, write=write, spool=False) as at:
            yield at

    def look(self) -> tuple[Plan, dict[str, tuple[Round, ...]]]:
        """The plan as the ledger has it, and the rounds of its phases."""
        with self.open() as at:
            return plan_and_rounds(at, self.task)

    def record(self, kind: str, data: Data, *, key: str = "") -> bool:
        """Record a fact; whether this process was the first to do so under that key."""
        with self.open(write=True) as at:
            safe = {name: at.redact(value) if isinstance(value, str) else value for name, value in data.items()}
            event = at.event(kind, safe, task=self.task, key=f"{key}:{self.task}" if key else "")
            at.keep([event])
            return not key or any(one.event.id == event.id for one in at.ledger.events(task=self.task, kinds=(kind,)))

    def until_ms(self, text: str) -> int:
        """Milliseconds since 1970 of a time as `now` writes it."""
        return int(datetime.fromisoformat(text).astimezone(UTC).timestamp() * 1000)


def plan_and_rounds(at: ProjectSession, task: str) -> tuple[Plan, dict[str, tuple[Round, ...]]]:
    """The plan of a task, and the rounds of its phases."""
    entities = at.plan_entities(task)
    plan = plan_of(entities, parse)
    return plan, rounds_of(plan, entities)


def ledger_of(top: Path) -> Path:
    """The file of the ledger that is kept for the work tree `top`."""
    return locate(top).ledger
