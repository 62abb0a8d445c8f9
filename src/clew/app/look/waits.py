"""What waits for a person in a project, over all its open tasks: for the page. Looks only."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice
from typing import Final, Literal, NamedTuple

from clew.app.cost.budgets import budgets
from clew.app.draft.newest import drafts
from clew.app.plan.writing import open_questions
from clew.app.project.opening import ProjectHandle
from clew.app.project.reading import newest_first
from clew.app.project.session import ProjectSession
from clew.core.plan.recorded import run_of
from clew.core.state.tasks import Task
from clew.documents.plan.lint import grave, lint_plan

# question: without an answer. plan: to be approved. phase: stopped. run: it halted. draft: a hand-off that nobody
# reviewed. budget: it is used up.
WaitKind = Literal["question", "plan", "phase", "run", "draft", "budget"]
MADE: Final = "handoff.made"
_EVENTS_MAX: Final = 200


class Wait(NamedTuple):
    """One thing that waits. `about` is the id of an item, the number of a phase, or "" for the one that the task has;
    `task` is None for what belongs to none. `since` is a time, "" unknown. `blocking`: work cannot go on before.
    `owner` is who else is asked, "" whoever looks.
    """

    kind: WaitKind
    text: str
    about: str = ""
    task: Task | None = None
    since: str = ""
    blocking: bool = False
    owner: str = ""


def waits(project: ProjectHandle, day: str) -> tuple[Wait, ...]:
    """What waits for a person: what stops work comes first, then what has waited longest, at the end what others
    are asked. `day` (YYYY-MM-DD) is the one whose budget counts.
    """
    with project.open(write=False) as at:
        tasks = [one for one in at.tasks() if one.status == "open"]
        stated = (recorded.event for recorded in at.ledger.events(kinds=("item.stated",)))
        asked = {event.task for event in stated if event.data["kind"] == "question"}
        found = [wait for task in (None, *tasks) for wait in _of_task(at, task, asked)]
        found += _drafts(at, {one.id: one for one in tasks})
    for one in budgets(project, day).budgets:
        if one.stands == "stopped":
            what = " ".join(filter(None, (one.scope, one.title or one.called)))
            found.append(Wait("budget", f"The budget of the {what} is used up", one.called, None, "", True))
    return tuple(sorted(found, key=lambda one: (bool(one.owner), not one.blocking, one.since)))


def _of_task(at: ProjectSession, task: Task | None, asked: Collection[str]) -> Iterator[Wait]:
    name = task.id if task else ""
    for entry in open_questions(at, name) if name in asked else ():
        item = entry.item
        if item.blocking or item.owner or item.provenance != "human":
            owner = "" if item.owner.casefold() == at.speaker.actor.casefold() else item.owner
            yield Wait("question", item.text, item.id, task, item.time, item.blocking, owner)
    if not task or not at.has_plan(name):
        return
    plan = at.plan(name)
    if plan.phases and plan.is_planning and not grave(lint_plan(plan)):
        yield Wait("plan", plan.title or task.title, "", task, plan.changed_at, True)
    stopped = [one for one in plan.phases if one.status == "stopped"]
    for phase in stopped:
        why = phase.cause or phase.failure or "it was stopped"
        yield Wait("phase", f"{phase.number}. {phase.title}: {why}", str(phase.number), task, phase.ended_at, True)
    if not stopped and run_of(at.plan_entities(name))[1] == "halted":
        yield Wait("run", f"The run of {plan.title or task.title} halted", "", task, plan.changed_at, True)


def _drafts(at: ProjectSession, tasks: dict[str, Task]) -> Iterator[Wait]:
    """The newest draft of each open task, unless a person reviewed the hand-off that was made of it."""
    made = islice(newest_first(at.ledger, (MADE,)), _EVENTS_MAX)
    reviewed = {str(one.event.data.get("draft", "")) for one in made if one.event.data.get("reviewer")}
    seen: set[str] = set()
    for draft in islice(drafts(at.ledger), _EVENTS_MAX):
        task = tasks.get(draft.task)
        if task is not None and draft.task not in seen:
            seen.add(draft.task)
            if draft.id not in reviewed:
                by = draft.client or draft.by or "an agent"
                yield Wait("draft", f"A hand-off that {by} wrote: {task.title}", draft.id, task, draft.time)
