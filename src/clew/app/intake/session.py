"""The session to go on from, read: the one that was named, or the newest of the project that holds anything."""

from __future__ import annotations

from pathlib import Path

from clew.app.intake.capture import Captured, capture
from clew.app.intake.find import named, newest, project_at, reader_for, unreadable
from clew.app.ports import Ports
from clew.clients.port import Reader
from clew.core.errors import InputError
from clew.workspace.repository import find
from clew.workspace.worktrees import former_top

_SESSIONS_TRIED_MAX = 5


def captured_session(ports: Ports, folder: Path, transcript: Path | None) -> tuple[Path, Captured]:
    """The session that `transcript` names (a file, or a session's id), else the newest of the project of `folder`.

    Raises `NotFound` or `InputError`.
    """
    if transcript is not None:
        path = named(transcript, ports.locators)
        captured = _read(ports, path, reader_for(path, ports.readers))
        if not captured.state.items:
            raise InputError(
                f"nothing in {path} is worth keeping",
                code="E-session-empty",
                hint=f"{captured.records} records and {captured.unreadable} unreadable lines were read"
                f"{', and a line that breaks off' if captured.is_torn else ''}: no request, no work, no result. "
                "Name another session file.",
            )
        return path, captured
    project = project_at(folder)
    for tried, (item, reader) in enumerate(
        newest(ports.locators, ports.readers, project, excluded=ports.asking_session)
    ):
        captured = _read(ports, item.path, reader)
        if captured.state.items:
            return item.path, captured
        if tried + 1 >= _SESSIONS_TRIED_MAX:
            break
    from clew.app.intake.absence import no_session  # here: only the error needs it, and start-up time is a budget

    raise no_session(ports, project)


def _read(ports: Ports, path: Path, reader: Reader) -> Captured:
    try:
        return capture(path, reader, root_of=top_of, redact=ports.redact)
    except OSError as error:
        raise unreadable(path, error) from error


def top_of(cwd: str) -> str:
    """The top of the work tree that a session's folder is in, or was in where it is gone; else the folder itself."""
    place = Path(cwd)
    if not place.is_absolute():
        return cwd
    former = former_top(place)
    repository = find(place) if former is None else None
    return str(former or (repository.top if repository else cwd))
