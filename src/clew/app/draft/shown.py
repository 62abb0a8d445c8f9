"""Looking at drafts: the newest one of a session or of the task at hand."""

from __future__ import annotations

from clew.app.draft.newest import Draft, DraftResult, DraftRow, drafts, newest
from clew.app.intake.find import session_named
from clew.app.project import ProjectSession
from clew.app.project.opening import ProjectHandle
from clew.core.errors import NotFound
from clew.core.text.cleaning import clean, one_line


def newest_here(project: ProjectHandle, session: str = "") -> DraftResult:
    """The newest draft of `session` (its id, or a beginning of it), else of the task that is bound in `folder` (also of
    a session that came to it later).

    Raises `NotFound`, and `InputError` for the beginning of several sessions.
    """
    with project.open(write=False) as at:
        asked = one_line(clean(session))
        if session:  # the one with a draft that is meant
            session = session_named(asked, dict.fromkeys(one.session for one in drafts(at.ledger))) or session
        found = newest(at.ledger, session=session) if session else _of_task(at, at.task())
        if found is None:
            what = f"session {asked}" if session else "what is worked on here"
            raise NotFound(
                f"there is no hand-off for {what}",
                code="E-no-draft",
                hint="`clew draft --ask CLIENT` has one written; `clew resume` works without one.",
            )
        return DraftResult(DraftRow.of(found, short_id=at.short(found.id)))


def _of_task(at: ProjectSession, task: str) -> Draft | None:
    ours = {name for name, taken in at.ledger.taken().items() if task and taken.task == task}
    found = [one for one in drafts(at.ledger) if one.task == task or one.session in ours]
    return max(reversed(found), key=lambda one: one.time, default=None)
