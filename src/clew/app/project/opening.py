"""Opening a project, and what is done before and after the work: the spool is imported, what hooks read is renewed."""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from clew.app.ports import Ports, runtime_dir, wanted_task
from clew.app.project.location import ProjectLocation, locate
from clew.app.project.redaction import safe_errors
from clew.app.project.session import AWAY, READ_ONLY, ProjectSession, Speaker
from clew.core.errors import LedgerError, NotFound
from clew.ledger.port import Ledger
from clew.workspace.atomic import check_way

_COUNTS_AS_AGENTS: Final = "the ledger cannot be written from here, and what waits in the spool counts as an agent's"
# By what something may begin to wait for a person (`notify.py`).
_WAITS: Final = frozenset(("item.stated", "plan.written", "phase.stopped", "run.ended"))


class ProjectHandle(NamedTuple):
    """What a use case works on: the project that `folder` (absolute) is in, and what there is to work with. In a
    `dry_run` nothing is recorded or written.
    """

    ports: Ports
    folder: Path
    dry_run: bool = False

    def open(self, *, write: bool, spool: bool = True) -> AbstractContextManager[ProjectSession]:
        """A session on it, as `open_project`."""
        return open_project(
            self.ports, self.folder, write=write, dry_run=self.dry_run, spool=spool and self.ports.spools
        )


@contextmanager
def open_project(
    ports: Ports, folder: Path, *, write: bool, dry_run: bool = False, spool: bool = True
) -> Iterator[ProjectSession]:
    """A session on the project that `folder` (absolute) is in, closed at the end.

    With `write` something may be recorded: what waits in the work tree's spool is imported first, and what hooks read
    is renewed afterwards. A dry run is the same person's session on a ledger that is only read. Where the ledger cannot
    be written, what is said waits in the spool, as an agent's; without `spool` that is an error. Where its server
    cannot be reached, what is read meanwhile is an empty ledger.

    Raises `NotFound` where no ledger is kept, `LedgerError` where it can be neither written nor read. What errors say
    is redacted on the way out.
    """
    with safe_errors(ports.redact):
        at = _opened(ports, folder, write=write, dry_run=dry_run, spool=spool)
        try:
            yield at
        except NotFound:
            if at.refusal is not None and at.refusal.code == AWAY:  # nobody knows what is there
                raise at.refusal from None
            raise
        finally:
            try:
                if write and not dry_run and at.refusal is None:
                    after_work(ports, at)
            finally:
                at.ledger.close()


@contextmanager
def open_unkept(ports: Ports, folder: Path) -> Iterator[ProjectSession]:
    """A session on the project that `folder` is in over a ledger in memory, where none is kept or none is meant. It is
    empty, and nothing of it is written. What errors say is redacted on the way out.
    """
    from clew.ledger.memory import MemoryLedger  # here: hooks work where one is kept

    with safe_errors(ports.redact):
        at = begin_session(ports, locate(folder), MemoryLedger(""), write=False)
        at.is_kept = False
        yield at


def redactor_at(ports: Ports, folder: Path) -> Callable[[str], str]:
    """What redacts texts of a session that ran in `folder`: by rules, and by what people redacted by hand in the ledger
    that is kept there. Raises `ClewError` where that cannot be read: then nobody knows what must stay away.
    """
    if folder.is_dir() and locate(folder).has_ledger:
        with open_project(ports, folder, write=False) as at:
            return at.redact
    return ports.redact


def begin_session(ports: Ports, location: ProjectLocation, ledger: Ledger, *, write: bool) -> ProjectSession:
    """A session over an open ledger. Who speaks is found out only where something may be recorded."""
    now_ms, actor = ports.now_ms, ports.actor
    if location.exchange_file.exists():
        from clew.app.project.device import follow_clock, load_device  # here: few exchange

        device = load_device(location.exchange_file)
        now_ms, actor = follow_clock(device, now_ms), device.person or actor
    speaker = Speaker(actor, "agent", ports.asking_session, str(location.root), location.branch)
    at = ProjectSession(
        ledger,
        location,
        speaker.by(ports.channel()) if write else speaker,
        now_ms=now_ms,
        chance=ports.chance,
        redact=ports.redactor(ledger.key) if ledger.key else ports.redact,
        chosen=ports.task,
    )
    at.named = wanted_task(ports)
    return at


def after_work(ports: Ports, at: ProjectSession) -> None:
    """Bring what the hooks of this work tree read up to date, where a person opted in, and tell the person what began
    to wait for them.
    """
    if any(one.kind in _WAITS and one.data.get("kind", "question") == "question" for one in at.recorded):
        from clew.app.project.notify import notices, notify  # here: hardly ever does anything begin to wait

        notify(ports, at.location.root, notices(at, at.recorded))
    place = runtime_dir(ports, at.location.root)
    if place and Path(place).is_dir():
        from clew.app.project.gates import kept_current  # here: only where hooks are installed

        kept_current(ports, at, place)


def _opened(ports: Ports, folder: Path, *, write: bool, dry_run: bool, spool: bool) -> ProjectSession:
    location = locate(folder)
    if not location.has_ledger:
        raise NotFound(f"{location.root} is not initialised", code="E-no-ledger", hint="Run `clew init` there first.")
    if not write or dry_run:
        at = _over(ports, location, write=False)
        at.dry_run = dry_run
        if write:
            at.speaker = at.speaker.by(ports.channel())
        return at
    try:
        at = _over(ports, location, write=True)
        at.spools = spool
        return at
    except LedgerError as error:
        if error.code not in (READ_ONLY, AWAY) or not spool:
            raise
        # Both speak as an agent.
        at = _over(ports, location, write=False) if error.code == READ_ONLY else _away(ports, location)
        at.speaker = at.speaker._replace(reason=_COUNTS_AS_AGENTS)
        at.refusal = error
        return at


def _away(ports: Ports, location: ProjectLocation) -> ProjectSession:
    """A session while the server of the ledger cannot be reached."""
    from clew.ledger.memory import MemoryLedger
    from clew.ledger.postgres.address import read_address

    known = read_address(location.ledger)
    return begin_session(ports, location, MemoryLedger(known.project, key=known.key, writable=False), write=False)


def _over(ports: Ports, location: ProjectLocation, *, write: bool) -> ProjectSession:
    if write:
        check_way(location.ledger)
    ledger = ports.open_ledger(location.ledger, project="", write=write)
    try:
        at = begin_session(ports, location, ledger, write=write)
        if write and os.path.lexists(location.spool):
            _take_in_spool(ports, at)
    except BaseException:
        ledger.close()
        raise
    return at


def _take_in_spool(ports: Ports, at: ProjectSession) -> None:
    from clew.ledger.spool import take_in  # here: hardly ever does anything wait

    taken = take_in(at.location.spool, at.redact.guard(at.ledger), now_ms=ports.now_ms(), redact=at.redact)
    if taken.events:
        count = "1 event" if taken.events == 1 else f"{taken.events} events"
        at.note(f"{count} that waited in the spool came into the ledger, as an agent's words.")
    for one in taken.refused:
        at.note(f"The spool's {one.name} was not imported: {one.why}.")
