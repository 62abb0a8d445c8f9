"""What a ledger says of tasks and items, at a place; and its events, the newest first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from clew.app.project.location import ProjectLocation
from clew.core.errors import InputError, NotFound
from clew.core.plan.plan import Plan
from clew.core.state.crowd import Room, Selected, Sort, sort_of
from clew.core.state.drafted import drafted_in, is_drafted
from clew.core.state.events import Recorded
from clew.core.state.extract import Extract, owning_tasks
from clew.core.state.fold import PLAN, PLAN_KINDS, Entities, Entity, fold, merged
from clew.core.state.items import Kind, Origin
from clew.core.state.orders import BINDING_MAX, Order, room
from clew.core.state.projection import Known, holds_everywhere, kind_of_id, known, referenced_only, with_project
from clew.core.state.tasks import Task, TaskPlace, bound, ended_by_person, tasks
from clew.core.text.cleaning import clean, one_line, shorten
from clew.ledger.port import Ledger

# How many positions to look back at first; then four times as many, and so on.
_LOOK_BACK: Final = 256


def newest_first(
    ledger: Ledger, kinds: Collection[str] | None = None, *, task: str | None = None, step: int = _LOOK_BACK
) -> Iterator[Recorded]:
    """Events of these kinds (None: of all), the newest first. Reads only as far back as they are taken from the
    iterator: `step` positions at first, then four times as many, and so on.
    """
    upto = ledger.position()
    while upto > 0:
        after = max(0, upto - step)
        yield from reversed(list(ledger.events(task=task, kinds=kinds, after=after, upto=upto)))
        upto, step = after, step * 4


# Of the tasks that a name may mean, so many are told.
_CANDIDATES_MAX: Final = 8
_TITLE_CHARS: Final = 60
# Of the places where a ledger is damaged, so many are named.
_DAMAGED_MAX: Final = 3
# What rules read off sessions that holds beyond their task.
_READ_OFF: Final[tuple[Kind, ...]] = ("constraint", "deferral")
_NO_ORIGIN: Final = Origin("", "", "", "", "", "", True, "")


class LiveItems(NamedTuple):
    """What stands in a whole project: live items by id. `more` counts those for which there was no room, by sort."""

    orders: Mapping[str, Order]
    more: Mapping[Sort, int]


class ProjectReading:
    """An open ledger, read from a place. `redact` replaces secrets (keyed by the ledger) and what people redacted by
    hand. `chosen` is the task that was named, None where none was; `named` names the one that whoever started the
    client named, "" none.
    """

    location: ProjectLocation
    ledger: Ledger
    redact: Callable[[str], str]
    chosen: str | None
    named: str = ""

    def tasks(self) -> tuple[Task, ...]:
        """All tasks of the project, newest change first."""
        return tasks(self.ledger.fold("").entities)

    def task_of(self, name: str) -> Task | None:
        """The task with this id, None for "" and for one that was never opened here."""
        return next((one for one in self.tasks() if one.id == name), None)

    def last_of(self, task: Task) -> str:
        """When a task was last changed, or a session last worked on it."""
        worked = (one.origin.last_time for one in self.ledger.extracts(task=task.id, items=False))
        return max([task.changed_at, *worked])

    def known(self, task: str) -> dict[str, Known]:
        """Every item of `task` by id, whatever became of it."""
        extracts = self.ledger.extracts(task=task)
        return known(self.stated(task, extracts=extracts), extracts)

    def some(
        self, task: str, names: Collection[str], extracts: Sequence[Extract]
    ) -> tuple[dict[str, Entity], dict[str, Known]]:
        """What is stated of some items of `task`, and what is known of them and of those that the sessions left
        (`extracts` are all of the task's), as `stated` and `known` say it of all. With them come those on which it
        depends how they stand: what took their place, and where one is pinned all that are. Costs what it tells.
        """
        wanted = set(names)
        while True:
            entities = self._counted(task, extracts, self.ledger.fold_of("", wanted), self.ledger.fold_of(task, wanted))
            changes = [change.fields for entity in entities.values() for change in entity]
            if any("draft" in fields for fields in changes):  # it depends on every claim of its session
                entities = dict(self.stated(task, extracts=extracts))
                break
            more = {str(fields["superseded_by"]) for fields in changes if fields.get("superseded_by")}
            more |= self.pinned(task) if any("pinned" in fields for fields in changes) else set()
            if more <= wanted:
                break
            wanted |= more
        return entities, known(entities, extracts)

    def pinned(self, task: str) -> set[str]:
        """The items of `task` and of none that somebody pinned, whatever became of that."""
        found = (self.ledger.events(task=one, kinds=("item.pinned",)) for one in {"", task})
        return {str(one.event.data.get("item", "")) for events in found for one in events}

    def part(self, task: str, extracts: Sequence[Extract], room: Room) -> Selected:
        """The part of what is stated of `task` for which there is `room` (`core.state.crowd`); `extracts` as there."""
        project = self.ledger.fold("").entities if task else {}
        also = {*owning_tasks(extracts, foreign=True), *(name for name in project if kind_of_id(name) is not None)}
        found = self.ledger.select(task, room, also)
        entities = self._counted(task, extracts, project or found.entities, found.entities)
        return found._replace(entities=entities)

    def rests(self, session: str) -> bool:
        """Whether the last turn of a session is complete, as far as it was imported."""
        return any(one.origin.ended for one in self.ledger.extracts(session=session))

    def standing(self) -> LiveItems:
        """What is live in the whole project of what binds, stated in any task, or in none, that no person ended, with
        the constraints and deferrals that rules read off sessions: of what is alike the newest (`core.state.orders`).
        """
        project, taken = self.ledger.fold("").entities, self.ledger.taken()
        over = {task.id for task in self.tasks() if ended_by_person(project, task.id)}
        home: dict[str, str] = {}
        entities: dict[str, Entity] = {}
        more: Counter[Sort] = Counter()
        seen: Counter[Sort] = Counter()
        here = self.task()
        for task in dict.fromkeys(("", here, *(task.id for task in self.tasks() if task.id not in over))):
            found = self.ledger.select(task, lambda sort: max(0, room(sort) - seen[sort]), newest=True)
            more.update(found.more)
            seen.update(sort for name, one in found.entities.items() if (sort := sort_of(name, one)) is not None)
            for name, entity in found.entities.items():
                if kind_of_id(name) is not None:
                    home[name] = task if _is_stated(found.entities, name) else home.get(name, task)
                    entities[name] = merged(entities[name], entity) if name in entities else entity
        read: list[Extract] = []
        for session, items in self.ledger.read_off(_READ_OFF, BINDING_MAX).items():
            task = taken[session].task if session in taken else ""
            if task not in over:
                home.update({item.id: task for item in items})
                read.append(Extract(_NO_ORIGIN, task, "", 1, 0, "", items))
        live = {name: one for name, one in known(entities, read).items() if one.standing == "live"}
        return LiveItems({name: Order(one, home[name]) for name, one in live.items()}, more)

    def short(self, name: str) -> str:
        """The shortest unique form of an id, as it is shown."""
        return self.ledger.shortest([name])[name]

    def stated(self, task: str, *, upto: int | None = None, extracts: Sequence[Extract] | None = None) -> Entities:
        """What is stated of `task` and its items, and what holds in the whole project, as of the position `upto`.

        What was said of an item that a session of another task has is left out: it went there with its session. So is,
        of no task, what a task took along (`app/tasks/words.py`). `extracts` are the task's, if they are at hand.
        """
        project = self.ledger.fold("", upto=upto).entities
        own = self.ledger.extracts(task=task, upto=upto) if extracts is None else extracts
        return self._counted(task, own, project, self.ledger.fold(task, upto=upto).entities, upto)

    def _counted(
        self, task: str, own: Sequence[Extract], project: Entities, stated: Entities, upto: int | None = None
    ) -> dict[str, Entity]:
        """Of what is stated of no task (`project`) and of `task` what counts there; `own` are the task's extracts."""
        found = with_project(stated, project, own) if task else project
        owned = owning_tasks(own)
        gone = set()
        for name in referenced_only(found):
            other = None if name in owned else self.ledger.task_of(name)
            # Rules read it off a session of another task.
            if other not in (None, task) and name in owning_tasks(self.ledger.extracts(task=other, upto=upto)):
                gone.add(name)
        if not task:
            gone |= self._taken_along(found, upto)
            newest = [extract.origin.session for extract in own[-1:]]  # sessions of no task have nothing in common
            gone |= {name for name, entity in found.items() if is_drafted(entity) and not drafted_in(entity, newest)}
        return {name: entity for name, entity in found.items() if name not in gone}

    def home(self, name: str) -> str:
        """The task of an item: as `Ledger.task_of`; where that is none or over, the open one that took it along. "" for
        none.
        """
        task = self.ledger.task_of(name) or ""
        there = self.task_of(task)
        if holds_everywhere(name) if not task else there is None or there.status == "open":
            return task
        others = (one for one in self.tasks() if one.id != task and (one.status == "open" or not task))
        return next((one.id for one in others if _is_stated(self.ledger.fold_of(one.id, [name]), name)), task)

    def _taken_along(self, project: Entities, upto: int | None) -> set[str]:
        """Which of the project's own items were stated in some task as well."""
        free = {name for name in project if _is_stated(project, name) and not holds_everywhere(name)}
        taken: set[str] = set()
        for one in self.tasks() if free else ():
            whole = upto is not None  # of the past nothing is known by name
            entities = self.ledger.fold(one.id, upto=upto).entities if whole else self.ledger.fold_of(one.id, free)
            taken |= {name for name in free if _is_stated(entities, name)}
        return taken

    def task(self) -> str:
        """The task that was named, else the open one that this work tree and branch are bound to, else the open one
        that the session was started for: the work trees of a run are bound to none. "" for none.
        """
        if self.chosen is not None:
            return self.chosen
        here = bound(self.ledger.fold("").entities, *self.place)
        if here or not self.named:
            return here
        with suppress(NotFound, InputError):
            task = find_task(self, self.named)
            return task.id if task.status == "open" else ""
        return ""

    def has_plan(self, task: str) -> bool:
        """Whether `task` has a plan, be it one that is only opened."""
        return PLAN in self.plan_entities(task)

    def plan(self, task: str | None = None) -> Plan:
        """The plan of `task`, or of the one that is meant here; an empty one where it has none."""
        entities = self.plan_entities(self.task() if task is None else task)
        if PLAN not in entities:
            return Plan()
        # Here: few tasks have a plan, and a session's start asks first.
        from clew.core.plan.recorded import plan_of
        from clew.documents.plan.grammar import parse

        return plan_of(entities, parse)

    def plan_entities(self, task: str) -> Entities:
        """What the events of a task's plan fold to: they are few, whatever else is known of the task."""
        return fold(one.event for one in self.ledger.events(task=task, kinds=PLAN_KINDS))

    def passed_over(self) -> list[str]:
        """That something in the ledger is damaged and was left out, as far as it was met; [] where nothing was."""
        met = self.ledger.passed_over()
        if not met:
            return []
        named = ", ".join(met[:_DAMAGED_MAX]) + (", …" if len(met) > _DAMAGED_MAX else "")
        return [f"The ledger is damaged, and was read without what cannot be read ({named}): `clew doctor --repair`."]

    @property
    def place(self) -> TaskPlace:
        """This work tree and branch as the ledger names them: of a name that looks like a secret the redacted form."""
        return TaskPlace(self.redact(clean(str(self.location.root))), self.redact(clean(self.location.branch)))


def _is_stated(entities: Entities, name: str) -> bool:
    """Whether somebody states an item there: says what kind it is of."""
    return kind_of_id(name) is not None and any("kind" in change.fields for change in entities.get(name, ()))


def find_task(at: ProjectReading, wanted: str) -> Task:
    """The task that `wanted` names: the beginning of its id (with or without "T-" and brackets), or its whole title.

    Raises `NotFound`, and `InputError` with the candidates where several are named so.
    """
    asked = one_line(clean(wanted))
    every = at.tasks()
    prefix = asked.strip("[]").lower()
    by_id = [one for one in every if prefix and one.id.lower().startswith((prefix, f"t-{prefix}"))]
    found = [one for one in every if one.title.casefold() == asked.casefold()] or by_id
    if not found:
        raise NotFound(
            f"there is no task {asked}" if asked else "the task's name is empty",
            code="E-no-task",
            hint="`clew task list --all` has all; `clew task new` opens one.",
        )
    if len(found) > 1:
        shown = at.ledger.shortest([one.id for one in found])
        listed = (f"{shown[one.id]} ({shorten(one.title, _TITLE_CHARS)})" for one in found[:_CANDIDATES_MAX])
        raise InputError(
            f"{asked} names {len(found)} tasks", code="E-id-ambiguous", hint=f"Choose one of: {', '.join(listed)}"
        )
    return found[0]
