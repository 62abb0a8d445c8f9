"""The main job: from the last session's record and the disk as it is to the text that lets the next session go on."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from clew.app.intake.capture import Captured
from clew.app.intake.find import reader_for, unread
from clew.app.intake.notes import compared_elsewhere, git_missing, unreadable_lines
from clew.app.intake.session import captured_session
from clew.app.ports import Ports
from clew.app.project import locate
from clew.app.project.output_redaction import redacted_drift, redacted_name, safe_errors
from clew.app.record.cited import cited_files
from clew.app.resume.ground import root_to_compare
from clew.core.errors import InputError, NotFound, Unavailable
from clew.core.state.items import State
from clew.core.text.cleaning import one_line
from clew.documents.profile import PROFILES, Profile
from clew.documents.render import Document, View, render

if TYPE_CHECKING:
    from clew.app.record.checkpoint import Checkpoint
    from clew.app.resume.current_state import CurrentState
    from clew.core.records.files import Drift
    from clew.core.state.drift import Verdict
    from clew.core.state.tasks import Task


class Resumption(NamedTuple):
    """The payload and what it was made from. `notes` are sentences for the person who asked, not for the agent.

    With a ledger: `task` is the task whose state it is (None: of none), `at` the checkpoint that it is of (None: now),
    `ids` the shortest ids of the items, the task and the checkpoint there. `transcript` is None where no session's
    record is at hand.
    """

    document: Document
    state: State
    drift: "Drift | None"
    verdict: "Verdict | None"
    transcript: Path | None
    captured: Captured
    notes: tuple[str, ...]
    task: "Task | None" = None
    at: "Checkpoint | None" = None
    ids: Mapping[str, str] | None = None


class _Found(NamedTuple):
    """What a payload is made of, before the disk was looked at. `captured` names folders as they are."""

    state: State
    captured: Captured
    transcript: Path | None
    notes: tuple[str, ...]
    checkpoint: "Checkpoint | None" = None
    is_past: bool = False
    task: "Task | None" = None
    ids: Mapping[str, str] | None = None


def resume(
    ports: Ports,
    *,
    folder: Path,
    transcript: Path | None = None,
    task: str = "",
    at: str = "",
    budget_tokens: int | None = None,
    profile: str = "rehydrate",
    receiver: str = "",
    with_ids: bool = False,
) -> Resumption:
    """The payload for the next session in `folder`.

    `transcript` is the session file to go on from (a path, a session's id, or a beginning of one that no other session
    of this user shares); nothing is written then. Without it, where the project keeps a ledger, what sessions left is
    taken in, and the state is that of `task` (its id, a beginning of it, or its title), of the task that is bound here,
    or of the newest session (`app/resume/current_state.py`); with `at`, a checkpoint's name or id, as it was then.
    Where no ledger is kept it is that of the newest session of the project that `folder` is in, and nothing is written.
    `receiver` is to whom the document goes, "" to whoever goes on; `with_ids`: as `render`.
    Raises `NotFound`, `InputError`, `BudgetError` or `LedgerError`.
    """
    with safe_errors(ports.redact):
        shape = PROFILES.get(profile)
        if shape is None:
            raise InputError(
                f"there is no profile {profile}",
                code="E-profile-unknown",
                hint=f"Known profiles: {', '.join(PROFILES)}.",
            )
        found = _found(ports, folder, transcript, task, at)
        if transcript is None:
            found = found._replace(notes=(*found.notes, *(f"{one}." for one in unread(ports.locators))))
        return _rendered(ports, folder, found, shape, budget_tokens, receiver=receiver, with_ids=with_ids)


def resume_from(
    ports: Ports,
    here: "CurrentState",
    *,
    folder: Path,
    budget_tokens: int | None,
    profile: str = "rehydrate",
    receiver: str = "",
    reviewer: str = "",
    with_ids: bool = False,
) -> Resumption:
    """The document for a stand that is at hand. `reviewer` is who looked through it, "" nobody. Raises
    `BudgetError`.
    """
    with safe_errors(ports.redact):
        found, shape = _standing(ports, here), PROFILES[profile]
        return _rendered(
            ports, folder, found, shape, budget_tokens, receiver=receiver, reviewer=reviewer, with_ids=with_ids
        )


def compared(ports: Ports, folder: Path, here: "CurrentState") -> "tuple[Drift | None, Verdict | None, list[str]]":
    """How the disk stands to what the session and the state of `here` know, the verdict on it, and what could not be
    compared.
    """
    return _compared(ports, folder, _standing(ports, here))


def _rendered(
    ports: Ports,
    folder: Path,
    found: _Found,
    shape: Profile,
    budget_tokens: int | None,
    *,
    receiver: str = "",
    reviewer: str = "",
    with_ids: bool = False,
) -> Resumption:
    drift, judged, notes = _compared(ports, folder, found)
    budget = shape.budget_tokens if budget_tokens is None else budget_tokens
    sender = ports.actor if receiver else ""
    view = View(found.state, drift, judged, found.ids, sender, ports.redact(receiver), reviewer)
    document = render(view, shape, budget, with_ids=with_ids)
    told = tuple(redacted_name(note, ports.redact) for note in (*found.notes, *notes))
    # The record's own names of folders and files were needed to find them; they go no further.
    captured = found.captured._replace(state=found.state, evidence={})
    past = found.checkpoint if found.is_past else None
    return Resumption(
        document, found.state, drift, judged, found.transcript, captured, told, found.task, past, found.ids
    )


def _found(ports: Ports, folder: Path, transcript: Path | None, task: str, at: str) -> _Found:
    if transcript is None and (location := locate(folder)).has_ledger:
        from clew.app.resume.current_state import current_state  # here: without a ledger nothing of it is needed

        return _standing(ports, current_state(ports, folder, task=task, checkpoint=at))
    if transcript is None and (task or at):
        raise NotFound(
            f"{location.root} keeps no ledger, so there are no tasks and no checkpoints",
            code="E-no-ledger",
            hint="Run `clew init` there, or name neither: then it is the newest session.",
        )
    path, captured = captured_session(ports, folder, transcript)
    origin = captured.state.origin
    state = captured.state._replace(origin=origin._replace(cwd=redacted_name(origin.cwd, ports.redact)))
    return _Found(state, captured, path, tuple(unreadable_lines(path, captured, ports.readers)))


def _standing(ports: Ports, here: "CurrentState") -> _Found:
    path = here.session.path if here.session is not None else None
    notes = (*here.notes, *(unreadable_lines(path, here.captured, ports.readers) if path is not None else ()))
    return _Found(here.state, here.captured, path, notes, here.checkpoint, here.is_past, here.task, here.ids)


def _compared(ports: Ports, folder: Path, found: _Found) -> "tuple[Drift | None, Verdict | None, list[str]]":
    """How the disk stands to what was known, the verdict on it, and what could not be compared."""
    origin = found.captured.state.origin
    root = root_to_compare(folder, origin, cited_files(found.state))
    if root is None:
        return (
            None,
            None,
            [f"The session's folder {one_line(found.state.origin.cwd)} is not here: files were not compared."],
        )
    from clew.app.intake.seen import since_session  # here: of a session from elsewhere nothing is compared
    from clew.core.state.drift import verdict
    from clew.workspace.git import Git

    notes: list[str] = []
    try:
        git = Git.at(root, environment=ports.environment)
        branch = found.state.origin.branch
        if found.transcript is not None:
            reader = reader_for(found.transcript, ports.readers)
            seen = since_session(found.transcript, reader, found.captured, found.state, root, git)
        else:
            from clew.app.resume.drifted import known_at, since_checkpoint, since_time  # here: as above

            if found.checkpoint is not None:
                seen, branch = since_checkpoint(found.checkpoint, found.state, root, git), found.checkpoint.branch
            else:
                seen = since_time(known_at(found.state), found.state, root, git)
        drift = redacted_drift(seen, ports.redact)
        if git is not None and git.problem is not None:
            notes.append(git_missing(git.problem, root))
        return drift, verdict(drift, branch=branch), [*notes, *compared_elsewhere(folder, root)]
    except Unavailable as problem:
        notes.append(f"Files were not compared: {problem.message} {problem.hint}".rstrip())
    except OSError as problem:  # the session file was taken away meanwhile
        notes.append(f"Files were not compared: {problem.strerror or type(problem).__name__}.")
    return None, None, notes
