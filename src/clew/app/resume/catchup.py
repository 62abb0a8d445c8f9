"""Catching up: what sessions left is imported, and what is worth it marked with a checkpoint. What `clew init`,
`clew checkpoint` and `clew resume` begin with.
"""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

from clew.app.intake.ingest import Intake, ingest
from clew.app.intake.sessions import Sessions
from clew.app.ports import Ports
from clew.app.project.opening import ProjectHandle
from clew.app.project.session import ProjectSession
from clew.app.record.checkpoint import Checkpoint, CheckpointRow, Spent, checkpoint_automatically, take_checkpoint
from clew.app.results import JsonResult
from clew.core.state.events import timestamp

if TYPE_CHECKING:
    from clew.app.draft.newest import Draft
    from clew.core.state.draft import Source

AUTO_SETTING: Final = "checkpoint.auto"
_DAY_MS: Final = 86_400_000
# A session whose record grew in the last ten minutes may be the one whose agent speaks.
_AT_WORK_MS: Final = 600_000


class CaughtUp(NamedTuple):
    """What was imported, and the checkpoint that was taken because of it, if one was."""

    intake: Intake
    checkpoint: Checkpoint | None


class TakenCheckpoint(JsonResult, frozen=True):
    """A checkpoint that somebody took. `spooled`: it waits in the spool. `notes` are sentences for the person who
    asked. `draft`: the draft that came with it, None without one, and `answer` the lines that whoever handed it in is
    told of it. `asks`: what to write a draft by, where one is wanted of whoever took it; "" else.
    """

    checkpoint: CheckpointRow
    spooled: bool
    dry_run: bool
    notes: tuple[str, ...]
    draft: "Draft | None"
    answer: tuple[str, ...]
    asks: str


def catch_up(
    ports: Ports,
    at: ProjectSession,
    sessions: Sessions | None = None,
    *,
    deadline_ms: int | None = None,
    most: int | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> CaughtUp:
    """Take in what `sessions` (None: all of the project) left, as `intake.ingest`, and drop activity that is too old;
    then take a checkpoint if something in it is worth one and the setting `checkpoint.auto` is on. Raises
    `LedgerError`, and `InputError` for settings that cannot be used.
    """
    sessions = sessions or Sessions(ports, at)
    done = ingest(ports, at, sessions, deadline_ms=deadline_ms, most=most, clock=clock)
    if not done.taken:
        return CaughtUp(done, None)
    settings = ports.settings(at.location.root)
    at.ledger.prune(timestamp(ports.now_ms() - settings.number("retention.activity_days") * _DAY_MS))
    if not settings.on(AUTO_SETTING):
        return CaughtUp(done, None)
    mark = checkpoint_automatically(at, compacted=done.compactions, spent=lambda: spent_here(at, sessions))
    return CaughtUp(done, mark)


def checkpoint(
    project: ProjectHandle, *, name: str = "", message: str = "", draft: str = "", source: "Source" = "command"
) -> TakenCheckpoint:
    """Take in what sessions left, then take a checkpoint of the task that is bound in `folder`, or of the project; with
    the text of a `draft`, which is proved, in one append (`app/draft/keep.py`). `source` is the way by which an agent's
    draft came.

    Where the ledger cannot be written nothing is taken in and the checkpoint waits in the spool; with `dry_run` nothing
    is imported or kept. Raises `InputError` for a name that cannot be one or a draft that cannot be kept, `NotFound`
    where no ledger is kept.
    """
    # Here: a session's start records nothing itself.
    from msgspec import structs

    from clew.app.draft.due import asked, note_kept
    from clew.app.draft.keep import DraftInput, judgement
    from clew.documents.draft import REQUEST

    notes: tuple[str, ...] = ()
    with project.open(write=True) as at:
        sessions = Sessions(project.ports, at)
        if at.ledger.writable and not project.dry_run:
            notes = ingest(project.ports, at, sessions).notes
        judged = None
        if draft:
            session = _session_here(project.ports, at, sessions)
            written = DraftInput(draft, "review" if at.is_person else source, session)
            judged = judgement(project.ports, at, written, sessions)
        along = judged.events if judged is not None else None
        taken = take_checkpoint(at, name=name, message=message, spent=spent_here(at, sessions), along=along)
        asks = ""
        if judged is not None and not project.dry_run:
            note_kept(project.ports, judged.draft.session, judged.tokens)
        elif not project.dry_run and asked(project.ports):
            asks = REQUEST
        kept = taken.seq > 0
        ids = [taken.id, judged.draft.id] if judged is not None else [taken.id]
        shown = at.ledger.shortest(ids) if kept else {one: one for one in ids}
        row = structs.replace(judged.draft, short_id=shown[judged.draft.id]) if judged is not None else None
        return TakenCheckpoint(
            checkpoint=CheckpointRow.of(taken, short_id=shown[taken.id]),
            spooled=not kept and not project.dry_run,
            dry_run=project.dry_run,
            notes=(*notes, *at.outcome("").notes),
            draft=row,
            answer=judged.answer(row.short_id) if judged is not None and row is not None else (),
            asks=asks,
        )


def _session_here(ports: Ports, at: ProjectSession, sessions: Sessions) -> str:
    """The session that a hand-off which is handed in here tells of: the one that asks, else the newest one of the task
    that is bound here; "" for none, and for an agent where two were at work just now: it could be either's.
    """
    task, known = at.task(), at.ledger.taken()
    newest = [name for name in sessions.files if name in known and known[name].task == task]
    since_ns = (ports.now_ms() - _AT_WORK_MS) * 1_000_000
    is_plain = sum(sessions.files[name].modified_ns > since_ns for name in newest[:2]) < 2
    return ports.asking_session or (newest[0] if newest and (is_plain or at.is_person) else "")


def spent_here(at: ProjectSession, sessions: Sessions) -> Spent:
    """What the newest session of the task that is bound here has used so far. Reads its record, from the cache."""
    task = at.task()
    known = at.ledger.taken()
    newest = next((item for name, item in sessions.files.items() if name in known and known[name].task == task), None)
    if newest is None:
        return Spent()
    try:
        facts = sessions.facts(newest)
    except OSError:
        facts = None
    if facts is None:
        return Spent(newest.client, newest.session)
    usage = facts.usage
    return Spent(newest.client, newest.session, usage.context, usage.total().output)
