"""The main job: from the last session's record and the disk as it is to the text that lets the next session go on."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple, TypedDict, Unpack

from msgspec.structs import replace

from clew.app.intake.find import line_number, unread
from clew.app.project.opening import ProjectHandle
from clew.app.project.redaction import redacted_name, safe_errors
from clew.app.record.checkpoint import Checkpoint, CheckpointRow
from clew.app.results import DriftRow, ItemRow, JsonResult, TaskRow
from clew.app.resume.current_state import CurrentState, current_state
from clew.app.resume.drifted import compared
from clew.clients.registry import Readers
from clew.core.cost.uses import Totals
from clew.core.errors import InputError
from clew.core.records.files import Drift
from clew.core.state.crowd import room_in
from clew.core.state.drift import Verdict
from clew.core.state.ids import shortest_prefixes
from clew.core.state.items import State
from clew.core.state.tasks import Task
from clew.documents.profiles import PROFILES
from clew.documents.render import Document, View, render
from clew.sessions.cache import SessionFacts
from clew.sessions.capture import Captured

REHYDRATE: Final = "rehydrate"


class SourceSession(JsonResult, frozen=True):
    """The session that a payload was made from (`core.state.items.Origin`): its `file`, "" where there is none any
    more, and how many `bytes` of it were read.
    """

    client: str
    session: str
    cwd: str
    branch: str
    first_time: str
    last_time: str
    ended: bool
    last_act: str
    file: Path | str
    bytes: int


class StateItem(ItemRow, frozen=True):
    """An item of a state, and whether the document holds it."""

    shown: bool


class SessionUsage(JsonResult, frozen=True):
    """What a session used: tokens in its context at last, and those of each model."""

    context_tokens: int
    models: Mapping[str, Totals]


class ResumeResult(JsonResult, frozen=True):
    """A payload, the state that it tells, the disk against that, and what its session used."""

    text: str
    tokens: int
    mark: str
    verdict: Verdict | None
    session: SourceSession
    task: TaskRow | None
    checkpoint: CheckpointRow | None
    items: tuple[StateItem, ...]
    drift: DriftRow | None
    usage: SessionUsage
    notes: tuple[str, ...]


class Resumption(NamedTuple):
    """The payload and what it was made from; `result` is what is told of that. `notes` are sentences for the person who
    asked, not for the agent.

    `task` is the task whose state it is (None: of none), `at` the checkpoint that it is of (None: now), `ids` the
    shortest ids of the items, the task and the checkpoint. `transcript` is None where no session's record is at hand.
    `profile` is the document's.
    """

    document: Document
    state: State
    drift: Drift | None
    verdict: Verdict | None
    transcript: Path | None
    captured: Captured
    notes: tuple[str, ...]
    task: Task | None
    at: Checkpoint | None
    ids: Mapping[str, str]
    profile: str = REHYDRATE

    def result(self) -> ResumeResult:
        """What `clew resume --json` prints."""
        ids = self.ids or shortest_prefixes(item.id for item in self.state.items)
        shown, captured = set(self.document.shown), self.captured
        return ResumeResult.of(
            self.document,
            verdict=self.verdict,
            session=SourceSession.of(self.state.origin, file=self.transcript or "", bytes=captured.facts.size),
            task=self.task and TaskRow.of(self.task, short_id=ids.get(self.task.id, self.task.id)),
            checkpoint=self.at and CheckpointRow.of(self.at, short_id=ids.get(self.at.id, self.at.id)),
            items=tuple(
                StateItem.of(item, short_id=ids.get(item.id, item.id), shown=item.id in shown)
                for item in self.state.items
            ),
            drift=self.drift and DriftRow.of(self.drift),
            usage=SessionUsage(captured.facts.usage.context, captured.facts.usage.models),
            notes=self.notes,
        )


class ResumeOptions(TypedDict, total=False):
    """What may be asked of a payload: the one list for commands, library and hooks.

    Whose: of `task` (an id, a beginning of one, a title), as it was `at` a checkpoint (its name or id, "last"), or of
    the session `transcript` (its file, its id, or a beginning that no other session of this user shares). How: by
    `profile` (docs/reference/documents.md), of at most `budget_tokens` (estimated o200k tokens; None: the profile's
    own), for `receiver`, from `sender` ("": from whoever asks); `with_ids`: every entry tells its id. With `part` the
    state has of items that are alike only as many as there is room for in the document, which is the same
    (`core.state.crowd`).
    """

    task: str | None
    at: str | None
    transcript: str | os.PathLike[str] | None
    budget_tokens: int | None
    profile: str
    receiver: str
    sender: str
    with_ids: bool
    part: bool


def resume(project: ProjectHandle, **options: Unpack[ResumeOptions]) -> Resumption:
    """The payload for the next session in `folder`.

    With `transcript` nothing is written. Without it, where the project keeps a ledger, what sessions left is taken in,
    and the state is that of `task`, of the task that is bound here, or of the newest session
    (`app/resume/current_state.py`). Where no ledger is kept it is that of the newest session of the project that
    `folder` is in, and nothing is written. Raises `NotFound`, `InputError`, `BudgetError` or `LedgerError`.
    """
    with safe_errors(project.ports.redact):
        profile, named = options.get("profile", REHYDRATE), options.get("transcript")
        if profile not in PROFILES:
            raise InputError(
                f"there is no profile {profile}",
                code="E-profile-unknown",
                hint=f"Known profiles: {', '.join(PROFILES)}.",
            )
        transcript = Path(named) if named is not None else None
        task, at = options.get("task") or "", options.get("at") or ""
        budget_tokens = options.get("budget_tokens")
        most = PROFILES[profile].budget_tokens if budget_tokens is None else budget_tokens
        room = room_in(most) if options.get("part") else None
        here = current_state(project, transcript=transcript, task=task, checkpoint=at, room=room)
        if transcript is None:
            here = here._replace(notes=(*here.notes, *(f"{one}." for one in unread(project.ports.locators))))
        return resume_from(project, here, **options)


def resume_from(
    project: ProjectHandle, here: CurrentState, *, reviewer: str = "", **options: Unpack[ResumeOptions]
) -> Resumption:
    """The document for a state that is at hand. `reviewer` looked through it ("" nobody). Raises `BudgetError`."""
    with safe_errors(project.ports.redact):
        path = here.session.path if here.session is not None else None
        broken = _unreadable_lines(path, here.captured.facts, project.ports.readers) if path is not None else ()
        drift, judged, state, notes = compared(project, here)
        shape, budget = PROFILES[options.get("profile", REHYDRATE)], options.get("budget_tokens")
        receiver = options.get("receiver", "")
        sender = project.ports.redact(options.get("sender", "")) or (project.ports.actor if receiver else "")
        view = View(state, drift, judged, here.ids, sender, project.ports.redact(receiver), reviewer)
        room = shape.budget_tokens if budget is None else budget
        document = render(view, shape, room, with_ids=options.get("with_ids", False))
        told = tuple(redacted_name(note, project.ports.redact) for note in (*here.notes, *broken, *notes))
        # The record's own names of folders and files were needed to find them; they go no further.
        captured = here.captured._replace(state=state, facts=replace(here.captured.facts, evidence={}, folders=()))
        past = here.checkpoint if here.is_past else None
        return Resumption(document, state, drift, judged, path, captured, told, here.task, past, here.ids, shape.name)


def _unreadable_lines(path: Path, facts: SessionFacts, readers: Readers) -> list[str]:
    """How many lines of the session file were skipped, where the first one is, and whether the last one is whole."""
    torn = ["The session file breaks off within a line: its client was stopped while it wrote, or writes just now."]
    torn = torn if facts.is_torn else []
    first = facts.first_unreadable
    if first is None:
        return torn
    lines = "1 line" if facts.unreadable == 1 else f"{facts.unreadable} lines"
    was = "was" if facts.unreadable == 1 else "were"
    number = line_number(path, first.at, readers)
    where = f"line {number}, byte {first.at}" if number else f"byte {first.at}"
    skipped = f"{lines} of the session file could not be read and {was} skipped (first: {where}: {first.why})."
    return [skipped, *torn]
