"""Taking over what a colleague hands over: its entries become items of the task that is worked on here.

A hand-off that came with the repository is taken over once a person trusted exactly its text (`clew trust`), and the
first session that starts is given it as it stands. What came by an exchange: `handover.py`.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final, NamedTuple

from clew.app.handoff.files import LATEST
from clew.app.handoff.made import uses
from clew.app.importing.documents import ImportedFiles, take_in
from clew.app.intake.source import SourceFile
from clew.app.ports import Ports
from clew.app.project import ProjectLocation, ProjectSession, locate
from clew.app.project.opening import ProjectHandle
from clew.app.project.trust import project_at, trusted
from clew.app.project.views import is_written
from clew.app.tasks.lifecycle import TITLE_CHARS_MAX, task_new
from clew.core.errors import ClewError
from clew.core.state.events import Data
from clew.core.text.cleaning import clean, one_line, shorten
from clew.documents.parse import parse
from clew.documents.read_back import profile_in
from clew.workspace.disk import Disk, read

_BYTES_MAX: Final = 256 << 10
_TITLE: Final = "Handed over"


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
    goal = next((entry.text for entry in parse(found.text, name=LATEST).entries if entry.kind == "goal"), _TITLE)
    if not is_bound:
        task_new(project, shorten(one_line(goal), TITLE_CHARS_MAX // 2))
    done = take_in(project, [SourceFile(LATEST, found.text, "UTF-8")], visibility="private")
    with project.open(write=True, spool=False) as at:
        mark_used(at, f"taken:{found.name}", "")
    return done


def first_given(ports: Ports, at: ProjectSession, session: str) -> str:
    """The text of a trusted hand-off that no session was given yet, marked as given to this one; "" for none."""
    found = to_give(ports, at) if at.ledger.writable else None
    if found is None:
        return ""
    mark_used(at, f"given:{found.name}", session)
    return found.text


def to_give(ports: Ports, at: ProjectSession) -> Brought | None:
    """A trusted hand-off that no session was given yet; None for none."""
    found = brought(ports, at.location)
    if found is None or profile_in(found.text) is None or f"given:{found.name}" in uses(at):
        return None
    return found


def mark_used(at: ProjectSession, name: str, session: str) -> None:
    """Note that what `name` stands for was done with a hand-off, and by which session."""
    data: Data = {"handoff": name, "session": session}
    at.append([at.event("handoff.used", data, task="", key=f"handoff-used:{name}", visibility="private")])
