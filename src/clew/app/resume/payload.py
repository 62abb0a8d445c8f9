"""The main job: from the last session's record and the disk as it is to the text that lets the next session go on."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from clew.app.intake.find import unread
from clew.app.intake.notes import unreadable_lines
from clew.app.project.opening import ProjectHandle
from clew.app.project.output_redaction import redacted_name, safe_errors
from clew.app.record.checkpoint import Checkpoint
from clew.app.resume.current_state import CurrentState, current_state
from clew.app.resume.drifted import compared
from clew.core.errors import InputError
from clew.core.records.files import Drift
from clew.core.state.crowd import room_in
from clew.core.state.drift import Verdict
from clew.core.state.items import State
from clew.core.state.tasks import Task
from clew.documents.profiles import PROFILES, Profile
from clew.documents.render import Document, View, render
from clew.sessions.capture import Captured


class Resumption(NamedTuple):
    """The payload and what it was made from. `notes` are sentences for the person who asked, not for the agent.

    `task` is the task whose state it is (None: of none), `at` the checkpoint that it is of (None: now), `ids` the
    shortest ids of the items, the task and the checkpoint. `transcript` is None where no session's record is at hand.
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


def resume(
    project: ProjectHandle,
    *,
    transcript: Path | None = None,
    task: str = "",
    at: str = "",
    budget_tokens: int | None = None,
    profile: str = "rehydrate",
    receiver: str = "",
    with_ids: bool = False,
    part: bool = False,
) -> Resumption:
    """The payload for the next session in `folder`.

    `transcript` is the session file to go on from (a path, a session's id, or a beginning of one that no other session
    of this user shares); nothing is written then. Without it, where the project keeps a ledger, what sessions left is
    taken in, and the state is that of `task` (its id, a beginning of it, or its title), of the task that is bound here,
    or of the newest session (`app/resume/current_state.py`); with `at`, a checkpoint's name or id, as it was then.
    Where no ledger is kept it is that of the newest session of the project that `folder` is in, and nothing is written.
    `receiver` is to whom the document goes, "" to whoever goes on; `with_ids`: as `render`.
    With `part` the state has of items that are alike only as many as there is room for in the document, which is the
    same (`core.state.crowd`). Raises `NotFound`, `InputError`, `BudgetError` or `LedgerError`.
    """
    with safe_errors(project.ports.redact):
        shape = PROFILES.get(profile)
        if shape is None:
            raise InputError(
                f"there is no profile {profile}",
                code="E-profile-unknown",
                hint=f"Known profiles: {', '.join(PROFILES)}.",
            )
        room = room_in(shape.budget_tokens if budget_tokens is None else budget_tokens) if part else None
        here = current_state(project, transcript=transcript, task=task, checkpoint=at, room=room)
        if transcript is None:
            here = here._replace(notes=(*here.notes, *(f"{one}." for one in unread(project.ports.locators))))
        return _rendered(project, here, shape, budget_tokens, receiver=receiver, with_ids=with_ids)


def resume_from(
    project: ProjectHandle,
    here: CurrentState,
    *,
    budget_tokens: int | None,
    profile: str = "rehydrate",
    receiver: str = "",
    reviewer: str = "",
    with_ids: bool = False,
) -> Resumption:
    """The document for a state that is at hand. `reviewer` looked through it ("" nobody). Raises `BudgetError`."""
    with safe_errors(project.ports.redact):
        shape = PROFILES[profile]
        return _rendered(project, here, shape, budget_tokens, receiver=receiver, reviewer=reviewer, with_ids=with_ids)


def _rendered(
    project: ProjectHandle,
    here: CurrentState,
    shape: Profile,
    budget_tokens: int | None,
    *,
    receiver: str = "",
    reviewer: str = "",
    with_ids: bool = False,
) -> Resumption:
    path = here.session.path if here.session is not None else None
    broken = unreadable_lines(path, here.captured, project.ports.readers) if path is not None else ()
    drift, judged, state, notes = compared(project, here)
    budget = shape.budget_tokens if budget_tokens is None else budget_tokens
    sender = project.ports.actor if receiver else ""
    view = View(state, drift, judged, here.ids, sender, project.ports.redact(receiver), reviewer)
    document = render(view, shape, budget, with_ids=with_ids)
    told = tuple(redacted_name(note, project.ports.redact) for note in (*here.notes, *broken, *notes))
    # The record's own names of folders and files were needed to find them; they go no further.
    captured = here.captured._replace(state=state, evidence={})
    past = here.checkpoint if here.is_past else None
    return Resumption(document, state, drift, judged, path, captured, told, here.task, past, here.ids)
