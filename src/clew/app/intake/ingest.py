"""Intake: what clients recorded of a project's sessions and the ledger does not have yet, read and taken in."""

import time
from collections.abc import Callable, Collection
from typing import NamedTuple

from clew.app.intake.sessions import SessionReading, Sessions
from clew.app.intake.threads import Threads
from clew.app.ports import Ports
from clew.app.project.redaction import redacted_name
from clew.app.project.session import ProjectSession
from clew.app.record.checkpoint import CompactionMark
from clew.app.tasks.words import words_along
from clew.clients.port import Transcript
from clew.core.state.events import Data
from clew.distill.version import RULES_VERSION


class Intake(NamedTuple):
    """What an intake did.

    `taken` are the sessions whose reading is new in the ledger, newest first, `compactions` what they tell of dropped
    contexts. `looked_at` session files were looked into, `left` were not, for lack of time. `shrunk` are sessions whose
    file is shorter than it was: what was imported stays. `notes` are sentences for the person who asked.
    """

    taken: tuple[str, ...]
    compactions: tuple[CompactionMark, ...]
    left: int
    shrunk: tuple[str, ...]
    notes: tuple[str, ...]
    looked_at: int = 0


def ingest(
    ports: Ports,
    at: ProjectSession,
    sessions: Sessions | None = None,
    *,
    deadline_ms: int | None = None,
    most: int | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Intake:
    """Take into the ledger what it does not have yet of the project's sessions, the one that asks and then the newest
    first; twice is once.

    `sessions` are the project's, where they are at hand. When `deadline_ms` milliseconds of `clock` (seconds that
    never go back) have passed, the rest is left for the next time; one file is looked into in any case, and one
    that holds nothing only once. No more than `most` files are looked into. A session that cannot be read is noted.
    Raises `LedgerError` if the ledger cannot be written; what was imported before stays.
    """
    end = None if deadline_ms is None else clock() + deadline_ms / 1000
    sessions = sessions or Sessions(ports, at)
    taken: list[str] = []
    compactions: list[CompactionMark] = []
    notes: list[str] = []
    waiting, before = sessions.waiting(), sessions.known
    looked_at = 0
    for item in waiting:
        if looked_at and ((end is not None and clock() >= end) or looked_at == most):
            break
        looked_at += 1
        try:
            reading, is_new = _ingest_one(at, sessions, item)
        except OSError as error:
            told = f"{item.path} cannot be read: {error.strerror or error}. Its session was not imported."
            notes.append(redacted_name(told, at.redact))
            continue
        if reading is None:
            sessions.pass_over(item)
        elif is_new:
            sessions.note(reading.extract)
            seen(at, item, reading.extract.task)
            taken.append(item.session)
            compactions += reading.compactions
    begun = sessions.begin_task()
    if begun:
        notes.append(f"Session {begun} counts from now on for the task that is bound here, as its first.")
    notes += _threads(ports, at, sessions, taken, new=[name for name in taken if name not in before])
    sessions.keep_passed_over()
    left = len(waiting) - looked_at
    if left:
        files = "1 session file was" if left == 1 else f"{left} session files were"
        notes.append(f"{files} left for the next time: taking them in now would take too long.")
    return Intake(tuple(taken), tuple(compactions), left, sessions.shrunk, tuple(notes), looked_at)


def _threads(
    ports: Ports, at: ProjectSession, sessions: Sessions, taken: Collection[str], *, new: Collection[str]
) -> list[str]:
    """Look after the threads; what to tell of it."""
    if not at.ledger.writable:
        return []
    threads = Threads(ports, at, sessions)
    threads.take(taken, new=new)
    told = threads.end()
    sessions.see_bindings()
    return told


def _ingest_one(at: ProjectSession, sessions: Sessions, item: Transcript) -> tuple[SessionReading | None, bool]:
    """What was read of a session file, and whether it is new in the ledger. When somebody redacts meanwhile it is read
    again: what was read before may hold what must not come back.
    """
    while True:
        reading = sessions.read(item)
        if reading is None:
            return None, False
        extract, told = reading.extract, sessions.told_task(item.session)
        if told not in (None, extract.task):
            # A bundle had it count for another task: what was said of its items there holds here.
            at.append(words_along(at, extract._replace(task=str(told)), extract.task))
        if at.ledger.take_in(reading.extract, unless_redacted_after=sessions.redacted_upto):
            return reading, True
        if not sessions.look_again():
            return reading, False


def seen(at: ProjectSession, item: Transcript, task: str) -> None:
    """Note for `clew log` that a session was taken in as it is now. Activity: it may be lost and is dropped by age."""
    data: Data = {"client": item.client, "session": item.session, "bytes": item.size}
    key = f"seen {item.session} {item.size} {RULES_VERSION}"
    at.append([at.event("session.seen", data, task=task, key=key, visibility="private")])
