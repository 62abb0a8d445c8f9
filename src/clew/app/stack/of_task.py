"""The stack of a task: named by somebody, and put before the payload within one joint budget."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from clew.app.egress.guard import Exit
from clew.app.project import Outcome, find_task
from clew.app.project.opening import ProjectHandle
from clew.app.stack.build import build
from clew.app.stack.gather import StackTools
from clew.app.stack.stack_file import read_stack
from clew.app.tasks.lifecycle import check, done
from clew.core.errors import ClewError, InputError, NotFound


@dataclass(frozen=True, slots=True)
class StackText:
    """What stands before a payload: the text of a stack ("" where it could not be built) with its tokens, and what is
    to be told.
    """

    text: str
    tokens: int
    counter: str
    notes: tuple[str, ...]


def use_stack(project: ProjectHandle, name: str, wanted: str) -> Outcome:
    """Let the stack `name` ("" none) stand before the payload of a task: `wanted`, or the one that is bound here.

    Raises `NotFound` for a stack or a task that is not there, and `NotAllowed` for an agent where a person chose one.
    """
    with project.open(write=True) as at:
        if name:
            read_stack(at.location.root, name)
        task = find_task(at, wanted) if wanted else at.task_of(at.task())
        if task is None:
            raise NotFound(
                "no task is bound here", code="E-no-task", hint="Name one, or bind one: `clew task bind ID`."
            )
        check(at, task, "bind")
        if task.stack == name:
            return done(at, [], task.id, "{} has it so already: nothing to change", "clew resume")
        said = at.ledger.fold("").entities.get(task.id, ())
        if any("stack" in change.fields and change.provenance == "human" for change in said):
            at.require_person("task", "give the task another stack (a person chose it)", "Ask the person you work for.")
        event = at.event("task.stacked", {"task": task.id, "stack": name}, task="")
        told = f"The stack {name} stands before the payload of {{}}" if name else "No stack stands before that of {}"
        return done(at, [event], task.id, f"{told}: {task.title}", "clew resume")


def before_payload(
    project: ProjectHandle,
    given: StackTools,
    name: str,
    payload: str,
    *,
    budget: int,
    exit: Exit,
    allow: Collection[str] = (),
    why: str = "",
    at: Callable[[str], None],
) -> StackText:
    """The text of the stack `name` before a payload. With a `budget` (0 none) both together have at most so many tokens
    by the stack's counter. A stack that cannot be built is told in a note: the payload is not held up by it.
    """
    taken = given.counter.count(payload)
    try:
        if budget and budget <= taken:
            raise InputError(f"{budget:,} tokens leave no room beside the payload", code="E-stack-budget")
        found = build(
            project, given, name, exit=exit, most=budget - taken if budget else 0, allow=allow, why=why, at=at
        )
    except ClewError as error:
        note = f"The stack {name} is not before it: {error.message} [{error.code}]"
        return StackText("", 0, given.counter.name, (note,))
    missing = tuple(f"{who}: {what} [{code}]" for who, code, what in found.missing)
    notes = (*found.notes, *found.scanned.notes, *missing)
    return StackText(found.text, found.tokens, found.counter, notes)
