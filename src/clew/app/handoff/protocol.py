"""What is done when a session ends and when one begins, beside importing what was said (docs/reference/handoffs.md).

End, if it was real work (over 15 minutes, or files edited): a hand-off, the session's page, state, journal; learnings
wait for triage. Begin: the hand-off that is picked up is archived, the state is loaded, and the memory's index with it.
"""

from __future__ import annotations

from typing import Final

from clew.app.draft.due import Mark, work_since
from clew.app.handoff.files import refresh
from clew.app.handoff.made import LATEST, handoffs, made_event, used_event, uses
from clew.app.intake.sessions import Sessions
from clew.app.ports import Ports
from clew.app.project.lookup import live_state
from clew.app.project.opening import ProjectHandle
from clew.app.project.session import ProjectSession
from clew.app.resume.current_state import current_state_after
from clew.app.resume.payload import resume_from
from clew.documents.profiles import HANDOFF

AT_END: Final = "documents.at_end"
REAL_SECONDS: Final = 15 * 60


def is_real_work(at: ProjectSession, sessions: Sessions, session: str) -> bool:
    """Whether a session is worth a hand-off. Raises `OSError` where its record cannot be read."""
    file = sessions.files.get(session)
    facts = sessions.facts(file) if file is not None else None
    if facts is None:
        return False
    work = work_since(facts, at.ledger.extracts(session=session), Mark())
    return work.is_real or work.seconds >= REAL_SECONDS


def end_of_session(ports: Ports, at: ProjectSession, sessions: Sessions, session: str) -> bool:
    """Hand over what a session did that was imported; whether it was worth that. Where the ledger cannot be written
    nothing is done. Raises `ClewError` and `OSError`.
    """
    settings = ports.settings(at.location.root)
    if not settings.on(AT_END) or not at.ledger.writable or not is_real_work(at, sessions, session):
        return False
    [extract] = at.ledger.extracts(session=session) or (None,)
    if extract is None or extract.worktree != at.place.worktree:
        return False
    calm = ports._replace(asking_session="")
    state = live_state(at, extract.task)
    if state.origin.session != session:  # another session of the task has gone on since
        return False
    here = current_state_after(at, sessions, state, at.task_of(extract.task), session)
    found = resume_from(ProjectHandle(calm, at.location.root), here, budget_tokens=None, profile=HANDOFF.name)
    goal = next((item.text for item in state.items if item.kind == "goal"), "")
    text = found.document.text
    event = made_event(at, text, profile=HANDOFF.name, sort="end", task=extract.task, goal=goal, session=session)
    at.append([event])
    refresh(ports, at, session=session, since=extract.origin.first_time[:10])
    return True


def picked_up(ports: Ports, at: ProjectSession, session: str, task: str) -> None:
    """A session was given what was left: the latest hand-off of this work tree is history from now on, if it is of the
    same task. Costs one look where there is none.
    """
    if not at.ledger.writable or not (at.location.root / LATEST).is_file():
        return
    last = next(handoffs(at, worktree=at.place.worktree), None)
    if last is None or last.id in uses(at) or last.session == session or (task and last.task != task):
        return
    at.append([used_event(at, last.id, session)])
    refresh(ports, at, since=last.time[:10])
