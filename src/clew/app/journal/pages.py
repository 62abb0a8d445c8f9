"""The journal: a page a day of what was decided, what failed and what ended, from events and from lines that somebody
wrote into it. A view, like all pages; lines that came from elsewhere (a colleague's, by git) are carried along
(docs/reference/handoffs.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from clew.app.project.location import PROJECT_FOLDER
from clew.app.project.opening import ProjectHandle
from clew.app.project.session import Outcome, ProjectSession
from clew.app.project.views import ViewFile, Views, views_at
from clew.app.results import JsonResult
from clew.core.errors import InputError
from clew.core.state.events import Event, timestamp
from clew.core.state.extract import Extract
from clew.core.text.cleaning import one_line, shorten
from clew.documents.escaping import claimed, safe
from clew.workspace.disk import Disk, names

FOLDER: Final = f"{PROJECT_FOLDER}/journal"
NOTED: Final = "journal.noted"
_DAY_CHARS: Final = 10
_KEY_CHARS: Final = 8
_TEXT_CHARS: Final = 300
_PAGES_MAX: Final = 5_000
_SAID: Final[Mapping[str, str]] = {
    "decision": "decided",
    "failed": "given up",
    "constraint": "must hold",
    "deferral": "put off",
    "goal": "goal",
}
_ENDED: Final[Mapping[str, str]] = {
    "task.opened": "opened the task",
    "task.closed": "closed the task",
    "task.dropped": "dropped the task",
    "task.reopened": "opened again the task",
}
_KINDS: Final = (*_ENDED, NOTED, "item.stated", "item.answered", "handoff.made")
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
_DAYS_SHOWN: Final = 3
_ROW: Final = re.compile(r"- (\d\d:\d\d:\d\d) .*\[([\w-]+)\]\s*")


class JournalLine(NamedTuple):
    """One line of a day. `key` tells it from all others; `time` is RFC 3339."""

    time: str
    who: str
    words: str
    key: str

    @property
    def row(self) -> str:
        """As it stands on the page."""
        who = f"{_plain(self.who)}: " if self.who else ""
        return f"- {self.time[11:19]} {who}{_plain(self.words)} [{self.key}]"


def days(at: ProjectSession, *, since: str = "") -> dict[str, list[JournalLine]]:
    """The lines of each day (UTC, `YYYY-MM-DD`) from `since` on ("" all), in order."""
    titles = {one.id: one.title for one in at.tasks()}
    found: dict[str, list[JournalLine]] = {}
    told = (line for event in _events(at) for line in _of_event(event, titles))
    sessions = (_of_session(one) for one in at.ledger.extracts() if one.origin.last_time)
    for line in (*told, *sessions):
        if line.time[:_DAY_CHARS] >= since:
            found.setdefault(line.time[:_DAY_CHARS], []).append(line)
    for lines in found.values():
        lines.sort(key=lambda line: (line.time[:19], line.row))
    return dict(sorted(found.items()))


def journal_views(at: ProjectSession, views: Views, *, since: str = "") -> list[ViewFile]:
    """The pages as they are to be, those of days that are there already with the lines that only they have."""
    made = []
    for day, lines in days(at, since=since).items():
        path = f"{FOLDER}/{day}.md"
        made.append(ViewFile(path, page(day, lines, views.text_of(path) or "")))
    return made


def page(day: str, lines: list[JournalLine], there: str = "") -> str:
    """The page of a day: our lines, and of the text that is `there` those that we do not have."""
    ours = {line.key: line.row for line in lines}
    others = {found[2]: row for row in there.split("\n") if (found := _ROW.fullmatch(row)) and found[2] not in ours}
    strays = [row for row in there.split("\n") if row.startswith("- ") and not _ROW.fullmatch(row)]
    rows = sorted([*ours.values(), *others.values()], key=lambda row: (row[2:10], row))
    return "\n".join([f"# Journal {day}", "", *rows, *dict.fromkeys(strays)]) + "\n"


def known_days(views: Views) -> list[str]:
    """The days that have a page on the disk."""
    there = names(Disk(views.root), FOLDER, ending=".md", deep=False, limit=_PAGES_MAX)
    return [name.rpartition("/")[2][:-3] for name in there]


def _events(at: ProjectSession) -> Iterator[Event]:
    """Each event once; of the drafts of a session what the newest says, as in the state (`core.state.drafted`)."""
    events = {recorded.event.id: recorded.event for recorded in at.ledger.events(kinds=_KINDS)}
    newest: dict[str, tuple[str, str]] = {}
    for event in events.values():
        if draft := str(event.data.get("draft", "")):
            newest[event.session] = max(newest.get(event.session, ("", "")), (event.said_at, draft))
    for event in events.values():
        if not event.data.get("draft") or event.data["draft"] == newest[event.session][1]:
            yield event


def _of_event(event: Event, titles: Mapping[str, str]) -> Iterator[JournalLine]:
    data, key = event.data, event.id[-_KEY_CHARS:].lower()
    if event.provenance in ("inferred", "unattributed"):
        return  # threads begin and end by themselves; what a file says happened when it says, not now
    if event.kind in _ENDED:
        outcome = f" ({data['outcome']})" if data.get("outcome") else ""
        title = str(data.get("title") or titles.get(str(data.get("task", "")), ""))
        yield JournalLine(event.said_at, event.actor, f"{_ENDED[event.kind]} {title}{outcome}", key)
    elif event.kind == NOTED:
        yield JournalLine(event.said_at, event.actor, str(data.get("text", "")), key)
    elif event.kind == "item.answered":
        yield JournalLine(event.said_at, event.actor, f"answered {data.get('was', '')}: {data.get('answer', '')}", key)
    elif event.kind == "handoff.made" and data.get("sort") != "end":
        to = f" to {data['receiver']}" if data.get("receiver") else ""
        yield JournalLine(event.said_at, event.actor, f"handed over{to}: {data.get('goal', '')}", key)
    elif event.kind == "item.stated" and not data.get("source") and not data.get("waits"):
        said = "remembered" if data.get("topic") else _SAID.get(str(data.get("kind")), "")
        why = f" ({data['why']})" if data.get("why") else ""
        if said:
            words = shorten(f"{data.get('text', '')}{why}", _TEXT_CHARS)
            yield JournalLine(event.said_at, event.actor, f"{said}: {words}", key)


def _of_session(one: Extract) -> JournalLine:
    """A session in a line: what it was asked, and what came of it."""
    origin = one.origin
    goal = next((item.text for item in one.items if item.kind == "goal"), "no request on record")
    counts = {
        "commit": sum(item.kind == "step" and item.status == "committed" for item in one.items),
        "passed check": sum(item.kind == "validation" and item.status == "passed" for item in one.items),
        "edited file": sum(item.kind == "file" and item.status != "read" for item in one.items),
    }
    told = ", ".join(f"{number} {name}{'s' * (number > 1)}" for name, number in counts.items() if number)
    where = f" on {origin.branch}" if origin.branch else ""
    words = f"{origin.client} session{where}: {shorten(one_line(goal), _TEXT_CHARS // 2)}" + (
        f" ({told})" if told else ""
    )
    return JournalLine(origin.last_time, "", words, origin.session[:_KEY_CHARS] or "session")


def _plain(text: str) -> str:
    return claimed(safe(text)).replace("[", "(").replace("]", ")")


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
