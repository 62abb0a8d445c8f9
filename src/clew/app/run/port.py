"""What a run needs of the place where clients work: who has which round, and how a client is had work.

One machine: `leases.py`, files beside the ledger. Several: a round is a job that any of them may claim; the same four
words (claim, heartbeat, complete, release) are what a queue of jobs offers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from clew.clients.working import Permissions
from clew.core.plan.plan import Phase, Plan


class Name(NamedTuple):
    """One round of one attempt at a phase: the unit that is claimed. `task` and `phase` are ids."""

    task: str
    phase: str
    attempt: int
    number: int

    @property
    def mark(self) -> str:
        """What the environment of a client and of all that it starts holds, so that they are found again."""
        return f"{self.task}.{self.phase}.{self.attempt}.{self.number}"


class Pulse(NamedTuple):
    """What is seen of a client while it works. `act` is the last thing that it did. Tokens are those that no cache
    gave, `context` what the model was sent last; `time` is RFC 3339.
    """

    act: str = ""
    tokens: int = 0
    cents: int = 0
    context: int = 0
    time: str = ""


class Leases(Protocol):
    """Who works at what. A holder that is gone without a word holds nothing any more."""

    def claim(self, name: Name) -> bool:
        """Take a round; False where a holder that is alive has it. What a holder that is gone left is ended first."""
        ...

    def began(self, name: Name, pid: int, when: str) -> None:
        """Keep for a round that is claimed the process of its client and the word of its start
        (`workspace/process_tree.py`), before that is given anything to do.
        """
        ...

    def heartbeat(self, name: Name, pulse: Pulse) -> bool:
        """Tell what is seen of it; False where somebody else has the round by now: then it is to be ended."""
        ...

    def complete(self, name: Name) -> None:
        """It is over, and recorded."""
        ...

    def release(self, name: Name) -> bool:
        """Give a round back that nobody is at: what is left of its client is ended. Whether nothing is left."""
        ...

    def held(self) -> Collection[Name]:
        """The rounds that somebody who is alive has, other than this process."""
        ...

    def pulses(self) -> dict[Name, Pulse]:
        """What was last seen of the clients that work."""
        ...


@dataclass(frozen=True, slots=True)
class Order:
    """What a client is to do in `folder` (absolute). `session` is the one to go on in, "" a new one. `cents` are what
    is left to it, 0 no limit. `mark` as `Name.mark`, `task` the id that hooks are told.
    """

    prompt: str
    folder: Path
    model: str
    session: str
    allow: Permissions
    cents: int
    mark: str
    task: str


@dataclass(frozen=True, slots=True)
class Report:
    """How a client ended. `error` is why it is not `ok`; `stopped` what `until` said ("" it ended by itself).
    `limited`: a limit ended it, which lets go at `until_s` (seconds since 1970, 0 unknown); `offline`: nobody answered
    it; `outgrown`: its context was full; `killed`: something else ended it.
    """

    ok: bool
    text: str = ""
    error: str = ""
    session: str = ""
    tokens: int = 0
    cents: int = 0
    stopped: str = ""
    until_s: float = 0.0
    limited: bool = False
    offline: bool = False
    outgrown: bool = False
    killed: bool = False


class Worker(Protocol):
    """Has one client of one family work to its end (`worker.py`)."""

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
        self,
        order: Order,
        *,
        began: Callable[[int, str], None],
        seen: Callable[[Pulse], None],
        until: Callable[[], str],
    ) -> Report:
        """Have it work. `began` is told its process, and the word of its start, before it is given anything to do;
        `seen` what it does; `until` is asked often, and ends it by giving a reason.
        """
        ...
