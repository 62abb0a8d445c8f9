"""Fetching what a stack names: each source gets what it needs of the project, and one that fails is told."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from clew.app.memory.store import Scope
from clew.app.ports import Ports
from clew.app.project.location import PROJECT_FOLDER, ProjectLocation
from clew.app.project.opening import ProjectHandle
from clew.app.project.trust import command_content, project_at, trusted
from clew.app.stack.stack_file import SourceEntry, Stack
from clew.core.errors import ClewError
from clew.core.text.receipt import opening
from clew.documents.stack import content
from clew.remotes.port import ConnectDiscussions
from clew.sources.port import Fetched, SourceContext
from clew.sources.registry import source
from clew.workspace.git import Git

if TYPE_CHECKING:
    from clew.core.text.tokens import TokenCounter

SNIPPETS: Final = "snippets"
_HASH_CHARS: Final = 16


@dataclass(frozen=True, slots=True)
class StackTools:
    """What stacks need of this machine beside the ports: how tokens are counted, where the user's snippets lie, and how
    issues are read from a project's top.
    """

    counter: TokenCounter
    snippets: Path
    discussions: Callable[[Path], ConnectDiscussions] | None = None


@dataclass(frozen=True, slots=True)
class Got:
    """A source that was fetched; its texts are as they may stand in a document. `sha256` stands for what it gave,
    `prints` for its parts by name (a part of a hash each).
    """

    entry: SourceEntry
    fetched: Fetched
    sha256: str
    prints: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Missed:
    """A source that could not be had, and why."""

    entry: SourceEntry
    error: ClewError


def gathered(
    stack: Stack, context: SourceContext, *, forget: Callable[[str], str], at: Callable[[str], None]
) -> tuple[list[Got], list[Missed]]:
    """What the stack's sources give, in their order; those that are off are passed over. `forget` takes out what people
    redacted by hand; `at` is told what is worked on.
    """
    found, missed = [], []
    for entry in stack.entries:
        if entry.spec.off:
            continue
        at(entry.name)
        try:
            found.append(_got(entry, source(entry.spec.kind).fetch(entry.spec, context, entry.table), forget))
        except ClewError as error:
            missed.append(Missed(entry, error))
    return found, missed


def _got(entry: SourceEntry, fetched: Fetched, forget: Callable[[str], str]) -> Got:
    parts = tuple(replace(part, text=content(forget(part.text))) for part in fetched.parts)
    prints = {part.name: hashlib.sha256(part.text.encode("utf-8", "replace")).hexdigest() for part in parts}
    whole = hashlib.sha256("".join(f"{name}\0{print_}\0" for name, print_ in prints.items()).encode()).hexdigest()
    short = {name: print_[:_HASH_CHARS] for name, print_ in prints.items()}
    return Got(entry, replace(fetched, parts=parts), whole, short)


def context_of(
    ports: Ports, given: StackTools, location: ProjectLocation, variables: Mapping[str, str], at: Callable[[str], None]
) -> SourceContext:
    """What the sources of a stack in this project are given."""
    root = location.root
    project = project_at(root)

    def memory(topic: str, scope: str) -> str:
        from clew.app.memory.use import show  # here and below: as dear to load as all else, and few stacks ask

        return show(ProjectHandle(ports, root), cast("Scope", scope), topic).text

    def payload(budget: int) -> str:
        from clew.app.resume.payload import resume

        text = resume(ProjectHandle(ports, root), budget_tokens=budget or None, part=True).document.text
        return _inside(text)

    def is_trusted(table: Mapping[str, Any]) -> bool:
        return trusted(ports.trust_store, project, "stack", command_content(table))

    found = SourceContext(
        root=root,
        git=Git.at(root, environment=ports.environment),
        environment=ports.environment,
        snippets=(given.snippets, root / PROJECT_FOLDER / SNIPPETS),
        own_snippets=given.snippets,
        variables=variables,
        memory=memory,
        payload=payload,
        trusted=is_trusted,
        at=at,
    )
    return replace(found, discussions=given.discussions(root)) if given.discussions is not None else found


def _inside(document: str) -> str:
    """A document without its delimiters: the stack has its own."""
    first, _, rest = document.partition("\n")
    return rest.rpartition("</")[0] if first.startswith(opening("")[:-1]) else document
