"""What a call of a tool means, by the names of its arguments: makers of the rows of a client's table of tools.

Arguments are the model's own JSON, so any may be missing or of another type: it is then read as empty.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from clew.clients.fields import detail, number, questions, rows, text
from clew.clients.patches import edits as edits_of_patch
from clew.core.records.transcript import (
    Action,
    Ask,
    Delegate,
    Edit,
    Other,
    Plan,
    Poll,
    Read,
    Result,
    Run,
    Search,
    Todo,
    Todos,
)


class CallOutcome(NamedTuple):
    """What came of a call. The first six are the last fields of a `Result`, in their order; `text` is what the tool
    itself said. `outcome` is "running" while a command or a script goes on behind the answer: then there is no result
    yet, and `process` names the command. `hooks` are texts that hooks put behind it.
    """

    outcome: str
    exit_code: int | None
    text: str
    reason: str = ""
    answers: tuple[tuple[str, str], ...] = ()
    todo: str = ""
    process: str = ""
    hooks: tuple[str, ...] = ()

    def record(self, at: int, time: str, agent: str, call: str) -> Result:
        """The result of the call `call`."""
        return Result(at, time, agent, call, *self[:6])


Meaning: TypeAlias = Callable[[dict[str, Any]], tuple[Action, ...]]


def actions_of(tools: Mapping[str, Meaning], tool: str, given: Any) -> tuple[Action, ...]:
    """What a call of `tool` with these arguments does, by a client's table."""
    fields: dict[str, Any] = given if isinstance(given, dict) else {}
    known = tools.get(tool)
    return known(fields) if known is not None else (Other(detail(fields)),)


def run(command: str, *folders: str) -> Meaning:
    """A command, in the folder that one of the arguments names."""
    return lambda fields: (Run(text(fields, command), text(fields, *folders)),)


def read(*paths: str) -> Meaning:
    """A file from the line `offset` on, as many as `limit`."""

    def meaning(fields: dict[str, Any]) -> tuple[Action, ...]:
        first, limit = number(fields, "offset"), number(fields, "limit")
        return (Read(text(fields, *paths), first, (first or 1) + limit - 1 if limit else 0),)

    return meaning


def edit(path: str, old: str, new: str) -> Meaning:
    """A text put in the place of another; `old` "": the file is written whole."""
    return lambda fields: (Edit(text(fields, path), text(fields, old), text(fields, new)),)


def edits(path: str, old: str, new: str) -> Meaning:
    """Several of these in one file."""

    def meaning(fields: dict[str, Any]) -> tuple[Action, ...]:
        name = text(fields, path)
        found = (Edit(name, text(one, old), text(one, new)) for one in rows(fields, "edits"))
        return tuple(found) or (Edit(name, "", ""),)

    return meaning


def patch(*names: str) -> Meaning:
    """A patch in Codex's form, which other clients offer to the models that know it: an edit for each of its files."""
    return lambda fields: edits_of_patch(text(fields, *names)) or (Other(detail(fields)),)


def poll(*names: str) -> Meaning:
    """A look at a command that goes on, by the number or name that one of the arguments has of it."""

    def meaning(fields: dict[str, Any]) -> tuple[Action, ...]:
        process = next((value for name in names if isinstance(value := fields.get(name), int | str)), "")
        return (Poll(str(process)) if process != "" else Other(detail(fields)),)

    return meaning


def search(pattern: str, *places: str) -> Meaning:
    """A pattern looked for; `pattern` "": a folder is listed."""
    return lambda fields: (Search(text(fields, pattern) or ("" if pattern else "*"), text(fields, *places)),)


def plan(name: str) -> Meaning:
    """A plan. Some keep it in a file of their own: then an edit before it holds the text."""
    return lambda fields: (Plan(text(fields, name)),)


def todos(name: str, *words: str, states: Mapping[str, str] | None = None) -> Meaning:
    """The whole list of what is to be done. `states`: what the client calls a state, and what we do."""

    def meaning(fields: dict[str, Any]) -> tuple[Action, ...]:
        found = (
            Todo(
                text(item, "id"),
                text(item, *words),
                states.get(text(item, "status"), "pending") if states else text(item, "status") or "pending",
            )
            for item in rows(fields, name)
        )
        return (Todos(tuple(found), whole=True),)

    return meaning


def ask(fields: dict[str, Any]) -> tuple[Action, ...]:
    """Questions to the user."""
    return (Ask(questions(fields)),)


def delegate(*titles: str, prompt: tuple[str, ...] = ("prompt",)) -> Meaning:
    """A job for a sub-agent."""
    return lambda fields: (Delegate(text(fields, *titles), text(fields, *prompt)),)
