"""One item with its evidence: what it says, who said it, what became of it, and the words there in the record; or all
items.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from clew.app.draft.newest import Draft, find_draft
from clew.app.intake.find import no_session, project_at
from clew.app.intake.notes import line_number
from clew.app.intake.sessions import Sessions
from clew.app.look.log import LogLine, lines
from clew.app.ports import Ports
from clew.app.project import ProjectSession, find_task
from clew.app.project.lookup import FoundItem, find_item
from clew.app.project.opening import ProjectHandle
from clew.app.record.checkpoint import Checkpoint, find_checkpoint
from clew.app.resume.current_state import not_taken_in, task_and_sessions, up_to_date
from clew.core.errors import NotFound
from clew.core.state.draft import LETTER
from clew.core.state.events import Recorded
from clew.core.state.extract import Extract
from clew.core.state.ids import short_session
from clew.core.state.items import Item
from clew.core.state.projection import NOWHERE, Known, find_ids, known
from clew.core.state.tasks import Task
from clew.sessions.capture import captured
from clew.workspace.worktrees import top_of


class Showing(NamedTuple):
    """`items` in the order they were said, `ids` their shortest unique ids. `chosen` is the one asked for.

    `line` is the number (from 1) of the chosen item's line in `transcript`, 0 without one. `transcript` is None where
    no session's record is at hand. With a ledger: `entries` are the items with how they stand, `history` the events
    about the chosen one, `task` the task that they are of (None: none). Where the id was that of a task, a
    checkpoint or a draft there are no items, and `task`, `checkpoint` or `draft` is what was asked for. `names` are the
    shortest ids of these.
    """

    items: tuple[Item, ...] = ()
    ids: tuple[str, ...] = ()
    chosen: Item | None = None
    transcript: Path | None = None
    line: int = 0
    client: str = ""
    entries: tuple[Known, ...] = ()
    history: tuple[LogLine, ...] = ()
    task: Task | None = None
    checkpoint: Checkpoint | None = None
    draft: Draft | None = None
    names: dict[str, str] | None = None


def show(project: ProjectHandle, name: str | None, *, transcript: Path | None = None) -> Showing:
    """The item whose id begins with `name`, or all items of the task that work goes on with here if it is None,
    whatever became of them. Where a ledger is kept a task, a checkpoint and a draft have ids, too.

    `folder` and `transcript` pick the session as in `resume`. Raises `NotFound` when nothing has such an id and
    `InputError` when several have.
    """
    with up_to_date(project, transcript=transcript) as (at, sessions, _):
        found = _found(project.ports, at, sessions, name)
        if at.is_kept:
            ids = [one.id for one in (found.task, found.checkpoint, found.draft) if one is not None]
            return found._replace(names=at.ledger.shortest(ids)) if ids else found
        [session] = sessions.files.values()
        return found._replace(transcript=session.path, client=session.client, entries=(), history=())


def _found(ports: Ports, at: ProjectSession, sessions: Sessions, name: str | None) -> Showing:
    unread = not_taken_in(ports, at, sessions, [])
    fresh = unread.extract if unread is not None else None
    if name is None:
        return _listed(ports, at, sessions, fresh)
    wanted = name.strip().strip("[]")
    letter = wanted[:2].upper() if at.is_kept else ""
    if letter == "T-":
        return Showing(task=find_task(at, wanted))
    if letter == "K-":
        checkpoint = find_checkpoint(at, wanted)
        return Showing(task=at.task_of(checkpoint.task), checkpoint=checkpoint)
    if letter == f"{LETTER}-":
        draft = find_draft(at, wanted)
        return Showing(task=at.task_of(draft.task), draft=draft)
    try:
        return _item(ports, at, sessions, wanted)
    except NotFound:
        if not at.is_kept:
            raise _not_there(sessions, wanted) from None
        item = _named_in(fresh, wanted) if fresh is not None else None
        if item is None:
            raise
        path = sessions.files[item.place.session].path
        line = line_number(path, item.place.at, ports.readers)
        return Showing((item,), (item.id,), item, path, line, fresh.origin.client if fresh is not None else "")


def _not_there(sessions: Sessions, wanted: str) -> NotFound:
    """That the one session that was read has no such item."""
    [session] = sessions.files.values()
    return NotFound(
        f"no item of session {short_session(session.session)} ({session.path}) has the id "
        f"{wanted or 'that was given: it is empty'}",
        code="E-no-item",
        hint="`clew show` lists its items. For a document of another session give that session: --from FILE or ID.",
    )


def _named_in(fresh: Extract, wanted: str) -> Item | None:
    """The one item of a session that is not imported whose id begins with `wanted`."""
    names = find_ids([item.id for item in fresh.items], wanted)
    return next(item for item in fresh.items if item.id == names[0]) if len(names) == 1 else None


def _listed(ports: Ports, at: ProjectSession, sessions: Sessions, fresh: Extract | None) -> Showing:
    task, extracts = task_and_sessions(ports, at, sessions, fresh=fresh)
    stated = at.stated(task, extracts=extracts)
    entries = tuple(known(stated, extracts if task else extracts[-1:]).values())
    if not entries:
        raise no_session(ports, project_at(at.location.root), kept=at.is_kept)
    shown = at.ledger.shortest([entry.item.id for entry in entries])
    items = tuple(entry.item for entry in entries)
    ids = tuple(shown[item.id] for item in items)
    return Showing(items, ids, entries=entries, task=at.task_of(task))


def _item(ports: Ports, at: ProjectSession, sessions: Sessions, wanted: str) -> Showing:
    found = find_item(at, wanted)
    item, path, line = _with_words(ports, at, sessions, found.entry.item)
    client = next((one.origin.client for one in found.extracts if one.origin.session == item.place.session), "")
    return Showing(
        (item,),
        (found.shown,),
        item,
        path,
        line,
        client,
        entries=(found.entry._replace(item=item),),
        history=tuple(lines(at, _said(at, found))),
        task=at.task_of(found.task),
    )


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
