"""A project: where it is, and the session in which a use case works on it. All else in this package is its own."""

from clew.app.project.location import PROJECT_FOLDER, SERVER_NAME, ProjectLocation, locate
from clew.app.project.opening import after_work, begin_session, open_project, open_unkept, redactor_at
from clew.app.project.reading import find_task
from clew.app.project.redaction import LedgerRedaction
from clew.app.project.session import AWAY, READ_ONLY, Outcome, ProjectSession, Speaker

__all__ = [
    "AWAY",
    "PROJECT_FOLDER",
    "READ_ONLY",
    "SERVER_NAME",
    "LedgerRedaction",
    "Outcome",
    "ProjectLocation",
    "ProjectSession",
    "Speaker",
    "after_work",
    "begin_session",
    "find_task",
    "locate",
    "open_project",
    "open_unkept",
    "redactor_at",
]
