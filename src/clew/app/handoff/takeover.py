"""Taking over what a colleague hands over: its entries become items of the task that is worked on here.

A hand-off that came with the repository is taken over once a person trusted exactly its text (`clew trust`), and the
first session that starts is given it as it stands. With one that came by an exchange whoever it is for goes on where
they resume.
"""

from __future__ import annotations

from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple, Unpack

from clew.app.handoff.made import LATEST, Handoff, handoffs, used_event, uses
from clew.app.intake.source import SourceFile
from clew.app.ports import Ports
from clew.app.project.location import ProjectLocation, locate
from clew.app.project.opening import ProjectHandle
from clew.app.project.session import ProjectSession
from clew.app.project.trust import project_at, trusted
from clew.app.project.views import is_written
from clew.app.resume.payload import ResumeOptions, Resumption, resume
from clew.app.tasks.lifecycle import TITLE_CHARS_MAX, task_bind, task_new
from clew.core.errors import ClewError
from clew.core.text.cleaning import clean, one_line, shorten
from clew.documents.profiles import TEAM
from clew.documents.read_back import profile_in
from clew.workspace.disk import Disk, read

if TYPE_CHECKING:
    from clew.app.importing.documents import ImportedFiles

_BYTES_MAX: Final = 256 << 10
_TITLE: Final = "Handed over"
# Of so many of the newest hand-offs the one is looked for that is for whoever asks.
_LOOKED_AT_MAX: Final = 100


class Brought(NamedTuple):
    """A hand-off that came with the repository and is trusted: `name` stands for its very bytes."""

    text: str
    name: str


def brought(ports: Ports, location: ProjectLocation) -> Brought | None:
    """The hand-off of this work tree, if a colleague wrote it and a person here trusts its text; None else."""
    looked = read(Disk(location.root), LATEST, limit_bytes=_BYTES_MAX)
    if looked.data is None or is_written(location, LATEST, looked.data):
        return None
    try:
        if not trusted(ports.trust_store, project_at(location.root), "handoff", looked.data):
            return None
        return Brought(clean(looked.data.decode()), sha256(looked.data).hexdigest()[:16])
    except (ClewError, UnicodeDecodeError):
        return None


def take_over(project: ProjectHandle) -> ImportedFiles | None:
    """Make items of the hand-off that was brought, once; None where there is none, or it was taken over before. Where
    no task is bound here, one is opened for it. Raises as `take_in`.
    """
    location = locate(project.folder)
    found = brought(project.ports, location) if location.has_ledger else None
    if found is None:
        return None
    with project.open(write=False) as at:
        if f"taken:{found.name}" in uses(at):
            return None
        is_bound = bool(at.task())
    from clew.documents.parse import parse  # here and in `_take_in`: hardly anything is handed over, every resume asks

    goal = next((entry.text for entry in parse(found.text, name=LATEST).entries if entry.kind == "goal"), _TITLE)
    if not is_bound:
        task_new(project, shorten(one_line(goal), TITLE_CHARS_MAX // 2))
    done = _take_in(project, SourceFile(LATEST, found.text, "UTF-8"))
    with project.open(write=True, spool=False) as at:
        at.append([used_event(at, f"taken:{found.name}", "")])
    return done


def _take_in(project: ProjectHandle, handed: SourceFile, *, task: str | None = None) -> ImportedFiles:
    from clew.app.importing.documents import take_in

    return take_in(project, [handed], task=task, visibility="private")


def first_given(ports: Ports, at: ProjectSession, session: str) -> str:
    """The text of a trusted hand-off that no session was given yet, marked as given to this one; "" for none."""
    found = to_give(ports, at) if at.ledger.writable else None
    if found is None:
        return ""
    at.append([used_event(at, f"given:{found.name}", session)])
    return found.text


def to_give(ports: Ports, at: ProjectSession) -> Brought | None:
    """A trusted hand-off that no session was given yet; None for none."""
    found = brought(ports, at.location)
    if found is None or profile_in(found.text) is None or f"given:{found.name}" in uses(at):
        return None
    return found


class Received(NamedTuple):
    """What somebody else handed over to whoever asks: `handoff` is of the task that is worked on here from now on, None
    where a person has to choose first. `note` tells them.
    """

    handoff: Handoff | None
    note: str = ""


def receive(project: ProjectHandle) -> Received:
    """Go on here with the newest hand-off to whoever asks that came from somebody else, if its task is open: the work
    tree and branch are bound to the task, unless somebody chose another one for them, and entries that are not known
    become items, which stay on this machine: who handed them over has them. Once; later the same hand-off is told.
    """
    with project.open(write=False) as at:
        found = _for_me(at, project.ports)
        if found is None:
            return Received(None)
        task, here = at.task_of(found.task), at.task_of(at.task())
        assert task is not None
        is_new, is_here = f"taken:{found.id}" not in uses(at), here is not None and here.id == task.id
        shown = at.short(task.id)
    if not is_new or is_here or here is None or here.thread:
        if is_new and not project.dry_run:
            if not is_here:
                task_bind(project, task.id)
            _take_in(project, SourceFile(f"{found.id}.md", found.text, "UTF-8"), task=task.id)
            with project.open(write=True, spool=False) as at:
                at.append([used_event(at, f"taken:{found.id}", "")])
            return Received(found, f"{found.by} handed this over: this work tree is bound to {shown} now.")
        return Received(found if is_here else None)
    told = f"{found.by} handed {shown} ({task.title}) over to you: `clew task switch {shown}` goes on with it here."
    return Received(None, told)


def resume_received(project: ProjectHandle, **options: Unpack[ResumeOptions]) -> Resumption:
    """`resume`, after what somebody handed over to whoever asks was taken over (`receive`). Until a session has gone on
    from it the document is `team`, from whom and when.
    """
    try:
        received = receive(project)
    except ClewError as problem:
        received = Received(None, f"What was handed over was not taken over: {problem.message} [{problem.code}].")
    found, handoff = resume(project, **options), received.handoff
    if handoff is not None and found.transcript is None:
        sender = f"{handoff.by} ({handoff.time[:16].replace('T', ' ')})"
        found = resume(project, **options | {"profile": TEAM.name, "receiver": handoff.receiver, "sender": sender})
    return found._replace(notes=(*filter(None, (received.note,)), *found.notes))


def _for_me(at: ProjectSession, ports: Ports) -> Handoff | None:
    """The newest hand-off of an open task that somebody else made for whoever asks: by the name here or on a hub."""
    mine = {name.casefold() for name in (at.speaker.actor, ports.actor) if name}
    newest = (one for one in islice(handoffs(at), _LOOKED_AT_MAX) if one.receiver.casefold() in mine)
    for one in newest:
        task = at.task_of(one.task)
        if one.by.casefold() not in mine and task is not None and task.status == "open":
            return one
    return None
