"""Writing into the journal, and reading it."""

from __future__ import annotations

import re
from typing import Final

from clew.app.journal.pages import NOTED, JournalLine, days, journal_views
from clew.app.project.opening import ProjectHandle
from clew.app.project.session import Outcome
from clew.app.project.views import views_at
from clew.app.results import JsonResult
from clew.core.errors import InputError
from clew.core.state.events import timestamp

_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
_DAYS_SHOWN: Final = 3


class Day(JsonResult, frozen=True):
    """One day of the journal: `day` is `YYYY-MM-DD` (UTC)."""

    day: str
    lines: tuple[JournalLine, ...]


class Journal(JsonResult, frozen=True):
    """Days of the journal, in their order."""

    days: tuple[Day, ...]


def add(project: ProjectHandle, text: str) -> Outcome:
    """Put a line into today's page. Raises `InputError` for an empty one."""
    with project.open(write=True) as at:
        said = at.safe(text)
        if not said:
            raise InputError("the line is empty", code="E-item-words", hint="Say what happened in a sentence.")
        event = at.event(NOTED, {"text": said}, task=at.task())
        at.keep([event])
        if at.ledger.writable and not project.dry_run:
            views = views_at(at.location)
            views.write(journal_views(at, views, since=event.said_at[:10]))
        return at.outcome(f"Written into the journal of {event.said_at[:10]}: {said}", "clew journal", events=[event])


def read(project: ProjectHandle, *, day: str = "") -> Journal:
    """The journal of one day, or of the last days that have one. Raises `InputError` for what is not a day."""
    if day == "today":
        day = timestamp(project.ports.now_ms())[:10]
    if day and not _DAY.fullmatch(day):
        raise InputError(f"{day} is not a day", code="E-journal-day", hint="Use 2026-11-25, or `today`.")
    with project.open(write=False) as at:
        found = days(at, since=day)
    wanted = [day] if day else list(found)[-_DAYS_SHOWN:]
    return Journal(tuple(Day(one, tuple(found.get(one, ()))) for one in wanted))
