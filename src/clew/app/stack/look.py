"""Looking at stacks: which there are, what one names, and what changed since its lock was written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from clew.app.ports import Ports
from clew.app.project import locate
from clew.app.project.output_redaction import redacted_name, safe_errors
from clew.app.stack.build import forgetting_of
from clew.app.stack.gather import Given, context_of, gathered
from clew.app.stack.lock import Lock, Locked, read_lock
from clew.app.stack.stack_file import Stack, read_stack, stack_names
from clew.core.errors import ClewError

What = Literal["same", "changed", "new", "gone", "missing"]


@dataclass(frozen=True, slots=True)
class Listed:
    """A stack, and the lock of its last build (None: never built here). Where its file cannot be used `problem` says
    why, and `stack` is None.
    """

    name: str
    stack: Stack | None
    lock: Lock | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """How a source differs from the lock. Of one that gave several parts their names; `missing` ones could not be had
    now, and `said` tells why.
    """

    name: str
    what: What
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    said: str = ""


def listed(folder: Path) -> list[Listed]:
    """The stacks of the project that `folder` is in, by name."""
    root = locate(folder).root
    found = []
    for name in stack_names(root):
        try:
            found.append(Listed(name, read_stack(root, name), lock_of(root, name)))
        except ClewError as error:
            found.append(Listed(name, None, None, error.message))
    return found


def lock_of(root: Path, name: str) -> Lock | None:
    """The lock of a stack; None where there is none that can be used."""
    try:
        return read_lock(root, name)
    except ClewError:
        return None


def changes(
    ports: Ports,
    given: Given,
    folder: Path,
    name: str,
    *,
    variables: Mapping[str, str],
    at: Callable[[str], None],
) -> list[Change]:
    """How the sources differ from the lock, in the order of the stack; those that it names no more come last. Fetches
    all, keeps nothing. Raises `NotFound`, `InputError`.
    """
    with safe_errors(ports.redact):
        location = locate(folder)
        stack, lock = read_stack(location.root, name), read_lock(location.root, name)
        context = context_of(ports, given, location, variables, at)
        found, missed = gathered(stack, context, forget=forgetting_of(ports, location), at=at)
        before = {one.name: one for one in lock.sources}
        rows = {one.entry.name: _change(one.entry.name, one.sha256, one.prints, before) for one in found}
        for one in missed:
            rows[one.entry.name] = Change(
                one.entry.name, "missing", said=redacted_name(one.error.message, ports.redact)
            )
        ordered = [rows[entry.name] for entry in stack.entries if entry.name in rows]
        return [*ordered, *(Change(one, "gone") for one in before if one not in rows)]


def _change(name: str, sha256: str, prints: Mapping[str, str], before: Mapping[str, Locked]) -> Change:
    old = before.get(name)
    if old is None:
        return Change(name, "new")
    if old.sha256 == sha256:
        return Change(name, "same")
    if not old.parts:
        return Change(name, "changed")
    return Change(
        name,
        "changed",
        tuple(part for part in prints if part not in old.parts),
        tuple(part for part, print_ in prints.items() if old.parts.get(part, print_) != print_),
        tuple(part for part in old.parts if part not in prints),
    )
