"""A passage of a session, as a search names it (`SESSION@BYTE`): what was asked there, and what came of it."""

from pathlib import Path
from typing import Final

from clew.app.intake.find import pick_session, unreadable
from clew.app.project import redactor_at
from clew.app.project.opening import ProjectHandle
from clew.app.results import JsonResult
from clew.core.errors import InputError
from clew.core.records.transcript import Prompt, Record
from clew.core.text.cleaning import clean, one_line
from clew.documents.transcript import SessionEntry, entries
from clew.sessions.log import Cursor, SessionLog
from clew.sessions.redaction import RecordRedactor

# A turn of more records is cut: who wants all of it exports the session.
_RECORDS_MAX: Final = 400


class SessionPassage(JsonResult, frozen=True):
    """A turn of a session. `more`: it goes on behind what is given here."""

    record: Path
    client: str
    at: int
    entries: tuple[SessionEntry, ...]
    more: bool


def is_place(name: str) -> bool:
    """Whether `name` is a place in a session: something, an at-sign, digits."""
    session, _, at = name.rpartition("@")
    return bool(session) and at.isascii() and at.isdigit()


def passage(project: ProjectHandle, name: str) -> SessionPassage:
    """The turn that begins at the place `name`, redacted as the project of `folder` (absolute) says.

    Raises `NotFound` and `InputError`: no such session, no line that begins there.
    """
    session, _, at = name.rpartition("@")
    start = int(at)
    path, reader = pick_session(project, session)
    safe, found = RecordRedactor(redactor_at(project.ports, project.folder)), list[Record]()
    more = False
    try:
        for record in SessionLog(path, reader, Cursor(start)):
            is_next = isinstance(record, Prompt) and record.source != "command" and record.at > start
            if is_next or len(found) == _RECORDS_MAX:
                more = not is_next
                break
            found.append(safe.record(record))
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
    told = tuple(entries(found))
    if not told:
        raise InputError(
            f"nothing stands at byte {start} of {one_line(clean(path.name))}",
            code="E-no-place",
            hint="`clew search` prints places as SESSION@BYTE; the file may be another one by now.",
        )
    return SessionPassage(path, reader.name, start, told, more)
