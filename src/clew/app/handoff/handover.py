"""A hand-off that came by an exchange: whoever it is for goes on with it where they resume."""

from __future__ import annotations

from itertools import islice
from typing import Final, NamedTuple, Unpack

from clew.app.handoff.made import Handoff, handoffs, uses
from clew.app.intake.source import SourceFile
from clew.app.ports import Ports
from clew.app.project import ProjectSession
from clew.app.project.opening import ProjectHandle
from clew.app.resume.payload import ResumeOptions, Resumption, resume
from clew.core.errors import ClewError
from clew.documents.profiles import TEAM

# Of so many of the newest hand-offs the one is looked for that is for whoever asks.
_LOOKED_AT_MAX: Final = 100


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
            from clew.app.handoff.takeover import mark_used  # here: reading documents is for once
            from clew.app.importing.documents import take_in
            from clew.app.tasks.lifecycle import task_bind

            if not is_here:
                task_bind(project, task.id)
            take_in(project, [SourceFile(f"{found.id}.md", found.text, "UTF-8")], task=task.id, visibility="private")
            with project.open(write=True, spool=False) as at:
                mark_used(at, f"taken:{found.id}", "")
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
