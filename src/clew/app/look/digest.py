"""The record of one session in short: of the one that is named, or of the last one here."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from clew.app.intake.find import pick_session, unreadable
from clew.app.intake.sessions import Sessions
from clew.app.project import locate
from clew.app.project.opening import ProjectHandle
from clew.app.project.output_redaction import safe_errors
from clew.core.errors import InputError
from clew.distill import session as sessions_of
from clew.documents.digest import BUDGET_TOKENS, Digest
from clew.documents.digest import digest as rendered
from clew.sessions.capture import Gathered, by_root, gather
from clew.workspace.worktrees import top_of


class SessionDigest(NamedTuple):
    """A session's record in short, and of which session of which client it is; `transcript` is its file."""

    client: str
    session: str
    transcript: Path
    document: Digest


def digest(project: ProjectHandle, *, session: str | Path = "", budget_tokens: int = BUDGET_TOKENS) -> SessionDigest:
    """The record in short of `session`: a path, an id, or a beginning of one that no other session of this user shares;
    "" the newest session of the project that `folder` is in, but not the one that asks. Nothing is written.

    Raises `NotFound`, `InputError`, `BudgetError`, `LedgerError`.
    """
    with safe_errors(project.ports.redact):
        path, reader = pick_session(project, session, excluded=project.ports.asking_session)
        try:
            gathered = _known(project, path) or gather(path, reader, redact=project.ports.redact)
        except OSError as error:
            raise unreadable(path, error) from error
        return _told(gathered, path, reader.name, budget_tokens)


def digest_of(gathered: Gathered, *, client: str, budget_tokens: int = BUDGET_TOKENS) -> Digest:
    """The same of a session whose record was read."""
    return _told(gathered, Path(), client, budget_tokens).document


def _told(gathered: Gathered, path: Path, client: str, budget_tokens: int) -> SessionDigest:
    root = top_of(gathered.cwd) if gathered.cwd else ""
    records = by_root(gathered.kept, root)
    story = sessions_of.build(records, client=client, root=root, is_torn=gathered.is_torn, trees=gathered.trees)
    if not story.events:
        raise InputError(
            f"nothing in {path} is worth keeping",
            code="E-session-empty",
            hint="It holds no request, no work and no result. `clew sessions` lists those of this project.",
        )
    spoken = f"{client} session {story.id}"
    first, last = (time[:16].replace("T", " ") for time in (story.first_time, story.last_time))
    when = f", {first} to {last} UTC" if last else ""
    where = f", branch {story.branch}" if story.branch else ""
    title = f"{spoken}{where}{when}"
    document = rendered(title, story.events, finals=story.finals, root=root, budget_tokens=budget_tokens)
    return SessionDigest(client, story.id, path, document)


def _known(project: ProjectHandle, path: Path) -> Gathered | None:
    """A session of a project that keeps a ledger, as that redacts it: what people had taken out stays out. None for any
    other.
    """
    if not locate(project.folder).has_ledger:
        return None
    with project.open(write=False) as at:
        sessions = Sessions(project.ports, at)
        item = next((one for one in sessions.files.values() if one.path == path), None)
        return sessions.gather(item) if item is not None else None
