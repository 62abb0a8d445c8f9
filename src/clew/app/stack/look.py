"""Looking at stacks: which there are, what one names, and what changed since its lock was written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

from clew.app.project import locate
from clew.app.project.opening import ProjectHandle
from clew.app.project.output_redaction import redacted_name, safe_errors
from clew.app.results import JsonResult
from clew.app.stack.build import forgetting_of
from clew.app.stack.gather import StackTools, context_of, gathered
from clew.app.stack.lock import Lock, Locked, read_lock
from clew.app.stack.stack_file import read_stack, stack_names
from clew.core.errors import ClewError

What = Literal["same", "changed", "new", "gone", "missing"]


class StackRow(JsonResult, frozen=True):
    """A stack, and its last build (None, "": never built here). If its file cannot be used, `problem` says why."""

    name: str
    title: str = ""
    sources: int = 0
    budget: int = 0
    tokens: int | None = None
    built_at: str = ""
    problem: str = ""


class SourceRow(JsonResult, frozen=True):
    """A source as the stack's file says; `tokens` are those of the last build, None unknown."""

    name: str
    kind: str
    budget: int
    priority: int
    trim: str
    off: bool
    table: Mapping[str, Any]
    tokens: int | None


class StackSources(JsonResult, frozen=True):
    """The sources of a stack, and its last build; `budget` 0: the setting holds."""

    stack: str
    path: str
    title: str
    budget: int
    tokens: int | None
    counter: str
    built_at: str
    sources: tuple[SourceRow, ...]


class SourceChange(JsonResult, frozen=True):
    """How a source differs from the lock, with the names of parts; why a `missing` one could not be had is `said`."""

    name: str
    what: What
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    said: str = ""


def list_stacks(folder: Path) -> list[StackRow]:
    """The stacks of the project that `folder` is in, by name."""
    root = locate(folder).root
    found = []
    for name in stack_names(root):
        try:
            stack, lock = read_stack(root, name), lock_of(root, name)
            built = (lock.tokens, lock.made_at) if lock else (None, "")
            found.append(StackRow(name, stack.title, len(stack.entries), stack.budget, *built))
        except ClewError as error:
            found.append(StackRow(name, problem=error.message))
    return found


def stack_sources(folder: Path, name: str) -> StackSources:
    """What the stack `name` of the project that `folder` is in names. Fetches nothing. Raises `NotFound`."""
    root = locate(folder).root
    stack, lock = read_stack(root, name), lock_of(root, name)
    last = {one.name: one.tokens for one in lock.sources} if lock else {}
    rows = tuple(
        SourceRow(
            entry.name, entry.spec.kind, entry.spec.budget, entry.spec.priority, entry.spec.trim, entry.spec.off,
            dict(entry.table), last.get(entry.name),
        )
        for entry in stack.entries
    )  # fmt: skip
    tokens, counter, built_at = (lock.tokens, lock.counter, lock.made_at) if lock else (None, "", "")
    return StackSources(name, str(stack.path), stack.title, stack.budget, tokens, counter, built_at, rows)


def lock_of(root: Path, name: str) -> Lock | None:
    """The lock of a stack; None where there is none that can be used."""
    try:
        return read_lock(root, name)
    except ClewError:
        return None


def changes(
    project: ProjectHandle, given: StackTools, name: str, *, variables: Mapping[str, str], at: Callable[[str], None]
) -> list[SourceChange]:
    """How the sources differ from the lock, in the order of the stack; those that it names no more come last. Fetches
    all, keeps nothing. Raises `NotFound`, `InputError`.
    """
    with safe_errors(project.ports.redact):
        location = locate(project.folder)
        stack, lock = read_stack(location.root, name), read_lock(location.root, name)
        context = context_of(project.ports, given, location, variables, at)
        found, missed = gathered(stack, context, forget=forgetting_of(project.ports, location), at=at)
        before = {one.name: one for one in lock.sources}
        rows = {one.entry.name: _change(one.entry.name, one.sha256, one.prints, before) for one in found}
        for one in missed:
            said = redacted_name(one.error.message, project.ports.redact)
            rows[one.entry.name] = SourceChange(one.entry.name, "missing", said=said)
        ordered = [rows[entry.name] for entry in stack.entries if entry.name in rows]
        return [*ordered, *(SourceChange(one, "gone") for one in before if one not in rows)]


def _change(name: str, sha256: str, prints: Mapping[str, str], before: Mapping[str, Locked]) -> SourceChange:
    old = before.get(name)
    if old is None or old.sha256 == sha256 or not old.parts:
        return SourceChange(name, "new" if old is None else "same" if old.sha256 == sha256 else "changed")
    return SourceChange(
        name,
        "changed",
        tuple(part for part in prints if part not in old.parts),
        tuple(part for part, print_ in prints.items() if old.parts.get(part, print_) != print_),
        tuple(part for part in old.parts if part not in prints),
    )
