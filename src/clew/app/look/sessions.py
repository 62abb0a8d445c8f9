"""Sessions looked at: those of a project, the record of one in short, and a passage of one that a search names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from clew.app.intake.find import newest, pick_session, project_at, ran_in, reader_at, unreadable
from clew.app.intake.sessions import Sessions
from clew.app.ports import Ports
from clew.app.project.location import locate
from clew.app.project.opening import ProjectHandle, redactor_at
from clew.app.project.redaction import redacted_name, safe_errors
from clew.app.project.runtime_dirs import running
from clew.app.results import JsonResult, TaskRow
from clew.clients.port import Transcript
from clew.core.errors import InputError
from clew.core.records.transcript import Call, Compaction, Context, Prompt, Record
from clew.core.state.extract import Extract
from clew.core.text.cleaning import clean, one_line, shorten
from clew.distill import session as sessions_of
from clew.documents.digest import BUDGET_TOKENS
from clew.documents.digest import digest as rendered
from clew.ledger.port import Ledger
from clew.sessions.capture import Gathered, by_root, gather, trees
from clew.sessions.log import Cursor, SessionLog
from clew.sessions.redaction import RecordRedactor
from clew.workspace.repository import top_of
from clew.workspace.times import rfc3339

if TYPE_CHECKING:
    from clew.documents.transcript import SessionEntry

LIMIT: Final = 20


class SessionRow(NamedTuple):
    """One session. `goal` is the newest thing that was asked of it, "" unknown. Times are RFC 3339 UTC, "" unknown.

    `place` is the folder where it ran and `branch` what was checked out there, "" unknown. `task` is the id of the task
    that it counts for, "" none. `stands`: "live" (it runs now), "ended" (its last turn was done), "broke off" (in the
    middle of one), or "unread" (the ledger has nothing of it yet). `grew`: its record holds more than the ledger has.
    `record` is the client's own record, None where it is gone.
    """

    client: str
    session: str
    goal: str
    first_time: str
    last_time: str
    place: str
    branch: str
    task: str
    stands: str
    grew: bool
    record: Path | None


class SessionList(JsonResult, frozen=True):
    """Sessions, the one that was active last first. `more`: how many the limit left out (without a ledger: whether it
    left out any). `ledger`: one is kept here. `tasks` are those that they count for.
    """

    sessions: tuple[SessionRow, ...]
    more: int
    ledger: bool
    tasks: tuple[TaskRow, ...]


def sessions(project: ProjectHandle, *, client: str = "", limit: int = LIMIT) -> SessionList:
    """At most `limit` sessions (0: all) of the project that `folder` (absolute) is in, those of one `client` or of all.

    Without a ledger they are what clients recorded, unread but for their beginning. Nothing is imported or written.
    Raises `InputError` for a client that is not known.
    """
    project.ports.readers.require(client)
    location = locate(project.folder)
    if not location.has_ledger:
        found = newest(project.ports.locators, project.ports.readers, project_at(project.folder), excluded="")
        named = (_unread(item, project.ports) for item, _ in found if client in ("", item.client))
        # Each one more is a file to be opened: whether there is one more is all that is asked.
        return SessionList(*_first(list(islice(named, limit + 1 if limit else None)), limit), False, ())
    with project.open(write=False) as at:
        known = Sessions(project.ports, at)
        waiting = {item.session for item in known.waiting()}
        data, now_s = str(project.ports.trust_store.parent), project.ports.now_ms() / 1000
        live = {one.session for one in running(data, at.location, now_s, but="", rests=at.rests)}
        rows = []
        for extract in at.ledger.extracts(items=False):
            item = known.files.get(extract.origin.session)
            rows.append(_ran(extract, item, extract.origin.session in live, extract.origin.session in waiting))
        have = {one.session for one in rows}
        for item in map(known.files.__getitem__, waiting - have):  # importing what is in them is not asked for
            reader = reader_at(item.path, project.ports.readers, client=item.client)
            if reader is not None and ran_in(known.project, item.path, reader):
                stands = "live" if item.session in live else "unread"
                rows.append(_unread(item, project.ports)._replace(stands=stands))
        rows = sorted((one for one in rows if client in ("", one.client)), key=lambda one: one.last_time, reverse=True)
        shown, more = _first(rows, limit)
        shown = tuple(one._replace(goal=_goal(at.ledger, one.session)) if one.session in have else one for one in shown)
        tasks = [one for one in at.tasks() if any(ran.task == one.id for ran in shown)]
        ids = at.ledger.shortest([one.id for one in tasks])
        return SessionList(shown, more, True, tuple(TaskRow.of(one, short_id=ids[one.id]) for one in tasks))


def _first(rows: list[SessionRow], limit: int) -> tuple[tuple[SessionRow, ...], int]:
    shown = rows[:limit] if limit else rows
    return tuple(shown), len(rows) - len(shown)


def _ran(extract: Extract, item: Transcript | None, is_live: bool, grew: bool) -> SessionRow:
    origin = extract.origin
    stands = "live" if is_live else "ended" if origin.ended else "broke off"
    return SessionRow(
        origin.client,
        origin.session,
        "",
        origin.first_time,
        origin.last_time,
        extract.worktree,
        origin.branch,
        extract.task,
        stands,
        grew,
        item.path if item is not None else None,
    )


def _goal(ledger: Ledger, session: str) -> str:
    """The newest thing that was asked of a session. Costs a look at its items, so that only rows that are shown ask."""
    goals = [item.text for one in ledger.extracts(session=session) for item in one.items if item.kind == "goal"]
    return goals[-1] if goals else ""


def _unread(item: Transcript, ports: Ports) -> SessionRow:
    written = rfc3339(item.modified_ns // 1_000_000_000)
    name = redacted_name(item.session, ports.redact)
    return SessionRow(item.client, name, "", "", written, "", "", "", "unread", True, item.path)


class SessionDigest(JsonResult, frozen=True):
    """A session's record in short, and of which session of which client it is; `left_out` lines had no room."""

    client: str
    session: str
    file: Path
    text: str
    tokens: int
    lines: int
    left_out: int


def digest(project: ProjectHandle, *, session: str | Path = "", budget_tokens: int = BUDGET_TOKENS) -> SessionDigest:
    """The record in short of `session`: a path, an id, or a beginning of one that no other session of this user shares;
    "" the newest session of the project that `folder` is in, but not the one that asks. Nothing is written.

    Raises `NotFound`, `InputError`, `BudgetError`, `LedgerError`.
    """
    with safe_errors(project.ports.redact):
        path, reader = pick_session(project, session, excluded=project.ports.asking_session)
        try:
            gathered = _known(project, path) or gather(path, reader, redact=project.ports.redact)
        except OSError as error:
            raise unreadable(path, error) from error
        return _told(gathered, path, reader.name, budget_tokens)


def digest_of(gathered: Gathered, *, client: str, budget_tokens: int = BUDGET_TOKENS) -> SessionDigest:
    """The same of a session whose record was read."""
    return _told(gathered, Path(), client, budget_tokens)


def _told(gathered: Gathered, path: Path, client: str, budget_tokens: int) -> SessionDigest:
    root = top_of(gathered.cwd) if gathered.cwd else ""
    records = by_root(gathered.kept, root)
    story = sessions_of.build(
        records, client=client, root=root, is_torn=gathered.is_torn, trees=trees(gathered.facts())
    )
    if not story.events:
        raise InputError(
            f"nothing in {path} is worth keeping",
            code="E-session-empty",
            hint="It holds no request, no work and no result. `clew sessions` lists those of this project.",
        )
    spoken = f"{client} session {story.id}"
    first, last = (time[:16].replace("T", " ") for time in (story.first_time, story.last_time))
    when = f", {first} to {last} UTC" if last else ""
    where = f", branch {story.branch}" if story.branch else ""
    title = f"{spoken}{where}{when}"
    document = rendered(title, story.events, finals=story.finals, root=root, budget_tokens=budget_tokens)
    return SessionDigest.of(document, client=client, session=story.id, file=path)


def _known(project: ProjectHandle, path: Path) -> Gathered | None:
    """A session of a project that keeps a ledger, as that redacts it: what people had taken out stays out. None for any
    other.
    """
    if not locate(project.folder).has_ledger:
        return None
    with project.open(write=False) as at:
        sessions = Sessions(project.ports, at)
        item = next((one for one in sessions.files.values() if one.path == path), None)
        return sessions.gather(item) if item is not None else None


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
    from clew.documents.transcript import entries  # here: the library does without

    session, _, at = name.rpartition("@")
    start = int(at)
    path, reader = pick_session(project, session)
    safe = RecordRedactor(redactor_at(project.ports, project.folder))
    try:
        found = next(_turns(SessionLog(path, reader, Cursor(start)), most=_RECORDS_MAX + 1), [])
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
    told = tuple(entries(map(safe.record, found[:_RECORDS_MAX])))
    if not told:
        raise InputError(
            f"there is nothing at byte {start} of {one_line(clean(path.name))}",
            code="E-no-place",
            hint="`clew search` prints places as SESSION@BYTE; the file may be another one by now.",
        )
    return SessionPassage(path, reader.name, start, told, len(found) > _RECORDS_MAX)


class SessionTurn(NamedTuple):
    """A turn of a session: its `number` from 1, the byte and time of its prompt, the prompt on one line ("" what came
    before the first), how many tools it called, and how often the context was compacted in it. `entries` are all that
    happened, () for a turn that was not asked for.
    """

    number: int
    at: int
    time: str
    prompt: str
    tools: int
    compactions: int
    entries: tuple[SessionEntry, ...] = ()


class SessionTurns(NamedTuple):
    """A session turn by turn; those that were asked for have their entries."""

    record: Path
    client: str
    session: str
    turns: tuple[SessionTurn, ...]


_TURN_RECORDS_MAX: Final = 2_000
_PROMPT_CHARS: Final = 200


def session_turns(
    project: ProjectHandle, name: str, *, first: int = 1, most: int = 10, words: str = ""
) -> SessionTurns:
    """The turns of the session that `name` names, redacted as the project says. Entries have `most` turns from number
    `first` on; with `words` those turns that hold them all, and the others are left out. Raises `NotFound`,
    `InputError`.
    """
    from clew.documents.transcript import entries  # here: the library does without

    path, reader = pick_session(project, name, agents=True)
    safe = RecordRedactor(redactor_at(project.ports, project.folder))
    wanted = words.casefold().split()
    found: list[SessionTurn] = []
    shown = 0
    try:
        main = (one for one in SessionLog(path, reader) if not one.agent)
        for number, records in enumerate(_turns(main), start=1):
            is_asked = bool(wanted) or (number >= first and shown < most)
            told = tuple(entries(map(safe.record, records))) if is_asked else ()
            if wanted:
                text = "\n".join(f"{one.title}\n{one.text}" for one in told).casefold()
                if not all(word in text for word in wanted):
                    continue
                told = told if number >= first and shown < most else ()
            shown += bool(told)
            found.append(_turn(number, records, safe, told))
    except OSError as error:
        raise unreadable(path, error) from error
    return SessionTurns(path, reader.name, redacted_name(path.stem, project.ports.redact), tuple(found))


def _turns(records: Iterable[Record], *, most: int = _TURN_RECORDS_MAX) -> Iterator[list[Record]]:
    """The records cut before each prompt; of a very long turn the first `most`."""
    turn: list[Record] = []
    for record in (one for one in records if not isinstance(one, Context)):
        if isinstance(record, Prompt) and record.source != "command" and turn:
            yield turn
            turn = []
        if len(turn) < most:
            turn.append(record)
    if turn:
        yield turn


def _turn(number: int, records: list[Record], safe: RecordRedactor, told: tuple[SessionEntry, ...]) -> SessionTurn:
    head = records[0]
    words = safe.record(head)
    prompt = shorten(one_line(clean(words.text)), _PROMPT_CHARS) if isinstance(words, Prompt) else ""
    tools = sum(isinstance(one, Call) for one in records)
    compactions = sum(isinstance(one, Compaction) for one in records)
    return SessionTurn(number, head.at, head.time, prompt, tools, compactions, told)
