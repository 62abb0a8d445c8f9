"""Tasks: opened, bound to a work tree and branch, closed, dropped, opened again; and which sessions count for them."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

from clew.app.project.opening import ProjectHandle
from clew.app.project.reading import find_task
from clew.app.project.session import Outcome, ProjectSession
from clew.app.results import BoundTaskRow, EventRow, JsonResult, OriginRow
from clew.app.tasks.words import taken_along, words_along, words_from
from clew.core.errors import InputError, NotFound
from clew.core.state.events import Event
from clew.core.state.extract import Extract, owning_tasks
from clew.core.state.fold import BINDING, Entity, fold, place_entity, values
from clew.core.state.ids import identity
from clew.core.state.items import LETTERS, Kind
from clew.core.state.tasks import TASK_TYPES, Task, TaskChange, bound, is_bound_by_person, is_open, tasks, unfit
from clew.core.text.cleaning import clean, one_line, shorten

TITLE_CHARS_MAX: Final = 200
_CANDIDATES_MAX: Final = 8
_TITLE_CHARS: Final = 60
_THEN_BOUND: Final = 'clew note next "…"'
_THEN_FREE: Final = "clew task bind {}"
_THEN_ENDED: Final = "clew task reopen {}"
_THEN_SWITCH: Final = "clew task switch {}"
_THEN_HERE: Final = "clew resume"


class TaskList(JsonResult, frozen=True):
    """Tasks, newest change first. `hidden`: how many closed and dropped ones are not listed."""

    tasks: tuple[BoundTaskRow, ...]
    hidden: int


class TaskShown(JsonResult, frozen=True):
    """One task: how many live items it has of each kind (in the order of first mention), and the sessions that count
    for it, oldest first.
    """

    task: BoundTaskRow
    counts: dict[Kind, int]
    sessions: tuple[OriginRow, ...]


class FreeSession(OriginRow, frozen=True):
    """A session that counts for no task, and what it was about: its first request on one line, "" none was found."""

    about: str


class FreeSessions(JsonResult, frozen=True):
    """The sessions of a project that count for no task, the newest first."""

    sessions: tuple[FreeSession, ...]


def task_list(project: ProjectHandle, *, every: bool = False) -> TaskList:
    """The open tasks of the project that `folder` is in, or `every` one."""
    with project.open(write=False) as at:
        found = at.tasks()
        chosen = (one for one in found if every or one.status == "open")
        changed = (one._replace(changed_at=at.last_of(one)) for one in chosen)
        listed = sorted(changed, key=lambda one: (one.changed_at, one.id), reverse=True)
        shown = at.ledger.shortest([one.id for one in listed])
        here = _bound(at)
        rows = (BoundTaskRow.of(one, short_id=shown[one.id], bound=one.id == here) for one in listed)
        return TaskList(tuple(rows), len(found) - len(listed))


def task_show(project: ProjectHandle, wanted: str | None) -> TaskShown:
    """One task; the one that is bound here where none is named."""
    with project.open(write=False) as at:
        task = named_task(at, wanted)
        counts: dict[Kind, int] = {}
        for entry in at.known(task.id).values():
            if entry.standing == "live":
                counts[entry.item.kind] = counts.get(entry.item.kind, 0) + 1
        row = BoundTaskRow.of(task, short_id=at.short(task.id), bound=_bound(at) == task.id)
        sessions = tuple(OriginRow.of(one.origin) for one in at.ledger.extracts(task=task.id, items=False))
        return TaskShown(row, counts, sessions)


def task_new(
    project: ProjectHandle, title: str, *, task_type: str = "", goal: str = "", bind: bool = True, empty: bool = False
) -> Outcome:
    """Open a task, state its goal, and bind it to this work tree and branch, all in one batch. What was noted here for
    no task goes along where it is bound, unless it is to be `empty`, and so do the sessions of the thread that was
    bound here, which ends with that; a stated goal takes the place of one among that.

    Raises `InputError` for an empty title, one that an open task has, or an unknown type; `NotAllowed` for an agent
    where binding it takes the place of what a person bound.
    """
    if task_type and task_type not in TASK_TYPES:
        raise InputError(
            f"{task_type} is not a type of task", code="E-task-field", hint=f"Choose one of: {', '.join(TASK_TYPES)}."
        )
    moved: MovedSessions | None = None
    with project.open(write=True) as at:
        name = checked_title(at, title)
        check_title(at, name)
        task = new_identity(at, name)
        opened = {"task": task, "title": name} | ({"type": task_type} if task_type else {})
        events = [at.event("task.opened", opened, task="", key=f"task:{task}")]
        if goal and (text := at.safe(goal)):
            item = f"{LETTERS['goal']}-{identity('goal', at.ledger.key.hex(), task, text)}"
            stated = {"item": item, "kind": "goal", "text": text}
            events.append(at.event("item.stated", stated, task=task, key=f"note:{item}"))
        if bind:
            before = at.task_of(_bound(at))
            events += binding(at, task)
            if not empty:
                events += taken_along(at, task, but=("goal",) if goal else ())
                can_move = at.ledger.writable or project.dry_run  # what waits in the spool assigns no session
                moved = moved_along(at, before, task, name) if before and before.thread and can_move else None
        _note_free(at, bind=bind)
        said = f"Opened {{}}: {name}" + (f"; {_here(at)} is bound to it" if bind else "")
        told = done(at, [*events, *(moved.events if moved else ())], task, said, _THEN_BOUND if bind else _THEN_FREE)
        if moved:
            moved.assign(at)
        return told


def task_bind(project: ProjectHandle, wanted: str, *, any_branch: bool = False, switch: bool = False) -> Outcome:
    """Bind this work tree and branch (or all its branches) to a task. Only `switch` takes the place of another open
    task that is no thread: without it that is an `InputError`. Where a person bound a place only a person binds it to
    another task.
    """
    with project.open(write=True) as at:
        task = find_task(at, wanted)
        check(at, task, "bind")
        before = _bound(at)
        there = at.task_of(before)
        if before == task.id and not any_branch:
            return done(at, [], task.id, f"{_here(at)} is bound to {{}} already: nothing to change", "clew resume")
        if there is not None and before != task.id and not (switch or there.thread):
            shown = at.ledger.shortest([before, task.id])
            raise InputError(
                f"{_here(at)} is bound to {shown[before]}",
                code="E-task-bound",
                hint=f"`clew task switch {shown[task.id]}` takes its place; `clew task unbind` lets go of it.",
            )
        events = binding(at, task.id, any_branch=any_branch)
        where = f"{at.location.root}, any branch," if any_branch else _here(at)
        return done(at, events, task.id, f"{where} is bound to {{}}: {task.title}", "clew resume")


def task_unbind(project: ProjectHandle) -> Outcome:
    """Let this work tree and branch be bound to no task."""
    with project.open(write=True) as at:
        before = _bound(at)
        if not before:
            return at.outcome(f"{_here(at)} is bound to no task: nothing to change", "clew task list")
        _require_place(at, "", any_branch=True)
        found_project = at.ledger.fold("").entities
        worktree, branch = at.place
        events = []
        for one in dict.fromkeys((branch, "")):
            entity = found_project.get(place_entity(worktree, one))
            if entity and values(entity).get("task"):
                events.append(at.event("place.bound", {"worktree": worktree, "branch": one, "task": ""}, task=""))
                if not one and branch:
                    at.note("It was bound for any branch: no branch of this work tree is bound by that any more.")
        return done(at, events, before, f"{_here(at)} is no longer bound to {{}}", "clew task list")


def task_rename(project: ProjectHandle, wanted: str, title: str) -> Outcome:
    """Give a task another title."""
    with project.open(write=True) as at:
        task = find_task(at, wanted)
        name = checked_title(at, title)
        if name == task.title:
            return done(at, [], task.id, "{} already has that title: nothing to change", "clew task list")
        check_title(at, name)
        if _has_human(_entity(at, task), "title"):
            shown = at.short(task.id)
            deed = f"rename {shown} (a person named it)"
            at.require_person("task", deed, "Ask the person you work for to rename it.", of=task.id)
        events = [at.event("task.renamed", {"task": task.id, "title": name}, task="")]
        return done(at, events, task.id, f"{{}} is called {name} now (it was {task.title})", "clew task show {}")


def task_end(project: ProjectHandle, wanted: str | None, *, change: TaskChange, outcome: str = "") -> Outcome:
    """Close or drop a task, or open it again. Without a name it is the one that is bound here (not to reopen).

    `outcome`: what came of it, or why it was dropped. Raises `InputError` where its state does not allow it, and
    `NotAllowed` for an agent where it is a person's: one opened, named, bound or ended it, or noted something in it.
    """
    kind, did = {
        "close": ("task.closed", "Closed"),
        "drop": ("task.dropped", "Dropped"),
        "reopen": ("task.reopened", "Opened again"),
    }[change]
    with project.open(write=True) as at:
        task = named_task(at, wanted)
        check(at, task, change)
        if change == "reopen":
            check_title(at, task.title)
        persons = whose(at, task)
        if persons and (change != "reopen" or _has_human(_entity(at, task), "status")):
            instead = f"Note what you know (`clew note`), and ask the person you work for to {change} it."
            at.require_person("task", f"{change} {at.short(task.id)} ({persons})", instead, of=task.id)
        text = at.safe(outcome)
        data = {"task": task.id} | ({"outcome": text} if text else {})
        if change == "close":
            _note_open(at, task)
        events = [at.event(kind, data, task="")]
        then = _THEN_ENDED if change != "reopen" else _THEN_HERE if _is_here(at, task) else _THEN_SWITCH
        return done(at, events, task.id, f"{did} {{}}: {task.title}" + (f" ({text})" if text else ""), then)


def free_sessions(project: ProjectHandle) -> FreeSessions:
    """The sessions of the project that count for no task, the newest first."""
    with project.open(write=False) as at:
        found = []
        for extract in reversed(at.ledger.extracts(task="")):
            goal = next((item for item in extract.items if item.kind == "goal"), next(iter(extract.items), None))
            about = shorten(one_line(clean(goal.text)), _TITLE_CHARS) if goal else ""
            found.append(FreeSession.of(extract.origin, about=about))
        return FreeSessions(tuple(found))


def task_adopt(project: ProjectHandle, session: str, *, wanted: str | None = None) -> Outcome:
    """Let a session that was imported count for a task from now on (without a name: the one that is bound here).

    `session` is its id or a beginning of it. Raises `NotFound` if no such session was imported, and `NotAllowed` for an
    agent that would take it out of a person's task (as in `task_end`), or make a foreign one (`Extract.is_foreign`)
    count like one that was read here.
    """
    with project.open(write=True) as at:
        task = named_task(at, wanted)
        found = session_named(at, session)
        whole = found.origin.session
        if found.task == task.id:
            return done(at, [], task.id, f"session {whole} counts for {{}} already: nothing to change", "clew resume")
        require_session(at, found)
        events = words_along(at, found, task.id)
        at.assign(whole, task.id, events)
        said = f"Session {whole} counts for {{}} now: {task.title}"
        told = done(at, (), task.id, said, "clew resume")
        return replace(told, events=EventRow.each(events), changed=True)


def session_named(at: ProjectSession, session: str) -> Extract:
    """The session that was imported whose id is so, or begins so. Raises `NotFound`, and `InputError` for several."""
    asked = one_line(clean(session))
    found = [one for one in at.ledger.extracts() if asked and one.origin.session.startswith(asked)]
    if not found:
        raise NotFound(
            f"no session {asked} was imported",
            code="E-session-unknown",
            hint="`clew task show` lists a task's sessions; `clew resume` imports what clients have recorded.",
        )
    if len(found) > 1:
        listed = ", ".join(one.origin.session for one in found[:_CANDIDATES_MAX])
        raise InputError(
            f"{asked} is the beginning of {len(found)} sessions' ids",
            code="E-session-ambiguous",
            hint=f"Give more of one of them: {listed}",
        )
    return found[0]


class MovedSessions(NamedTuple):
    """The sessions that go from one task to another, and the events that go with that."""

    task: str
    sessions: tuple[str, ...]
    events: tuple[Event, ...]

    def assign(self, at: ProjectSession) -> None:
        """Let the sessions count for the other task."""
        for session in self.sessions:
            at.assign(session, self.task, ())


def moved_along(at: ProjectSession, source: Task, task: str, title: str) -> MovedSessions:
    """All of the task `source` made part of `task`, called `title`: its sessions, what was said in it, and its end."""
    extracts = at.ledger.extracts(task=source.id)
    sessions = tuple(one.origin.session for one in extracts)
    events = words_from(at, source.id, task)
    if source.status == "open":
        events.append(at.event("task.closed", {"task": source.id, "outcome": f"goes on as: {title}"}, task=""))
    count = "1 session goes" if len(sessions) == 1 else f"{len(sessions)} sessions go"
    at.note(f"{count} along, with what was noted: {at.short(source.id)} ({source.title}) is part of it now.")
    return MovedSessions(task, sessions, tuple(events))


def named_task(at: ProjectSession, wanted: str | None) -> Task:
    """The task that was named, else the one that is bound here."""
    if wanted is not None:
        return find_task(at, wanted)
    here = at.task()
    if not here:
        raise NotFound(
            f"{_here(at)} is bound to no task",
            code="E-no-task",
            hint="Name one: `clew task list` has them; `clew task bind` binds one to this place.",
        )
    return next(one for one in at.tasks() if one.id == here)


def _bound(at: ProjectSession) -> str:
    """The open task that this work tree and branch are bound to, whichever was chosen for this once; "" none."""
    return bound(at.ledger.fold("").entities, *at.place)


def _is_here(at: ProjectSession, task: Task) -> bool:
    """Whether work goes on with an open task (or one that is opened again) in this place, with no word more."""
    worktree, branch = at.place
    is_its = any(place.worktree == worktree and place.branch in (branch, "") for place in task.places)
    return is_its and _bound(at) in (task.id, "")


def _entity(at: ProjectSession, task: Task) -> Entity:
    """What was said of the task itself."""
    return at.ledger.fold("").entities[task.id]


def whose(at: ProjectSession, task: Task) -> str:
    """What makes a task a person's, as a clause; "" if nothing does. A prompt in one of its sessions does not: every
    session has one.
    """
    entity = _entity(at, task)
    if _has_human(entity, "status"):
        return "a person opened it" if task.status == "open" else f"a person {task.status} it"
    if _has_human(entity, "title"):
        return "a person named it"
    if is_bound_by_person(at.ledger.fold("").entities, task.id):
        return "a person bound it"
    project = at.ledger.fold("").entities
    owned = owning_tasks(at.ledger.extracts(task=task.id))  # by its sessions before they were the task's
    words = (*at.ledger.fold(task.id).entities.values(), *(project.get(name, ()) for name in owned))
    return "a person noted something in it" if any(c.provenance == "human" for word in words for c in word) else ""


def _has_human(entity: Entity, field: str) -> bool:
    return any(field in one.fields and one.provenance == "human" for one in entity)


def require_session(at: ProjectSession, session: Extract) -> None:
    """Raise `NotAllowed` for an agent that would take a session out of a person's task: what holds there would no
    longer be in its sight. And for one that would vouch for what a bundle without trust tells of a session.
    """
    instead = "Ask the person you work for to let it count for the other task."
    owner = at.task_of(session.task)
    if owner is not None and (why := whose(at, owner)):
        at.require_person("place", f"take a session out of {at.short(session.task)} ({why})", instead, of=session.task)
    if session.is_foreign:
        at.require_person("place", "adopt a session that a bundle without trust told of", instead)


def _require_place(at: ProjectSession, task: str, *, any_branch: bool = False) -> None:
    """Raise `NotAllowed` for an agent if binding this place to `task` ("" none) would take it from an open task that a
    person bound it to: that task's constraints would be out of sight. With `any_branch` the binding of this branch goes
    as well, and with it the person's word, even for the same task.
    """
    project, place = at.ledger.fold("").entities, at.place
    for branch in dict.fromkeys((place.branch, "")):
        entity = project.get(place_entity(place.worktree, branch), ())
        there = str(values(entity).get("task", ""))
        if not is_open(project, there):
            continue
        if (there != task or any_branch) and _has_human(entity, BINDING):
            deed = f"take this place from {at.short(there)} (a person bound it)"
            instead = "`clew task new --no-bind` opens a task, `--task` names one; a person can switch."
            at.require_person("place", deed, instead, of=there)
        if not any_branch:
            return


def check(at: ProjectSession, task: Task, change: TaskChange) -> None:
    """Raise `InputError` where the state of a task does not allow the change."""
    why = unfit(task, change)
    if why:
        shown = at.short(task.id)
        goes_on = _THEN_HERE if _is_here(at, task) else _THEN_SWITCH.format(shown)
        then = f"`{goes_on}` goes on with it." if change == "reopen" else f"First: `clew task reopen {shown}`."
        raise InputError(f"{shown} cannot be {_DONE[change]}: {why}", code="E-task-state", hint=then)


_DONE: Final = {"close": "closed", "drop": "dropped", "reopen": "opened again", "bind": "bound"}


def checked_title(at: ProjectSession, title: str) -> str:
    """The title as it is kept. Raises `InputError` for none, and for one that is too long."""
    name = at.safe(title)
    if not name or len(name) > TITLE_CHARS_MAX:
        what = f"the title has {len(name)} characters, of {TITLE_CHARS_MAX}" if name else "the title is empty"
        raise InputError(what, code="E-task-field", hint="Give the task's goal in a few words.")
    return name


def new_identity(at: ProjectSession, title: str) -> str:
    """The id of a new task. It follows from the title and how often that was used, under the ledger's key, so that
    two processes that open the same at once open one.
    """
    taken = {one.id for one in at.tasks()}
    for time in range(len(taken) + 1):
        task = f"T-{identity('task', at.ledger.key.hex(), title.casefold(), str(time))}"
        if task not in taken:
            return task
    raise AssertionError("too many tasks")


def check_title(at: ProjectSession, title: str) -> None:
    """Two open tasks of one title could not be told apart; and a command that is run again opens no second one."""
    same = next((one for one in at.tasks() if one.status == "open" and one.title.casefold() == title.casefold()), None)
    if same is not None:
        shown = at.short(same.id)
        raise InputError(
            f"the open task {shown} is called {title} already",
            code="E-task-title",
            hint=f"`clew task switch {shown}` goes on with it; else give another title.",
        )


def binding(at: ProjectSession, task: str, *, any_branch: bool = False) -> list[Event]:
    """The events that bind this place to a task; tells what it was bound to before."""
    _require_place(at, task, any_branch=any_branch)
    location = at.location
    before = _bound(at)
    if before and before != task:
        title = next(one.title for one in at.tasks() if one.id == before)
        at.note(f"Before, it was bound to {at.short(before)}: {title}")
    worktree, own_branch = at.place
    branch = "" if any_branch else own_branch
    if location.head is not None and not location.branch and not any_branch:
        at.note("No branch is checked out: the work tree is bound, whatever branch it is on.")
    events = [at.event("place.bound", {"worktree": worktree, "branch": branch, "task": task}, task="")]
    own = at.ledger.fold("").entities.get(place_entity(worktree, own_branch))
    if any_branch and own_branch and own and values(own).get("task"):
        # What the branch itself is bound to would win.
        events.append(at.event("place.bound", {"worktree": worktree, "branch": own_branch, "task": ""}, task=""))
    return events


def _here(at: ProjectSession) -> str:
    return f"{at.location.root}, branch {at.location.branch}," if at.location.branch else str(at.location.root)


def _note_free(at: ProjectSession, *, bind: bool) -> None:
    """Tell which sessions count for no task, when one is opened; with `bind` the intake lets it begin with one."""
    free = at.ledger.extracts(task="")
    if not free:
        return
    sessions, count = ("session", "counts") if len(free) == 1 else ("sessions", "count")
    at.note(f"{len(free)} earlier {sessions} here {count} for no task: `clew task adopt` lists them.")
    if bind and any((one.worktree, one.origin.branch) == at.place for one in free):
        at.note("The newest of this work tree and branch goes along, unless a new one begins before `clew resume`.")


def _note_open(at: ProjectSession, task: Task) -> None:
    """Tell what is still open in a task that is being closed."""
    live = [entry.item for entry in at.known(task.id).values() if entry.standing == "live"]
    waits = (one.id for one in live if one.kind == "blocker" or (one.kind == "question" and not one.answer))
    still = [name for name in waits if at.ledger.task_of(name) == task.id]
    if still:
        shown = at.ledger.shortest(still[:_CANDIDATES_MAX])
        at.note(f"Still open in it: {', '.join(shown.values())}{' …' if len(still) > _CANDIDATES_MAX else ''}")


def done(at: ProjectSession, events: Sequence[Event], task: str, said: str, then: str) -> Outcome:
    """Record the events and tell what became of the task; `{}` in `said` and `then` stands for its id."""
    at.keep(events)
    now = tasks(fold(events, at.ledger.fold("").entities)) if events else at.tasks()
    shown = at.short(task)
    found = next(one for one in now if one.id == task)
    told = said.replace("{}", shown)
    return at.outcome(told, then.replace("{}", shown), events=events, shown=shown, task=found)
