"""A project as programs use it: one ledger held open, and the same use cases on it as the commands have.

What is recorded here has the class `agent`, whoever started the program (docs/reference/authority.md): a library is no
person at a terminal.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from clew.app.install.init import found, plan
from clew.app.look.log import select_events
from clew.app.look.sessions import SessionDigest, digest
from clew.app.ports import Ports
from clew.app.project.location import locate
from clew.app.project.lookup import live_state
from clew.app.project.opening import ProjectHandle
from clew.app.project.reading import find_task
from clew.app.project.session import READ_ONLY, Outcome
from clew.app.record import item as items
from clew.app.record.agents import Agents, Saved
from clew.app.record.checkpoint import Checkpoint, Spent, find_checkpoint, take_checkpoint
from clew.app.record.note import NewNote, note
from clew.app.resume.drifted import drifted
from clew.app.resume.payload import resume
from clew.app.tasks.lifecycle import task_new
from clew.core.errors import LedgerError, NotFound
from clew.core.records.files import Drift
from clew.core.state.events import Recorded
from clew.core.state.items import Authority, Kind, State
from clew.documents.digest import BUDGET_TOKENS
from clew.documents.render import Document
from clew.ledger.port import Ledger

if TYPE_CHECKING:
    from clew.app.importing.documents import ImportedDocument

ACTOR: Final = "program"
_AUTHORITY: Final = Authority("agent", "a program records it through the library")


def open_library(
    ports: Ports, folder: Path, *, create: bool = False, task: str | None = None, actor: str = "", ledger: str = ""
) -> Project:
    """See `clew.open`."""
    ports = ports._replace(channel=lambda: _AUTHORITY, actor=actor or ACTOR)
    location = locate(folder)
    if create and not location.has_ledger:
        found(ports, plan(ProjectHandle(ports, folder), ledger)).ledger.close()
        location = locate(folder)
    if not location.has_ledger:
        raise NotFound(
            f"{location.root} is not initialised",
            code="E-no-ledger",
            hint="Run `clew init` there first, or open it with `create=True`.",
        )
    try:
        kept = ports.open_ledger(location.ledger, project="", write=True)
    except LedgerError as error:
        if error.code != READ_ONLY:
            raise
        kept = ports.open_ledger(location.ledger, project="", write=False)
    project = Project(ports, folder, kept)
    try:
        if task is not None:
            project.work_on(task, create=create)
    except BaseException:
        project.close()
        raise
    return project


class Project:
    """An open project: a context manager, closed at the end of its `with`. Made by `clew.open`.

    Used by one thread at a time. Every method that changes something is one transaction: when it has returned, what it
    did survives the end of the process; when it raises, nothing was kept. All raise `clew.ClewError`.

    Ids may be given by any beginning that is unique in the project. What a person said, locked or pinned only a person
    changes: `NotAllowed`. Where the ledger cannot be written (a sandbox), what is recorded waits in the work tree and
    is imported later; opening a task and pinning raise `InputError` (E-not-spooled), `save` raises `LedgerError`.
    """

    def __init__(self, ports: Ports, folder: Path, ledger: Ledger) -> None:
        """`ledger` is open and becomes the project's. Programs call `clew.open`."""
        self._ledger = ledger
        self._folder = folder
        self._ports = ports._replace(open_ledger=self._lend)
        self._agents = Agents()

    def __enter__(self) -> Project:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the ledger. Closing twice is once."""
        self._ledger.close()

    @property
    def _handle(self) -> ProjectHandle:
        return ProjectHandle(self._ports, self._folder)

    @property
    def root(self) -> Path:
        """The top of the work tree, or outside git the folder that holds `.clew`. Paths of files start there."""
        return locate(self._folder).root

    @property
    def task(self) -> str:
        """The id of the task that is worked on: the one that was named, else the one bound to this place; "" none."""
        with self._handle.open(write=False) as at:
            return at.task()

    def work_on(self, task: str | None, *, create: bool = False) -> None:
        """From now on the task with this id or title is meant (None: whichever is bound to this work tree and branch).

        `create`: one that is not there is opened, and bound to nothing. Raises `NotFound` otherwise.
        """
        if not task:
            self._ports = self._ports._replace(task=None if task is None else "")
            return
        with self._handle.open(write=False) as at:
            try:
                name = find_task(at, task).id
            except NotFound:
                if not create:
                    raise
                name = ""
        if not name:
            opened = task_new(self._handle, task, bind=False).task
            assert opened is not None
            name = opened.id
        self._ports = self._ports._replace(task=name)

    def record(
        self,
        kind: Kind,
        text: str,
        *,
        why: str = "",
        files: Sequence[str] = (),
        owner: str = "",
        blocking: bool = False,
        locked: bool = False,
        until: str = "",
        tags: Sequence[str] = (),
        guard: Sequence[str] = (),
        status: str = "",
        key: str = "",
    ) -> str:
        """State an item of the task; its id. The same words twice are one item, and so is the same `key`.

        `files` are paths from the folder that was opened (`PATH`, `PATH:LINE`, `PATH:FIRST-LAST`). Which kinds hold
        which of the other fields: docs/reference/library.md. A new goal or next action takes the place of the program's
        last one.
        """
        wanted = NewNote(
            kind, text, why, tuple(files), owner, blocking, locked, until, tuple(tags), tuple(guard), status,
            task=self._ports.task, key=key,
        )  # fmt: skip
        return _item(note(self._handle, wanted))

    def import_file(self, file: str | os.PathLike[str], *, dry_run: bool = False) -> ImportedDocument:
        """Make items of the task of what a document or a session's record says (`clew import`), and tell what became
        of each of its lines.

        `file` is named from the folder that was opened. What it says is nobody's word (`unattributed`), and stated
        once however often it is imported. Raises `InputError`: unreadable, too large, no text.
        """
        from clew.app.importing.documents import take_in
        from clew.app.importing.handed import is_session, take_session_in  # here: who reads no document needs no parser
        from clew.app.intake.source import read_source

        if is_session(self._ports, record := self._folder / file):
            name = os.fspath(file)
            return take_session_in(self._handle._replace(dry_run=dry_run), record, name=name).documents[0]
        source = read_source(self._folder / file, root=self.root)
        return take_in(self._handle._replace(dry_run=dry_run), [source]).documents[0]

    def answer(self, item: str, text: str) -> None:
        """Answer a question. It stays a claim until a person answers; questions for somebody are only a person's."""
        items.answer(self._handle, item, text)

    def resolve(self, item: str, outcome: str = "") -> None:
        """Say that an item is over, and what came of it."""
        items.resolve(self._handle, item, outcome)

    def supersede(self, item: str, text: str = "", *, by: str = "", why: str = "") -> str:
        """Let a new item of the same kind with `text`, or the item `by`, stand in place of this one; its id."""
        done = items.supersede(self._handle, item, text=text, by=by, why=why)
        made = [str(event.data["by"]) for event in done.events if event.kind == "item.superseded"]
        return made[0] if made else _item(done)

    def retract(self, item: str, why: str = "") -> None:
        """Retract an item: it was wrong."""
        items.retract(self._handle, item, why=why)

    def pin(self, item: str) -> None:
        """Pin an item: documents neither shorten it nor leave it out. Only a person can unpin it."""
        items.pin(self._handle, item)

    def checkpoint(
        self, name: str = "", *, message: str = "", context_tokens: int = 0, output_tokens: int = 0
    ) -> Checkpoint:
        """Mark this moment of the task, with git's HEAD and the files in play; no file is copied.

        The tokens are what the agent has spent so far, 0 unknown. Without a `name` it is made of branch and time.
        """
        spent = Spent("", "", context_tokens, output_tokens)
        with self._handle.open(write=True) as at:
            return take_checkpoint(at, name=name, message=message, spent=spent)

    def state(self, at: str | None = None) -> State:
        """The live items of the task, now or as they were at the checkpoint `at` (its name, id, or "last")."""
        with self._handle.open(write=False) as here:
            return live_state(here, here.task(), upto=None if at is None else find_checkpoint(here, at).seq)

    def payload(
        self, budget_tokens: int | None = None, *, at: str | None = None, profile: str = "rehydrate"
    ) -> Document:
        """The text that lets the next session go on: what `clew resume` prints here for the task.

        What sessions of clients left in the project is imported first. With `at` it is the state as it was at that
        checkpoint, and the disk as it is. `budget_tokens`: the most estimated tokens that it may have (None: the
        setting, 1,500 if nobody set it). Raises `NotFound` where nothing is known yet.
        """
        setting = self._ports.settings(self.root).number("resume.budget_tokens")
        budget = setting if budget_tokens is None else budget_tokens
        return resume(self._handle, at=at or "", budget_tokens=budget, profile=profile, part=True).document

    def digest(self, session: str = "", *, budget_tokens: int = BUDGET_TOKENS) -> SessionDigest:
        """The record in short of a session (its id, a beginning of it, or its file; "" the newest one here): what
        `clew record` prints. Raises `NotFound`, `InputError`, `BudgetError`.
        """
        return digest(self._handle, session=session, budget_tokens=budget_tokens)

    def drift(self, since: str | None = None) -> Drift:
        """How the files in play differ on disk: from what the checkpoint `since` recorded, else from when they were
        last known (`clew drift`).
        """
        return drifted(self._handle, since=since or "").drift

    def log(self, *, kind: str = "", since: str = "", limit: int = 0) -> tuple[Recorded, ...]:
        """What was recorded for the task (where none is meant: for all), oldest first; with a `limit` the newest ones.

        `kind`: of items (`decision`) or events (`item.pinned`, `checkpoint`); `since`: a time, or how long ago (`2h`).
        """
        with self._handle.open(write=False) as at:
            found, _ = select_events(at, self._ports.now_ms(), at.task(), since=since, kind=kind, limit=limit)
            return tuple(found)

    def save(self, agent_id: str, state: object, *, messages: Sequence[object] | None = None, name: str = "") -> str:
        """Keep an agent's own state; the id of the save. When this has returned, `restore` gives it back, also after a
        `kill -9`.

        `state` is a JSON value of at most 8 MiB, messages included: texts, finite numbers, lists (tuples become lists),
        objects with text keys. `messages` may hold an SDK's objects, and come back as objects of JSON. Secrets are
        replaced by placeholders before anything is kept. What has not changed since the last save is not kept again.
        """
        with self._handle.open(write=True, spool=False) as at:
            return self._agents.save(at, agent_id, state, messages=messages, name=name, task=at.task())

    def restore(self, agent_id: str, at: str | None = None) -> Saved | None:
        """What was saved last for an agent, or as `at` says: a save's id or name, or a checkpoint's, which stands for
        the last save before it. None where nothing was saved.
        """
        with self._handle.open(write=False) as here:
            return self._agents.restore(here, agent_id, at)

    def _lend(self, path: Path, *, project: str, write: bool) -> Ledger:
        """The ledger that is open, for a use case that opens and closes one."""
        assert not project, "this one exists already"
        if write and not self._ledger.writable:
            from clew.ledger.sqlite.connection import readonly

            raise readonly(str(path))
        return cast("Ledger", _Lent(self._ledger))


class _Lent:
    """A ledger that somebody else closes."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)

    def close(self) -> None:
        """Nothing: it is lent."""


def _item(done: Outcome) -> str:
    assert done.item is not None
    return done.item.id
