"""One session taken in where no ledger keeps them: the one that was named, or the newest that holds anything."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from clew.app.intake.absence import no_session
from clew.app.intake.find import named, newest, project_at, reader_for, unreadable
from clew.app.intake.sessions import Sessions
from clew.app.ports import Ports
from clew.app.project import ProjectSession
from clew.app.project.output_redaction import redacted_name
from clew.clients.port import Reader, Transcript
from clew.core.errors import InputError
from clew.core.state.extract import Extract
from clew.distill.version import RULES_VERSION
from clew.sessions.capture import Captured, Gathered, captured, gather
from clew.workspace.worktrees import top_of

_SESSIONS_TRIED_MAX = 5


def take_one_in(ports: Ports, at: ProjectSession, folder: Path, transcript: Path | None) -> Sessions:
    """Take into the ledger of `at`, which is in memory, the session that `transcript` names (a file, or a session's
    id), else the newest one of the project of `folder` that holds anything; it is all the sessions that there are.

    Raises `NotFound` or `InputError`.
    """
    path, gathered, found = _named(ports, transcript) if transcript is not None else _newest(ports, folder)
    origin = found.state.origin
    safe = origin._replace(cwd=redacted_name(origin.cwd, ports.redact))
    at.ledger.take_in(Extract(safe, "", safe.cwd, RULES_VERSION, gathered.extent, "", found.state.items))
    return Sessions(ports, at, only=(Transcript(origin.client, origin.session, path, gathered.extent, 0), gathered))


def _named(ports: Ports, transcript: Path) -> tuple[Path, Gathered, Captured]:
    path = named(transcript, ports.locators)
    gathered, found = _read(ports, path, reader_for(path, ports.readers))
    if not found.state.items:
        raise InputError(
            f"nothing in {path} is worth keeping",
            code="E-session-empty",
            hint=f"{found.records} records and {found.unreadable} unreadable lines were read"
            f"{', and a line that breaks off' if found.is_torn else ''}: no request, no work, no result. "
            "Name another session file.",
        )
    return path, gathered, found


def _newest(ports: Ports, folder: Path) -> tuple[Path, Gathered, Captured]:
    project = project_at(folder)
    sessions = newest(ports.locators, ports.readers, project, excluded=ports.asking_session)
    for item, reader in islice(sessions, _SESSIONS_TRIED_MAX):
        gathered, found = _read(ports, item.path, reader)
        if found.state.items:
            return item.path, gathered, found
    raise no_session(ports, project)


def _read(ports: Ports, path: Path, reader: Reader) -> tuple[Gathered, Captured]:
    try:
        gathered = gather(path, reader, redact=ports.redact)
    except OSError as error:
        raise unreadable(path, error) from error
    return gathered, captured(gathered, client=reader.name, root_of=top_of)
