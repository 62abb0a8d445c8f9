"""A desk: the project that a folder is in, with its ledger, and who works at it from where."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from clew.app.ports import Ports
from clew.app.writer import Speaker, Writer
from clew.core.errors import NotFound
from clew.core.fold import Entities
from clew.core.tasks import Task, bound, tasks
from clew.core.view import with_project
from clew.ledger.port import Ledger
from clew.workspace.repository import Head, Repository, find, head, resolved

LEDGER_NAME = "ledger.db"
PROJECT_FOLDER = ".clew"
SPOOL_NAME = "spool"


class Spot(NamedTuple):
    """Where a folder is. `root` is the top of its work tree, or outside of git the folder that holds `.clew`.

    `ledger` is the file where the project's ledger is or would be. `head` is None outside of git.
    """

    root: Path
    repository: Repository | None
    head: Head | None
    ledger: Path

    @property
    def branch(self) -> str:
        """The branch that is checked out, "" when none is."""
        return self.head.branch if self.head else ""


class Desk(NamedTuple):
    """An open ledger and the spot it was opened from. `redact` is keyed by the ledger.

    `notes` are sentences about what opening it did: what had waited in the spool was taken in. `chosen` is the task
    that was named, None where none was.
    """

    spot: Spot
    ledger: Ledger
    writer: Writer
    redact: Callable[[str], str]
    notes: tuple[str, ...] = ()
    chosen: str | None = None

    def tasks(self) -> tuple[Task, ...]:
        """All tasks of the project, newest change first."""
        return tasks(self.ledger.fold("").entities)

    def stated(self, task: str, *, upto: int | None = None) -> Entities:
        """What is stated of `task`, and of no task but of the whole project, as it was at the position `upto`."""
        project = self.ledger.fold("", upto=upto).entities
        return with_project(self.ledger.fold(task, upto=upto).entities, project) if task else project

    def task(self) -> str:
        """The task that was named, else the open one that this work tree and branch are bound to; "" for none."""
        if self.chosen is not None:
            return self.chosen
        return bound(self.ledger.fold("").entities, str(self.spot.root), self.spot.branch)


def spot_at(folder: Path) -> Spot:
    """The spot of `folder` (absolute). Looks; opens and makes nothing."""
    repository = find(folder)
    if repository is not None:
        return Spot(repository.top, repository, head(repository), repository.common_dir / "clew" / LEDGER_NAME)
    start = resolved(folder)
    root = next((place for place in (start, *start.parents) if _is_ours(place / PROJECT_FOLDER)), start)
    return Spot(root, None, None, root / PROJECT_FOLDER / LEDGER_NAME)


def _is_ours(place: Path) -> bool:
    """Whether there is a folder that belongs to this user: anybody can make a `.clew` in `/tmp`."""
    try:
        facts = place.stat()
    except (OSError, ValueError):
        return False
    return stat.S_ISDIR(facts.st_mode) and (not hasattr(os, "geteuid") or facts.st_uid == os.geteuid())


def spool_of(spot: Spot) -> Path:
    """The folder where events wait that could not be written to the ledger."""
    return spot.root / PROJECT_FOLDER / SPOOL_NAME


def has_ledger(spot: Spot) -> bool:
    """Whether the project keeps a ledger: somebody ran `clew init` there."""
    return os.path.lexists(spot.ledger)


@contextmanager
def desk(ports: Ports, folder: Path, *, write: bool) -> Iterator[Desk]:
    """The desk of the project that `folder` (absolute) is in, closed at the end.

    With `write`, what waits in the work tree's spool is taken in first. Raises `NotFound` where no ledger is kept,
    `LedgerError` where it cannot be opened.
    """
    spot = spot_at(folder)
    if not has_ledger(spot):
        raise NotFound(
            f"{spot.root} keeps no ledger", code="E-no-ledger", hint="Run `clew init` there; nothing is kept before."
        )
    ledger = ports.open_ledger(spot.ledger, project="", write=write)
    try:
        at = desk_at(ports, spot, ledger, write=write)
        if write and os.path.lexists(spool_of(spot)):
            at = at._replace(notes=_take_in_spool(ports, at))
        yield at
    finally:
        ledger.close()


def desk_at(ports: Ports, spot: Spot, ledger: Ledger, *, write: bool) -> Desk:
    """A desk over an open ledger. Who speaks is found out only where something may be recorded."""
    redact = ports.redactor(ledger.key)
    provenance = ports.channel().provenance if write else "agent"
    speaker = Speaker(ports.actor, provenance, ports.asking_session, str(spot.root), spot.branch)
    return Desk(spot, ledger, Writer(ledger, speaker, ports.now_ms, ports.chance, redact), redact, chosen=ports.task)


def _take_in_spool(ports: Ports, at: Desk) -> tuple[str, ...]:
    from clew.ledger.spool import take_in  # here: hardly ever does anything wait

    taken = take_in(spool_of(at.spot), at.ledger, now_ms=ports.now_ms(), redact=at.redact)
    notes = []
    if taken.events:
        count = "1 event" if taken.events == 1 else f"{taken.events} events"
        notes.append(f"{count} that waited in the spool came into the ledger, as an agent's words.")
    notes += [f"The spool's {one.name} was not taken in: {one.why}." for one in taken.refused]
    return tuple(notes)
