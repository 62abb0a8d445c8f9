"""Threads: the sessions of a work tree and branch are a task that nobody had to open (docs/guide/05-tasks.md). Opened
at the first real work, called what it is about, ended when its branch is merged or gone, or after days without a
session.

All of it happens at intake and is a program's word, so whatever a person says of a task wins.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from clew.app.ports import Ports
from clew.app.project.lasting import extracts_of
from clew.app.project.redaction import redacted_name
from clew.app.project.session import ProjectSession
from clew.app.tasks.words import unassigned_items, words_along, words_from
from clew.core.errors import Unavailable
from clew.core.state.events import Data, Event, timestamp
from clew.core.state.extract import Extract
from clew.core.state.fold import Entities
from clew.core.state.ids import identity
from clew.core.state.tasks import (
    Task,
    TaskPlace,
    bound,
    bound_since,
    ended_by_itself,
    follows_goal,
    is_bound_by_person,
    is_open,
)
from clew.core.state.threads import SessionSpan, committed, did_work, is_idle, place_of, title_of
from clew.workspace.repository import default_branch, find, is_gone, renamed_to, targets, tip, top_of
from clew.workspace.times import nanoseconds

if TYPE_CHECKING:
    from clew.app.intake.sessions import Sessions

_ACTOR: Final = "clew"
_DAY_MS: Final = 86_400_000
# So many sessions are looked at for those that a thread begins with, and so many threads for whether they are over.
_LOOKED_AT_MAX: Final = 20
_THREADS_MAX: Final = 20
# For so many branches at most git is asked whether they are merged, each time.
_ASKED_MAX: Final = 5
# The name of a work tree that holds a secret is not kept: nobody can look whether it is there.
_REDACTED: Final = "[redacted"


class Threads:
    """The threads of a project whose ledger can be written."""

    def __init__(self, ports: Ports, at: ProjectSession, sessions: Sessions) -> None:
        self._ports = ports
        self._at = at
        self._sessions = sessions
        self._days = ports.settings(at.location.root).number("thread.idle_days")
        self._now_ms = ports.now_ms()
        self._repository = at.location.repository
        self._default = default_branch(self._repository) if self._repository else ""
        self._asked = 0
        self._spans: dict[str, SessionSpan] = {}

    def take(self, names: Collection[str], *, new: Collection[str]) -> None:
        """Let the sessions `names`, which were just taken in, count for the threads of their places, and open those
        that are not there yet; then let each be called what it is about. `new` were never taken in before.
        """
        extracts = [one for name in names for one in self._at.ledger.extracts(session=name)]
        touched: dict[str, None] = {}
        for extract in sorted(extracts, key=lambda one: (one.origin.first_time, one.origin.session)):
            if extract.is_foreign or extract.origin.session in self._sessions.aside:
                continue
            task = self._at.task_of(extract.task)
            if task is not None and task.thread:
                touched[self._go_on(task, extract, is_new=extract.origin.session in new)] = None
            elif task is None and not is_idle(extract) and self._sessions.is_attended(extract.origin.session):
                touched[self._placed(extract)] = None
        for name in filter(None, touched):
            self._name(name)

    def end(self) -> list[str]:
        """Let threads end that are over; a sentence on each, for the person who asked."""
        self._move_here()
        project = self._at.ledger.fold("").entities
        still = [one for one in self._at.tasks() if one.thread and one.status == "open"]
        told = []
        for task in still[:_THREADS_MAX]:
            why = "" if is_bound_by_person(project, task.id) else self._why_over(task)
            if why and self._end(task, why):
                shown = self._at.short(task.id)
                told.append(f"{shown} ({task.title}) has ended: {why}. `clew task reopen {shown}` opens it again.")
        return told

    # Opening and joining.

    def _placed(self, extract: Extract) -> str:
        """The thread that a session of no task counts for from now on, "" none."""
        project, place = self._at.ledger.fold("").entities, place_of(extract)
        there = self._at.task_of(bound(project, *place))
        if there is not None:
            return self._joined(there, extract) if there.thread else ""
        begun = self._begun_in(project, extract)
        if begun is not None:
            return self._joined(begun, extract)
        owner = self._owner(extract) if place == self._at.place else ""
        if owner:
            self._append([self._bind(owner, place, key=f"bound:{owner}:{extract.origin.session}")])
            self._count(owner, [extract])
            return ""
        is_late = self._gap_ms(extract.origin.last_time, timestamp(self._now_ms)) > self._idle_ms
        if is_late or not did_work(extract) or _moment(extract.origin.last_time) < bound_since(project, place):
            return ""
        return self._open(project, place, [*self._earlier(place, extract), extract])

    def _joined(self, thread: Task, extract: Extract) -> str:
        """The thread that a session of its place, or that began there, counts for: this one, or where that is over the
        next one.
        """
        if self._gap_ms(extract.origin.last_time, self._span(thread.id).first_begin) > self._idle_ms:
            return ""  # it was long before
        if self._is_break(thread, extract):
            return self._next(thread, extract)
        self._count(thread.id, [extract])
        self._follow(thread, extract)
        return thread.id

    def _begun_in(self, project: Entities, extract: Extract) -> Task | None:
        """The thread of the place where a session began that went on, as its record says, to another branch or work
        tree: one that was bound there then. None if there is none, and on the default branch.
        """
        origin, item = extract.origin, self._sessions.files.get(extract.origin.session)
        if origin.branch in ("", self._default) or item is None:
            return None
        try:
            facts = self._sessions.facts(item)
        except OSError:
            return None
        if facts is None or not facts.folders or not facts.branch:
            return None
        place = TaskPlace(redacted_name(top_of(facts.folders[0]), self._at.redact), facts.branch)
        thread = self._at.task_of(bound(project, *place))
        was_there = bound_since(project, place) <= _moment(origin.first_time)
        return thread if thread is not None and thread.thread and was_there else None

    def _go_on(self, thread: Task, extract: Extract, *, is_new: bool) -> str:
        """What a session that counts for a thread does to it; the thread that it counts for now."""
        project = self._at.ledger.fold("").entities
        ended = ended_by_itself(project, thread)
        if ended:
            there = bound(project, *place_of(extract))
            if not there and did_work(extract, after=ended):
                key = f"again:{thread.id}:{extract.origin.last_time}"
                self._append([self._event("task.reopened", {"task": thread.id}, key=key)])
            return thread.id
        if is_new and self._is_break(thread, extract):
            return self._next(thread, extract)
        self._follow(thread, extract)
        return thread.id

    def _next(self, thread: Task, extract: Extract) -> str:
        """End a thread behind which a session came long after, and open one for that if it is work."""
        self._end(thread, self._idle_why, said_at=extract.origin.first_time)
        project, place = self._at.ledger.fold("").entities, place_of(extract)
        there = bound(project, *place)
        if there and there != thread.id:  # another process was faster
            self._count(there, [extract])
            return there
        return self._open(project, place, [extract]) if did_work(extract) else ""

    def _open(self, project: Entities, place: TaskPlace, extracts: Sequence[Extract]) -> str:
        """Open a thread of these sessions (the oldest first) at their place, with what was noted there for no task.

        Its id follows from the place and from how many it had before, and so do the keys of the events: two processes
        at once open one, since both saw in `project` that nothing is bound there. It is bound since its first session
        began: whatever a person says meanwhile is later.
        """
        task = self._identity(project, place)
        began = max(_moment(extracts[0].origin.first_time), bound_since(project, place))
        title = self._at.redact(title_of(extracts)) or self._unnamed(place)
        opened: Data = {"task": task, "title": title, "thread": True}
        events = [
            self._event("task.opened", opened, key=f"task:{task}", said_at=began),
            self._bind(task, place, key=f"bound:{task}", said_at=began),
        ]
        if place.worktree == self._at.place.worktree and (names := unassigned_items(self._at)):
            events += words_from(self._at, "", task, names)
        # First: nobody then sees a thread in which nothing is. A session of a task that never was opened is free.
        self._count(task, extracts)
        self._append(events)
        return task

    def _identity(self, project: Entities, place: TaskPlace) -> str:
        for time in range(len(project) + 1):
            task = f"T-{identity('thread', self._at.ledger.key.hex(), *place, str(time))}"
            if task not in project:
                return task
        raise AssertionError("too many tasks")

    def _earlier(self, place: TaskPlace, extract: Extract) -> list[Extract]:
        """The sessions of no task at a place that go before one, without a long break between, the oldest first."""
        taken, sessions = self._at.ledger.taken(), self._sessions
        free = [name for name in sessions.files if name in taken and not taken[name].task]
        names = [name for name in free if name not in sessions.aside and name != extract.origin.session]
        there = [one for name in names[:_LOOKED_AT_MAX] for one in self._at.ledger.extracts(session=name)]
        found: list[Extract] = []
        for one in sorted(there, key=lambda one: one.origin.first_time, reverse=True):
            behind = (found or [extract])[-1].origin.first_time
            if place_of(one) != place or one.is_foreign or one.origin.first_time > behind or is_idle(one):
                continue
            if self._gap_ms(one.origin.last_time, behind) > self._idle_ms:
                break
            if sessions.is_attended(one.origin.session):
                found.append(one)
        return found[::-1]

    def _owner(self, extract: Extract) -> str:
        """The one open task of somebody's whose file the session edited first; "" for none. No topic is guessed."""
        still = [one.id for one in self._at.tasks() if one.status == "open" and not one.thread]
        edited = [item for item in extract.items if item.kind == "file" and item.status in ("edited", "committed")]
        if not still or not edited:
            return ""
        files: dict[str, set[str]] = {}
        for name in still:
            items = [entry.item for entry in self._at.known(name).values() if entry.standing == "live"]
            paths = {path for item in items for path in item.files}
            files[name] = paths | {item.text for item in items if item.kind == "file"}
        for item in sorted(edited, key=lambda item: item.place.at):
            owners = [name for name, paths in files.items() if item.text in paths]
            if len(owners) == 1:
                return owners[0]
        return ""

    def _count(self, task: str, extracts: Sequence[Extract]) -> None:
        """Let sessions count for a task, with what was said about them."""
        for extract in extracts:
            if extract.task != task:
                self._append(words_along(self._at, extract, task))
                self._at.ledger.assign(extract.origin.session, task)
                self._sessions.note(extract._replace(task=task))
                self._spans.pop(extract.task, None)
                if task in self._spans:
                    self._spans[task].add(extract)

    def _span(self, task: str) -> SessionSpan:
        """That of a thread's sessions, listed once for however many are imported."""
        if task not in self._spans:
            self._spans[task] = SessionSpan(self._at.ledger.extracts(task=task, items=False))
        return self._spans[task]

    # Going on.

    def _is_break(self, thread: Task, extract: Extract) -> bool:
        """Whether a session that is the last of a thread's comes after so long a break that the thread is over."""
        span, session, began = self._span(thread.id), extract.origin.session, extract.origin.first_time
        if span.last_begin(but=session) > began:
            return False
        return self._gap_ms(span.last_end(but=session), began) > self._idle_ms

    def _follow(self, thread: Task, extract: Extract) -> None:
        """Where a session of a thread went on to a branch or work tree that is bound to nothing, the thread goes along:
        a branch made for the work is where it goes on. The default branch is left then, if only this session was there.
        """
        place = place_of(extract)
        project = self._at.ledger.fold("").entities
        if place in thread.places or place.branch in ("", self._default) or bound(project, *place):
            return
        when = extract.origin.last_time
        events = [self._bind(thread.id, place, key=f"followed:{thread.id}:{when}", said_at=when)]
        span, session = self._span(thread.id), extract.origin.session
        for left in thread.places:
            if left.branch == self._default and not span.is_at(left, but=session):
                events.append(self._bind("", left, key=f"left:{thread.id}:{when}", said_at=when))
        self._append(events)

    def _move_here(self) -> None:
        """Bind the place that we are at, if it is bound to nothing, to the one thread of its branch whose work tree is
        gone: what was begun in a work tree goes on with its branch, and with a repository that was moved.
        """
        place, project = self._at.place, self._at.ledger.fold("").entities
        if not place.branch or bound(project, *place):
            return
        found = [
            (one, there)
            for one in self._at.tasks()
            if one.thread and one.status == "open"
            for there in one.places
            if there.branch == place.branch and _is_missing(there)
        ]
        if len(found) == 1:
            [(task, left)] = found
            key = f"moved:{task.id}:{left.worktree}:{place.worktree}"
            self._append([self._bind(task.id, place, key=key), self._bind("", left, key=f"{key}:left")])

    def _name(self, name: str) -> None:
        """Let a thread be called what it is about now, unless somebody named it."""
        task = self._at.task_of(name)
        if task is None or not follows_goal(self._at.ledger.fold("").entities, task):
            return
        extracts = extracts_of(self._at, name)
        title = self._at.redact(title_of(extracts))
        if title and title != task.title and extracts:
            last = extracts[-1]
            key = f"called:{name}:{last.origin.session}:{last.extent}:{last.rules}"
            self._append([self._event("task.renamed", {"task": name, "title": title}, key=key)])

    # Ending.

    def _why_over(self, task: Task) -> str:
        """Why a thread is over, as a clause; "" if it is not."""
        ends = [self._why_left(task, place) for place in task.places]
        if ends and all(ends):
            return ends[-1]
        return self._idle_why if self._is_idle(task) else ""

    def _why_left(self, task: Task, place: TaskPlace) -> str:
        """Why nothing goes on at a place, "" if it may."""
        if self._repository is None or _REDACTED in "".join(place):
            return ""
        is_missing = _is_missing(place)
        if not place.branch:
            return "its work tree is gone" if is_missing else ""
        if is_gone(self._repository, place.branch):
            return "" if self._renamed(task, place) else f"its branch {place.branch} is gone"
        if place.branch == self._default or not self._default:
            return ""
        return f"its branch {place.branch} is merged into {self._default}" if self._is_merged(task, place) else ""

    def _renamed(self, task: Task, place: TaskPlace) -> bool:
        """Whether the branch of a place only has another name now; the thread goes along."""
        assert self._repository is not None
        name = renamed_to(self._repository, place.branch)
        there = place._replace(branch=name)
        if name and not bound(self._at.ledger.fold("").entities, *there):
            key = f"renamed:{task.id}:{place.branch}:{name}"
            self._append([self._bind(task.id, there, key=key), self._bind("", place, key=f"{key}:left")])
        return bool(name)

    def _is_merged(self, task: Task, place: TaskPlace) -> bool:
        """Whether the default branch holds what the thread committed, and nothing stands in the work tree beside it."""
        from clew.workspace.git import Git  # here: most starts ask git nothing

        assert self._repository is not None
        own = tip(self._repository, place.branch)
        found = targets(self._repository, self._default, branch=place.branch)
        if not own or not found or self._asked >= _ASKED_MAX:
            return False
        self._asked += 1
        has_committed = any(map(committed, self._at.ledger.extracts(task=task.id)))
        if not has_committed:
            return False
        try:
            git = Git(self._repository, environment=self._ports.environment)
            if not any(commit == own or git.holds(commit, own) for commit in found):
                return False
            there = find(Path(place.worktree)) if not _is_missing(place) else None
            if there is None:
                return True
            status = Git(there, environment=self._ports.environment).status()
            return status.head.branch != place.branch or not status.changed
        except Unavailable:
            return False

    def _is_idle(self, task: Task) -> bool:
        now = timestamp(self._now_ms)
        if self._gap_ms(task.changed_at, now) <= self._idle_ms:
            return False
        times = [one.origin.last_time for one in self._at.ledger.extracts(task=task.id, items=False)]
        said = self._at.ledger.fold(task.id).entities.values()
        times += [change.said_at for entity in said for change in entity]
        return self._gap_ms(max(map(_moment, times), default=task.changed_at), now) > self._idle_ms

    @property
    def _idle_why(self) -> str:
        return f"no session worked on it for {self._days} days"

    @property
    def _idle_ms(self) -> int:
        return self._days * _DAY_MS

    def _end(self, task: Task, why: str, *, said_at: str = "") -> bool:
        """Let a thread end; whether it did. Once for what its sessions did: opened again, it stays open until more is
        done.
        """
        last = max((one.origin.last_time for one in self._at.ledger.extracts(task=task.id, items=False)), default="")
        data: Data = {"task": task.id, "outcome": why}
        self._append([self._event("task.closed", data, key=f"over:{task.id}:{last}", said_at=said_at)])
        return not is_open(self._at.ledger.fold("").entities, task.id)

    # Saying so.

    def _bind(self, task: str, place: TaskPlace, *, key: str, said_at: str = "") -> Event:
        data: Data = {"worktree": place.worktree, "branch": place.branch, "task": task}
        return self._event("place.bound", data, key=key, said_at=said_at)

    def _event(self, kind: str, data: Data, *, key: str, said_at: str = "") -> Event:
        return programs_event(self._at, kind, data, key=key, said_at=_moment(said_at) if said_at else "")

    def _append(self, events: Sequence[Event]) -> None:
        if events:
            self._at.append(events)

    def _unnamed(self, place: TaskPlace) -> str:
        """What a thread is called whose sessions do not tell what they are about."""
        return f"work on {place.branch}" if place.branch else f"work in {Path(place.worktree).name}"

    @staticmethod
    def _gap_ms(earlier: str, later: str) -> int:
        """Milliseconds from one time to a later one; 0 where one is unknown."""
        start, end = nanoseconds(earlier), nanoseconds(later)
        return max(0, end - start) // 1_000_000 if start is not None and end is not None else 0


def programs_event(at: ProjectSession, kind: str, data: Data, *, key: str, said_at: str = "") -> Event:
    """An event that nobody said: rules read it off sessions and branches."""
    event = at.event(kind, data, task="", key=key, visibility="private", said_at=said_at)
    return event._replace(provenance="inferred", actor=_ACTOR, session="")


def let_go(at: ProjectSession, session: str, task: str) -> None:
    """Let a session that counted for a thread count for `task` ("" none) instead; a thread without any other ends."""
    [extract] = at.ledger.extracts(session=session)
    at.append(words_along(at, extract, task))
    at.ledger.assign(session, task)
    left = at.task_of(extract.task)
    is_empty = not at.ledger.extracts(task=extract.task, items=False) and not at.ledger.fold(extract.task).entities
    if left is not None and left.thread and left.status == "open" and is_empty:
        data: Data = {"task": left.id, "outcome": "its session counts elsewhere"}
        at.append([programs_event(at, "task.closed", data, key=f"empty:{left.id}:{session}")])


def _is_missing(place: TaskPlace) -> bool:
    """Whether the work tree of a place is not on this disk."""
    try:
        return _REDACTED not in place.worktree and not Path(place.worktree).is_dir()
    except (OSError, ValueError):
        return False


def _moment(time: str) -> str:
    """A client's time as events write it; "" for what is none."""
    found = nanoseconds(time)
    return timestamp(found // 1_000_000) if found is not None else ""
