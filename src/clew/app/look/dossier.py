"""A dossier: all that the ledger knows of one item: how it stands, who said what of it when, and the words there."""

from __future__ import annotations

from pathlib import Path

from clew.app.draft.newest import find_draft
from clew.app.intake.absence import no_session
from clew.app.intake.capture import captured
from clew.app.intake.find import project_at
from clew.app.intake.place import line_number
from clew.app.intake.session import top_of
from clew.app.intake.take_in import Sessions
from clew.app.look.log import lines
from clew.app.look.show import Showing
from clew.app.ports import Ports
from clew.app.project import ProjectSession, find_task
from clew.app.project.lookup import Found, find_item
from clew.app.record.checkpoint import find_checkpoint
from clew.app.resume.current_state import not_taken_in, task_and_sessions, up_to_date
from clew.core.errors import NotFound
from clew.core.state.draft import LETTER
from clew.core.state.events import Recorded
from clew.core.state.extract import Extract
from clew.core.state.items import Item
from clew.core.state.view import NOWHERE, known, resolves


def dossier(ports: Ports, name: str | None, *, folder: Path) -> Showing:
    """What the ledger of `folder`'s project knows of the item, task, checkpoint or draft whose id begins with `name`;
    without a name all items of the task that work goes on with here, whatever became of them.

    Raises `NotFound` and `InputError` as `find_item`.
    """
    with up_to_date(ports, folder) as (at, sessions, _):
        found = _found(ports, at, sessions, name)
        ids = [one.id for one in (found.task, found.checkpoint, found.draft) if one is not None]
        return found._replace(names=at.ledger.shortest(ids)) if ids else found


def _found(ports: Ports, at: ProjectSession, sessions: Sessions, name: str | None) -> Showing:
    unread = not_taken_in(ports, at, sessions, [])
    fresh = unread.extract if unread is not None else None
    if name is None:
        return _listed(ports, at, sessions, fresh)
    wanted = name.strip().strip("[]")
    if wanted[:2].upper() == "T-":
        return Showing(task=find_task(at, wanted))
    if wanted[:2].upper() == "K-":
        checkpoint = find_checkpoint(at, wanted)
        return Showing(task=at.task_of(checkpoint.task), checkpoint=checkpoint)
    if wanted[:2].upper() == f"{LETTER}-":
        draft = find_draft(at, wanted)
        return Showing(task=at.task_of(draft.task), draft=draft)
    try:
        return _item(ports, at, sessions, wanted)
    except NotFound:
        item = _named_in(fresh, wanted) if fresh is not None else None
        if item is None:
            raise
        path = sessions.files[item.place.session].path
        line = line_number(path, item.place.at, ports.readers)
        return Showing((item,), (item.id,), item, path, line, fresh.origin.client if fresh is not None else "")


def _named_in(fresh: Extract, wanted: str) -> Item | None:
    """The one item of a session that is not taken in whose id begins with `wanted`."""
    names = resolves([item.id for item in fresh.items], wanted)
    return next(item for item in fresh.items if item.id == names[0]) if len(names) == 1 else None


def _listed(ports: Ports, at: ProjectSession, sessions: Sessions, fresh: Extract | None) -> Showing:
    task, entities, extracts = task_and_sessions(ports, at, sessions, fresh=fresh)
    entries = tuple(known(entities, extracts).values())
    if not entries:
        raise no_session(ports, project_at(at.location.root), kept=True)
    shown = at.ledger.shortest([entry.item.id for entry in entries])
    items = tuple(entry.item for entry in entries)
    ids = tuple(shown[item.id] for item in items)
    return Showing(items, ids, entries=entries, task=at.task_of(task))


def _item(ports: Ports, at: ProjectSession, sessions: Sessions, wanted: str) -> Showing:
    found = find_item(at, wanted)
    item, path, line = _with_words(ports, sessions, found.entry.item)
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


def _said(at: ProjectSession, found: Found) -> list[Recorded]:
    """The events about an item, by arrival: of its task, and from before its session counted for that."""
    said: dict[str, Recorded] = {}
    for task in dict.fromkeys((found.task, "")):
        for one in at.ledger.events(task=task):
            data = one.event.data
            # What went along with a session is the same word (`clew task adopt`).
            if found.id in (data.get("item"), data.get("by")) and f"adopted:{found.task}:{one.event.id}" not in said:
                said[one.event.key] = one
    return sorted(said.values())


def _with_words(ports: Ports, sessions: Sessions, item: Item) -> tuple[Item, Path | None, int]:
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
    state = captured(gathered, client=file.client, root_of=top_of, session=file.session).state
    same = next((one for one in state.items if one.id == item.id), None)
    place = same.place if same is not None else item.place
    return item._replace(place=place), file.path, line_number(file.path, place.at, ports.readers)
