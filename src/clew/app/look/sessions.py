"""Sessions of a project: what ran where, in which client, for which task, and whether the ledger has it. Looks only."""

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from clew.app.intake.find import newest, project_at, ran_in, reader_at
from clew.app.intake.sessions import Sessions
from clew.app.ports import Ports
from clew.app.project import locate
from clew.app.project.opening import ProjectHandle
from clew.app.project.output_redaction import redacted_name
from clew.app.project.runtime_dirs import running
from clew.clients.port import Transcript
from clew.core.state.extract import Extract
from clew.core.state.tasks import Task
from clew.workspace.times import rfc3339

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


class SessionList(NamedTuple):
    """Sessions, the one that was active last first. `more`: how many the limit left out (without a ledger: whether it
    left out any). `tasks` are those that they
    count for, by id, `shown` their shortest ids. `kept`: a ledger is kept here.
    """

    sessions: tuple[SessionRow, ...]
    more: int
    tasks: Mapping[str, Task]
    shown: Mapping[str, str]
    kept: bool


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
        return SessionList(*_first(list(islice(named, limit + 1 if limit else None)), limit), {}, {}, False)
    with project.open(write=False) as at:
        known = Sessions(project.ports, at)
        waiting = {item.session for item in known.waiting()}
        data, now_s = str(project.ports.trust_store.parent), project.ports.now_ms() / 1000
        live = {one.session for one in running(data, at.location, now_s, but="", rests=at.rests)}
        rows = []
        for extract in at.ledger.extracts():
            item = known.files.get(extract.origin.session)
            rows.append(_ran(extract, item, extract.origin.session in live, extract.origin.session in waiting))
        have = {one.session for one in rows}
        rows += [
            _unread(item, project.ports)._replace(stands="live" if item.session in live else "unread")
            for item in _ours(project.ports, known, waiting - have)
        ]
        rows = sorted((one for one in rows if client in ("", one.client)), key=lambda one: one.last_time, reverse=True)
        shown, more = _first(rows, limit)
        tasks = {one.id: one for one in at.tasks() if any(ran.task == one.id for ran in shown)}
        return SessionList(shown, more, tasks, at.ledger.shortest(list(tasks)), True)


def _ours(ports: Ports, known: Sessions, names: set[str]) -> Iterator[Transcript]:
    """The files of those sessions that ran in the project and hold a prompt, as far as their beginning tells:
    importing what is in them is not asked for.
    """
    for item in map(known.files.__getitem__, names):
        reader = reader_at(item.path, ports.readers, client=item.client)
        if reader is not None and ran_in(known.project, item.path, reader):
            yield item


def _first(rows: list[SessionRow], limit: int) -> tuple[tuple[SessionRow, ...], int]:
    shown = rows[:limit] if limit else rows
    return tuple(shown), len(rows) - len(shown)


def _ran(extract: Extract, item: Transcript | None, is_live: bool, grew: bool) -> SessionRow:
    origin = extract.origin
    goals = [one.text for one in extract.items if one.kind == "goal"]
    stands = "live" if is_live else "ended" if origin.ended else "broke off"
    return SessionRow(
        origin.client,
        origin.session,
        goals[-1] if goals else "",
        origin.first_time,
        origin.last_time,
        extract.worktree,
        origin.branch,
        extract.task,
        stands,
        grew,
        item.path if item is not None else None,
    )


def _unread(item: Transcript, ports: Ports) -> SessionRow:
    written = rfc3339(item.modified_ns // 1_000_000_000)
    name = redacted_name(item.session, ports.redact)
    return SessionRow(item.client, name, "", "", written, "", "", "", "unread", True, item.path)
