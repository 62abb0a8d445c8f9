"""What a queue of phases offers, whoever keeps it; `clew.testing.queues` holds each to it.

A queue tells who works at what, and for how long without a sign of life. It is no truth about progress: of two workers
that both believe to have a phase, the ledger keeps the word of one.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Final, Literal, NamedTuple, Protocol

from msgspec import Meta, Struct

from clew.core.errors import InputError

# What waits for a moment (or for the next worker) is waiting; lost: whoever had it gave no sign of life for too long.
JobState = Literal["waiting", "working", "lost", "done", "cancelled"]
OVER: Final = ("done", "cancelled")

# All tags of an order together, each with a character between: they are part of a name with a bound.
TAGS_CHARS_MAX: Final = 36
_TAG: Final = r"^[a-z0-9][a-z0-9._=-]*$"


class Order(Struct, frozen=True):
    """A phase that somebody is to carry out: ids of `task` and `phase`, its `number` and `title` for people, the `run`
    that ordered it, the commit (`base`) that it begins at, and the tags that a machine must have for it. The `client`
    that has to do it ("" any) is one of them. It comes from a server: its form is checked when it is read.
    """

    task: Annotated[str, Meta(pattern=r"^T-[0-9a-z]{16}$")]
    phase: Annotated[str, Meta(pattern=r"^P-[0-9a-z]{16}$")]
    number: int
    title: Annotated[str, Meta(max_length=1000)]
    run: Annotated[str, Meta(max_length=100)]
    base: Annotated[str, Meta(pattern=r"^[0-9a-f]{40,64}$")]
    tags: tuple[Annotated[str, Meta(pattern=_TAG)], ...] = ()

    @property
    def key(self) -> str:
        """What it is about: of one thing there is one job at a time."""
        return f"{self.task}:{self.phase}"

    @property
    def client(self) -> str:
        return next((tag.removeprefix(CLIENT) for tag in self.tags if tag.startswith(CLIENT)), "")


# A tag of this form names a client that the machine has.
CLIENT: Final = "client="


class Claim(NamedTuple):
    """An order that a worker has, for as long as it gives signs of life. `token` is this claim's alone; `attempt`
    counts from 1 how often the job was claimed.
    """

    job: str
    token: str
    order: Order
    attempt: int


class Job(NamedTuple):
    """An order in the queue. `worker` has it ("" nobody) since `since`, until `until` without a sign of life; of one
    that waits `until` is the moment when it may be claimed ("" now). Times are RFC 3339. `result` is what the worker
    said at its end, or why one gave it back.
    """

    id: str
    order: Order
    state: JobState
    worker: str = ""
    since: str = ""
    until: str = ""
    attempts: int = 0
    result: str = ""


class Refused(Exception):
    """The claim is not the worker's any more: its lease ran out and another one has it, or it was cancelled."""


class Queue(Protocol):
    """Orders of one project. Leases and waits go by the queue's own clock. Any number of processes have it open; one
    object is used by one thread at a time. Every method may raise `LedgerError` where its server does not answer; then
    nobody knows whether it happened, and it may be called again.
    """

    def put(self, order: Order) -> str:
        """Queue an order: its job. While a job about the same thing is not over, it is that one. Raises `InputError`
        for tags that are too long.
        """
        ...

    def claim(self, worker: str, tags: Collection[str], lease_s: int) -> Claim | None:
        """Claim an order, all of whose tags are among `tags`, for `lease_s` seconds; those of workers whose lease ran
        out among them. None: there is none just now.
        """
        ...

    def extend(self, claim: Claim, lease_s: int) -> None:
        """A sign of life: the claim holds for `lease_s` seconds from now. Raises `Refused`."""
        ...

    def complete(self, claim: Claim, result: str) -> None:
        """Nothing is left to be done for it. Raises `Refused`."""
        ...

    def release(self, claim: Claim, after_s: float, why: str) -> None:
        """Give it back: it can be claimed again in `after_s` seconds. Raises `Refused`."""
        ...

    def cancel(self, job: str) -> None:
        """Nobody is to carry it out any more; who has it is refused from now on. One that is over stays as it is."""
        ...

    def jobs(self) -> tuple[Job, ...]:
        """All jobs, oldest first."""
        ...

    def close(self) -> None: ...


def check_tags(tags: Collection[str]) -> None:
    """Raise `InputError` for tags that an order cannot have."""
    if len("+".join(tags)) > TAGS_CHARS_MAX:
        raise InputError(
            f"the tags {', '.join(tags)} are too long: all together may have {TAGS_CHARS_MAX} characters",
            code="E-worker-tags",
            hint="Shorten the `tags:` of the phase, and `--tags` of the workers.",
        )
