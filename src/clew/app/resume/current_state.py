"""Where work stands: the state to go on from as a ledger has it, with the record of the session it goes on from."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from clew.app.intake.find import no_session, project_at
from clew.app.intake.sessions import SessionReading, Sessions, take_one_in
from clew.app.ports import Ports
from clew.app.project.lasting import extracts_of
from clew.app.project.location import locate
from clew.app.project.lookup import live_state, state_now
from clew.app.project.opening import ProjectHandle, open_unkept
from clew.app.project.reading import find_task
from clew.app.project.session import AWAY, ProjectSession
from clew.app.record.checkpoint import Checkpoint, find_checkpoint, last_checkpoint
from clew.app.resume.catchup import catch_up
from clew.clients.port import Transcript
from clew.core.errors import LedgerError, NotFound
from clew.core.state.carry_over import with_title
from clew.core.state.crowd import Room
from clew.core.state.extract import Extract
from clew.core.state.items import Item, Place, State
from clew.core.state.projection import NOWHERE, in_turn
from clew.core.state.tasks import Task, TaskPlace, bound
from clew.sessions.cache import NO_FACTS, SessionFacts
from clew.sessions.capture import Captured, trees
from clew.workspace.repository import top_of

# So many sessions are looked at for the newest one of a place.
_LOOKED_AT_MAX: Final = 20


class CurrentState(NamedTuple):
    """A state to go on from.

    `task` is the task whose state it is, None for items of no task and the newest session. `session` is the file of
    the session that it goes on from, None without one or where the file is gone; `captured` what was read of it, with
    the state and with the folder where it ran. `checkpoint`: what files are compared with where no session tells; with
    `is_past`, the point that the state is of. `ids` are the shortest ids of the items, the task and a past checkpoint.
    `notes` are for the person who asked.
    """

    task: Task | None
    state: State
    session: Transcript | None
    captured: Captured
    checkpoint: Checkpoint | None
    is_past: bool
    ids: Mapping[str, str]
    notes: tuple[str, ...]


def current_state(
    project: ProjectHandle,
    *,
    transcript: Path | None = None,
    task: str = "",
    checkpoint: str = "",
    room: Room | None = None,
) -> CurrentState:
    """Where work stands in the project that `folder` is in, after importing what its sessions left.

    It is the state of the task that `task` names (an id, a beginning of it, or the title), else of the one that this
    work tree and branch are bound to, else of the newest session's, else that session with the items of no task, else
    the open task that changed last. The session that asks is not gone on from. With a `checkpoint` (its name or id) it
    is the state as it was then, and nothing is imported. Where the ledger cannot be written, the newest session is
    read beside it. With a `transcript`, or where no ledger is kept, it is that of one session (`take_one_in`).
    `room`: as in `current_state_at`; of a checkpoint all is told.
    Raises `NotFound` where nothing is known, `InputError` for a name of several, `LedgerError`.
    """
    if transcript is not None:
        task = checkpoint = ""
    if task or checkpoint:
        require_ledger(project.folder)
    if checkpoint:
        with project.open(write=False) as at:
            return _as_it_was(project.ports, at, find_checkpoint(at, checkpoint))
    with up_to_date(project, transcript=transcript) as (at, sessions, notes):
        return current_state_at(project.ports, at, sessions, task, notes, room=room)


def require_ledger(folder: Path) -> None:
    """Raises `NotFound` where no ledger is kept, for whoever names a task or a checkpoint."""
    location = locate(folder)
    if not location.has_ledger:
        raise NotFound(
            f"{location.root} is not initialised, so there are no tasks and no checkpoints",
            code="E-no-ledger",
            hint="Run `clew init` there, or name neither: then the newest session is used.",
        )


@contextmanager
def up_to_date(
    project: ProjectHandle,
    *,
    transcript: Path | None = None,
    look_only: bool = False,
    deadline: str = "intake.deadline_ms",
) -> Iterator[tuple[ProjectSession, Sessions, tuple[str, ...]]]:
    """A session on the project that `folder` is in and its sessions, after importing what they left; and what to say
    about that. `deadline` is the setting that says how long that may take.

    Where the ledger cannot be written, or with `look_only`, nothing is imported. Where none is kept, or a `transcript`
    is named, it is a ledger in memory that has one session (`take_one_in`). Raises as that and `open_project`.
    """
    notes: tuple[str, ...] = ()
    with ExitStack() as stack:
        if transcript is not None or not locate(project.folder).has_ledger:
            at = stack.enter_context(open_unkept(project.ports, project.folder))
            sessions = take_one_in(project, at, transcript)
        elif look_only:
            at = stack.enter_context(project.open(write=False))
            sessions = Sessions(project.ports, at)
        else:
            try:
                at = stack.enter_context(project.open(write=True, spool=False))
                deadline_ms = project.ports.settings(at.location.root).number(deadline)
                sessions = Sessions(project.ports, at)
                notes = catch_up(project.ports, at, sessions, deadline_ms=deadline_ms).intake.notes
            except LedgerError as problem:
                stack.close()
                if problem.code == AWAY:  # nobody waits for it twice
                    raise
                at = stack.enter_context(project.open(write=False))
                sessions = Sessions(project.ports, at)
                notes = (f"What sessions left was not imported: {problem.message} [{problem.code}].",)
        yield at, sessions, (*at.notes, *notes)


def current_state_at(
    ports: Ports,
    at: ProjectSession,
    sessions: Sessions,
    wanted: str,
    notes: Sequence[str],
    *,
    place: TaskPlace | None = None,
    room: Room | None = None,
) -> CurrentState:
    """`current_state` in a project whose sessions were imported; `notes` go in front of its own. With a `place`,
    where no task is meant, only the sessions of people that ran there are gone on from, and no headless ones. With
    `room` the state is a part: of items that are alike as many as there is room for (`core.state.crowd`).
    """
    told = list(notes)
    unread = not_taken_in(ports, at, sessions, told)
    fresh, read = (unread.extract, unread.gathered) if unread is not None else (None, None)
    name, extracts = task_and_sessions(ports, at, sessions, wanted=wanted, fresh=fresh, place=place)
    state = state_now(at, name, extracts, room)
    task = at.task_of(name)
    if not state.items:
        raise _nothing(ports, at, task)
    state = _with_goal(at, state, task)
    if task is not None and wanted:
        told += _elsewhere(at, task)
    session = extracts[-1].origin.session if extracts else ""
    if session in sessions.shrunk:
        path = sessions.files[session].path
        told.append(f"{path} is shorter than it was when it was imported: what was known is kept.")
    told += at.passed_over()
    same = read.facts() if read is not None and fresh is not None and session == fresh.origin.session else None
    return _at(at, sessions, state, task, session, same, told)


def current_state_after(
    at: ProjectSession, sessions: Sessions, state: State, task: Task | None, session: str
) -> CurrentState:
    """The same of a `state` that goes on from the record of the session with this id ("" of none)."""
    return _at(at, sessions, state, task, session, None, [])


def _at(
    at: ProjectSession,
    sessions: Sessions,
    state: State,
    task: Task | None,
    session: str,
    facts: SessionFacts | None,
    told: list[str],
) -> CurrentState:
    file = sessions.files.get(session)
    facts = facts or _facts(sessions, file, told)
    ids = at.ledger.shortest([*(item.id for item in state.items), *([task.id] if task else [])])
    checkpoint = last_checkpoint(at.ledger, task.id if task else "")
    found = _captured(facts, state)
    if facts is not None:
        found = found._replace(earlier=sessions.witnesses(state))
    return CurrentState(task, state, file if facts else None, found, checkpoint, False, ids, tuple(told))


def task_and_sessions(
    ports: Ports,
    at: ProjectSession,
    sessions: Sessions,
    *,
    wanted: str = "",
    fresh: Extract | None = None,
    place: TaskPlace | None = None,
    whole: bool = False,
) -> tuple[str, list[Extract]]:
    """The task that work goes on with here ("" none) and its sessions' extracts, the one to go on from last; of no task
    that one is meant alone. `wanted` names a task; `fresh` is a session that the ledger does not have as it is now;
    `place`: as in `current_state_at`. `whole`: also with what no longer counts.
    """
    asking = ports.asking_session if at.is_kept else None  # where none is kept, the one that is there is meant
    taken = at.ledger.taken()
    known = [one for one in sessions.files if one in taken and one != asking]
    newest = next((one for one in known[:_LOOKED_AT_MAX] if place is None or sessions.ran_at(one, place)), None)
    newest = fresh.origin.session if fresh is not None else newest
    last = fresh.task if fresh is not None else taken[newest].task if newest is not None else ""
    is_alone = newest is None and not place
    name = find_task(at, wanted).id if wanted else at.task() or _open_task(at, last, is_alone=is_alone)
    if newest is not None and not name:
        found: Sequence[Extract] = at.ledger.extracts(session=newest)
    else:
        found = at.ledger.extracts(task=name) if whole else extracts_of(at, name)
    if place is not None and not name and (newest is None or last):
        found = ()  # nothing ran at this very place, or what did was for a task that is over
    if fresh is not None and (fresh.task == name or not name):
        found = (fresh, *(one for one in found if one.origin.session != fresh.origin.session))
    extracts = [one for one in found if one.origin.session != asking]
    if fresh is not None:
        extracts.sort(key=lambda one: (one.origin.last_time, one.origin.session))
    return name, in_turn(extracts)


def _elsewhere(at: ProjectSession, task: Task) -> list[str]:
    """Where a task that was named lives, if that is not here."""
    if not task.places or bound(at.ledger.fold("").entities, *at.place) == task.id:
        return []
    places = [f"{place.worktree} ({place.branch or 'any branch'})" for place in task.places]
    return [f"This task is bound to {', '.join(places)}, not to where you are."]


def _open_task(at: ProjectSession, last: str, *, is_alone: bool) -> str:
    """The task `last` of the newest session if it is open; where there is no session at all (`is_alone`: the project
    was moved, or came as a bundle) the open task that changed last. "" if there is none.
    """
    still_open = [one.id for one in at.tasks() if one.status == "open"]
    if is_alone and still_open:
        return still_open[0]
    return last if last in still_open else ""


def _as_it_was(ports: Ports, at: ProjectSession, checkpoint: Checkpoint) -> CurrentState:
    state = live_state(at, checkpoint.task, upto=checkpoint.seq)
    task = at.task_of(checkpoint.task)
    if not state.items:
        raise _nothing(ports, at, task)
    state = _with_goal(at, state, task)
    ids = at.ledger.shortest([*(item.id for item in state.items), *([task.id] if task else [])])
    ids |= at.ledger.shortest([checkpoint.id])
    return CurrentState(task, state, None, _captured(None, state), checkpoint, True, ids, at.notes)


def _with_goal(at: ProjectSession, state: State, task: Task | None) -> State:
    """`state` with the task's title for its goal where nobody stated one."""
    if task is None:
        return state
    entity = at.ledger.fold("").entities[task.id]
    by = next(change for change in reversed(entity) if "title" in change.fields)
    place = Place(by.session, NOWHERE, "")
    goal = Item(task.id, "goal", task.title, "", "", by.provenance, (), place, 0, by.said_at, actor=by.actor)
    return with_title(state, goal)


def not_taken_in(ports: Ports, at: ProjectSession, sessions: Sessions, told: list[str]) -> SessionReading | None:
    """Where the ledger cannot be written: the newest session, read, if the ledger does not have it as it is now.

    What cannot be read is added to `told`.
    """
    newest = next((one for one in sessions.files.values() if one.session != ports.asking_session), None)
    if at.ledger.writable or newest is None or newest not in sessions.waiting():
        return None
    try:
        return sessions.read(newest)
    except OSError as error:
        told.append(f"{newest.path} cannot be read: {error.strerror or error}.")
        return None


def _facts(sessions: Sessions, session: Transcript | None, told: list[str]) -> SessionFacts | None:
    if session is None:
        return None
    try:
        return sessions.facts(session)
    except OSError as error:
        told.append(f"{session.path} cannot be read any more: {error.strerror or error}. Files were not compared.")
        return None


def _captured(facts: SessionFacts | None, state: State) -> Captured:
    """What was read of the session, with `state` and the folder as the session names it: it has to be found."""
    if facts is None:
        return Captured(state, NO_FACTS)
    cwd = top_of(facts.folders[0]) if facts.folders else state.origin.cwd
    return Captured(state._replace(origin=state.origin._replace(cwd=cwd)), facts, trees(facts))


def _nothing(ports: Ports, at: ProjectSession, task: Task | None) -> NotFound:
    if task is None:
        return no_session(ports, project_at(at.location.root), kept=True)
    return NotFound(
        f"nothing is known of the task “{task.title}” yet",
        code="E-task-empty",
        hint="It begins with a session in its work tree, or with `clew note`; `clew task list` has the others.",
    )
