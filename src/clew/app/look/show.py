"""One item with its evidence: what it says, who said it, what became of it, and the words there in the record; or all
items.
"""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from clew.app.draft.newest import Draft, find_draft
from clew.app.intake.find import line_number, no_session, project_at
from clew.app.intake.sessions import Sessions
from clew.app.look.log import LogLine, lines
from clew.app.ports import Ports
from clew.app.project.lookup import FoundItem, find_item
from clew.app.project.opening import ProjectHandle
from clew.app.project.reading import find_task
from clew.app.project.session import ProjectSession
from clew.app.record.checkpoint import CheckpointRow, find_checkpoint
from clew.app.results import JsonResult, SourcedRow, TaskRow
from clew.app.resume.current_state import not_taken_in, task_and_sessions, up_to_date
from clew.core.errors import NotFound
from clew.core.state.draft import LETTER
from clew.core.state.events import Recorded
from clew.core.state.extract import Extract
from clew.core.state.ids import short_session
from clew.core.state.items import Item
from clew.core.state.projection import NOWHERE, find_ids, known
from clew.sessions.capture import captured
from clew.workspace.repository import top_of


class Showing(JsonResult, frozen=True):
    """What has an id, or all items.

    `item` is the item asked for, of a session of `client`; `line` is the number (from 1) of its line in `file`, 0
    without one, which is "" where no session's record is at hand. Without an id there are `items`, in the order they
    were said. With a ledger `history` are the events about the item, and `task` is the task that the items are of
    (None: none). Where the id was that of a task, a checkpoint or a draft, `task`, `checkpoint` or `draft` is what was
    asked for.
    """

    file: Path | str = ""
    client: str = ""
    task: TaskRow | None = None
    checkpoint: CheckpointRow | None = None
    draft: Draft | None = None
    line: int = 0
    item: SourcedRow | None = None
    history: tuple[LogLine, ...] = ()
    items: tuple[SourcedRow, ...] = ()


def show(project: ProjectHandle, name: str | None, *, transcript: Path | None = None) -> Showing:
    """The item whose id begins with `name`, or all items of the task that work goes on with here if it is None,
    whatever became of them. Where a ledger is kept a task, a checkpoint and a draft have ids, too.

    `folder` and `transcript` pick the session as in `resume`. Raises `NotFound` when nothing has such an id and
    `InputError` when several have.
    """
    with up_to_date(project, transcript=transcript) as (at, sessions, _):
        found = _found(project.ports, at, sessions, name)
        if at.is_kept:
            return found
        [session] = sessions.files.values()
        items = tuple(replace(one, standing="", because="") for one in found.items)
        item = found.item and replace(found.item, standing="", because="")
        return replace(found, file=session.path, client=session.client, history=(), item=item, items=items)


def _found(ports: Ports, at: ProjectSession, sessions: Sessions, name: str | None) -> Showing:
    unread = not_taken_in(ports, at, sessions, [])
    fresh = unread.extract if unread is not None else None
    if name is None:
        return _listed(ports, at, sessions, fresh)
    wanted = name.strip().strip("[]")
    letter = wanted[:2].upper() if at.is_kept else ""
    if letter == "T-":
        return Showing(task=at.task_row(find_task(at, wanted).id))
    if letter == "K-":
        checkpoint = find_checkpoint(at, wanted)
        row = CheckpointRow.of(checkpoint, short_id=at.short(checkpoint.id))
        return Showing(task=at.task_row(checkpoint.task), checkpoint=row)
    if letter == f"{LETTER}-":
        draft = find_draft(at, wanted)
        return Showing(task=at.task_row(draft.task), draft=replace(draft, short_id=at.short(draft.id)))
    try:
        return _item(ports, at, sessions, wanted)
    except NotFound:
        if not at.is_kept:
            raise _not_there(sessions, wanted) from None
        there = {item.id: item for item in fresh.items} if fresh is not None else {}
        names = find_ids(list(there), wanted)
        if fresh is None or len(names) != 1:
            raise
        item = there[names[0]]
        path = sessions.files[item.place.session].path
        line = line_number(path, item.place.at, ports.readers)
        client = fresh.origin.client
        unsaid = SourcedRow.of(item, standing="", because="", source="", disputed="")
        return Showing(path, client, line=line, item=unsaid)


def _not_there(sessions: Sessions, wanted: str) -> NotFound:
    """That the one session that was read has no such item."""
    [session] = sessions.files.values()
    return NotFound(
        f"no item of session {short_session(session.session)} ({session.path}) has the id "
        f"{wanted or 'that was given: it is empty'}",
        code="E-no-item",
        hint="`clew show` lists its items. For a document of another session give that session: --from FILE or ID.",
    )


def _listed(ports: Ports, at: ProjectSession, sessions: Sessions, fresh: Extract | None) -> Showing:
    task, extracts = task_and_sessions(ports, at, sessions, fresh=fresh, whole=True)
    stated = at.stated(task, extracts=extracts)
    entries = tuple(known(stated, extracts if task else extracts[-1:]).values())
    if not entries:
        raise no_session(ports, project_at(at.location.root), kept=at.is_kept)
    shown = at.ledger.shortest([entry.item.id for entry in entries])
    rows = tuple(SourcedRow.known(entry, short_id=shown[entry.item.id]) for entry in entries)
    return Showing(task=at.task_row(task), items=rows)


def _item(ports: Ports, at: ProjectSession, sessions: Sessions, wanted: str) -> Showing:
    found = find_item(at, wanted)
    item, path, line = _with_words(ports, at, sessions, found.entry.item)
    client = next((one.origin.client for one in found.extracts if one.origin.session == item.place.session), "")
    row = SourcedRow.known(found.entry._replace(item=item), short_id=found.shown)
    history = tuple(lines(at, _said(at, found)))
    return Showing(path or "", client, at.task_row(found.task), line=line, item=row, history=history)


def _said(at: ProjectSession, found: FoundItem) -> list[Recorded]:
    """The events about an item, by arrival: of its task, and from before its session counted for that."""
    said: dict[str, Recorded] = {}
    for task in dict.fromkeys((found.task, "")):
        for one in at.ledger.events(task=task):
            data = one.event.data
            # What went along with a session is the same word (`clew task adopt`).
            if found.id in (data.get("item"), data.get("by")) and f"adopted:{found.task}:{one.event.id}" not in said:
                said[one.event.key] = one
    return sorted(said.values())


def _with_words(ports: Ports, at: ProjectSession, sessions: Sessions, item: Item) -> tuple[Item, Path | None, int]:
    """The item with all of the words at its place, if its session's record is still there; the record and the line."""
    file = sessions.files.get(item.place.session) if item.place.at != NOWHERE else None
    if file is None:
        return item, None, 0
    try:
        gathered = sessions.gather(file)
    except OSError:
        gathered = None
    if gathered is None:
        return item, None, 0
    if not at.is_kept:  # of this item no word was cut
        return item, file.path, line_number(file.path, item.place.at, ports.readers)
    state = captured(gathered, client=file.client, root_of=top_of, session=file.session).state
    same = next((one for one in state.items if one.id == item.id), None)
    place = same.place if same is not None else item.place
    return item._replace(place=place), file.path, line_number(file.path, place.at, ports.readers)
