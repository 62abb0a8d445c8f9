"""Stacks listed, built (fetched, packed, scanned, locked), compared with their lock, and given again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from clew.app.egress.guard import Exit, leaving
from clew.app.ports import Ports
from clew.app.project.location import ProjectLocation, locate
from clew.app.project.opening import ProjectHandle, open_project
from clew.app.project.reading import find_task
from clew.app.project.redaction import LedgerRedaction, redacted_name, safe_errors
from clew.app.project.session import Outcome
from clew.app.results import JsonResult
from clew.app.stack.counting import CachedCounter
from clew.app.stack.gather import Got, Missed, StackTools, context_of, gathered
from clew.app.stack.lock import VERSION, Lock, Locked, keep, read_lock, sha256_of, store_of, text_of, tidy, write_lock
from clew.app.stack.packing import Packed, PackedSection, Wanted, pack
from clew.app.stack.stack_file import Stack, read_stack, stack_names
from clew.app.tasks.lifecycle import check, done
from clew.core.errors import ClewError, InputError, NotFound
from clew.core.state.events import timestamp
from clew.core.text.cleaning import one_line, shorten
from clew.sources.port import SourcePart
from clew.workspace.symbols import outline

_ERROR_CHARS: Final = 300


class BuiltSource(JsonResult, frozen=True):
    """What of a source is in a stack's text (`PackedSection`), with the names of its parts."""

    name: str
    tokens: int
    whole_tokens: int
    trimmed: str
    is_in: bool
    parts: tuple[str, ...]


class MissingSource(JsonResult, frozen=True):
    """A source that could not be had: the code of the error, and what it says."""

    name: str
    code: str
    message: str


class StackBuild(JsonResult, frozen=True):
    """A stack's text ("" in a dry run), and what is in it; `personal` are kinds of personal data that were seen in it.
    `notes` are sentences for who asked.
    """

    stack: str
    title: str
    tokens: int
    budget: int
    counter: str
    engine: str
    sources: tuple[BuiltSource, ...]
    missing: tuple[MissingSource, ...]
    personal: tuple[str, ...]
    notes: tuple[str, ...]
    sha256: str
    dry_run: bool
    text: str


class StackReplay(JsonResult, frozen=True):
    """The text of a stack's last build."""

    stack: str
    built_at: str
    tokens: int
    counter: str
    sha256: str
    text: str
    notes: tuple[str, ...]


def build(
    project: ProjectHandle,
    given: StackTools,
    name: str,
    *,
    exit: Exit,
    budget: int = 0,
    most: int = 0,
    variables: Mapping[str, str] | None = None,
    allow: Collection[str] = (),
    why: str = "",
    at: Callable[[str], None] = lambda _: None,
) -> StackBuild:
    """The text of the stack `name` of the project that `folder` is in, for the way out `exit`. `budget` 0 is the
    stack's, or without one the setting's; `most` caps either (0 nothing does). `at` is told which source is worked on.

    A source that fails is left out and named. Nothing is kept of a text with a secret in it. Raises `NotFound`,
    `InputError`, `BudgetError` and `NotAllowed`; and `NotFound` (E-stack-empty) where no source gave anything.
    """
    with safe_errors(project.ports.redact):
        location = locate(project.folder)
        stack = read_stack(location.root, name)
        context = context_of(project.ports, given, location, variables or {}, at)
        found, missed = gathered(stack, context, forget=_forgetting(project.ports, location), at=at)
        missing = tuple(_missing(one, project.ports.redact) for one in missed)
        if not found:
            why_not = "; ".join(f"{one.name}: {one.message}" for one in missing) or "none is on"
            raise NotFound(
                f"no source of the stack {name} gave anything ({why_not})",
                code="E-stack-empty",
                hint=f"`clew stack add {name} KIND …` adds one.",
            )
        room = budget or stack.budget or project.ports.settings(location.root).number("stack.budget_tokens")
        room = min(room, most) if most else room
        at("counting")
        rows = [f"{one.name}: {one.message} [{one.code}]" for one in missing]
        packed = _packed(project.ports, given, stack, found, rows, room)
        at("looking for secrets")
        scanned = leaving(
            ProjectHandle(project.ports, location.root),
            _leaving(packed),
            exit=exit,
            allow=allow,
            why=why,
            hint="Take the value out at its source, or that source out of the stack",
        )
        sha256 = ""
        if not project.dry_run:
            sha256 = _keep(project.ports, location, stack, found, rows, packed, room, given.counter.name)
        return StackBuild(
            stack=name,
            title=stack.title,
            tokens=packed.tokens,
            budget=room,
            counter=given.counter.name,
            engine=scanned.engine,
            sources=tuple(
                BuiltSource.of(one, trimmed=one.told, parts=tuple(part.name for part in one.parts if part.name))
                for one in packed.sections
            ),
            missing=missing,
            personal=tuple(one.sort for one in scanned.warnings),
            notes=(*(f"{one.entry.name}: {note}" for one in found for note in one.fetched.notes), *scanned.notes),
            sha256=sha256,
            dry_run=project.dry_run,
            text=packed.text if sha256 else "",
        )


def replay(project: ProjectHandle, name: str, *, exit: Exit, allow: Collection[str] = (), why: str = "") -> StackReplay:
    """The text that a stack's lock was written for, to the byte. Raises as `read_lock`, `text_of`, `leaving`."""
    with safe_errors(project.ports.redact):
        location = locate(project.folder)
        lock = read_lock(location.root, name)
        text = text_of(store_of(project.ports, location), lock, name)
        hint = f"Build it again: `clew stack build {name}`"
        scanned = leaving(
            ProjectHandle(project.ports, location.root),
            [("the text", text)],
            exit=exit,
            allow=allow,
            why=why,
            hint=hint,
        )
        return StackReplay(name, lock.made_at, lock.tokens, lock.counter, lock.sha256, text, scanned.notes)


def _forgetting(ports: Ports, location: ProjectLocation) -> Callable[[str], str]:
    """What takes out of a text what people redacted by hand; what rules find is refused later, not replaced."""
    with open_project(ports, location.root, write=False) if location.has_ledger else nullcontext() as at:
        return LedgerRedaction(at.ledger, str) if at is not None else str


def _packed(
    ports: Ports, given: StackTools, stack: Stack, found: Sequence[Got], missing: Sequence[str], room: int
) -> Packed:
    """What was gathered as one text; raises as `pack` does."""
    wanted = [
        Wanted(one.entry.name, one.fetched, one.entry.spec.budget, one.entry.spec.priority, one.entry.spec.trim)
        for one in found
    ]
    return pack(stack.title, wanted, missing, room, CachedCounter(given.counter, ports.cache_folder), _outline)


def _missing(missed: Missed, redact: Callable[[str], str]) -> MissingSource:
    said = shorten(one_line(redacted_name(missed.error.message, redact)), _ERROR_CHARS)
    return MissingSource(missed.entry.name, missed.error.code, said)


def _outline(part: SourcePart) -> str | None:
    """The lines on which a file defines something, with their numbers; None where that is not known."""
    lines = outline(part.name, part.text.encode("utf-8", "replace"))
    if not lines:
        return None
    rows = part.text.split("\n")
    return "".join(f"{number}: {rows[number - 1]}\n" for number in lines)


def _leaving(packed: Packed) -> list[tuple[str, str]]:
    """What leaves, part by part, so that a finding is told where it stands."""
    frame = packed.title + "".join(section.head for section in packed.sections)
    parts = [
        (f"{section.name}: {part.name}" if part.name else section.name, part.text)
        for section in packed.sections
        for part in section.parts
    ]
    names = "\n".join(part.name for section in packed.sections for part in section.parts)
    return [("the frame of the stack", frame), ("names of files", names), *parts]


def _keep(
    ports: Ports,
    location: ProjectLocation,
    stack: Stack,
    found: Sequence[Got],
    missing: Sequence[str],
    packed: Packed,
    budget: int,
    counter: str,
) -> str:
    """Keep the text, and write the lock for it; the text's hash."""
    store = store_of(ports, location)
    inside = [section for section in packed.sections if section.is_in]
    lock = Lock(
        version=VERSION,
        made_at=timestamp(ports.now_ms()),
        title=stack.title,
        counter=counter,
        budget=budget,
        tokens=packed.tokens,
        sha256=sha256_of(packed.pieces),
        sources=tuple(map(_locked_source, found, packed.sections)),
        missing=tuple(missing),
        own=keep(store, (section.pieces() for section in inside if section.own)),
        pieces=keep(store, ([packed.title], *(section.pieces() for section in inside if not section.own))),
    )
    write_lock(location, stack.name, lock)
    tidy(store, location.root)
    return lock.sha256


def _locked_source(got: Got, section: PackedSection) -> Locked:
    return Locked(
        name=got.entry.name,
        kind=got.entry.spec.kind,
        provenance=one_line(got.fetched.provenance),
        sha256=got.sha256,
        tokens=section.tokens,
        whole_tokens=section.whole_tokens,
        told=section.told,
        is_in=section.is_in,
        parts={} if list(got.prints) == [""] else dict(got.prints),
    )


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
    missing = (f"{one.name}: {one.message} [{one.code}]" for one in found.missing)
    return StackText(found.text, found.tokens, found.counter, (*found.notes, *missing))


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


class StackList(JsonResult, frozen=True):
    """The stacks of a project, by name."""

    stacks: tuple[StackRow, ...]


class StackChanges(JsonResult, frozen=True):
    """How the sources of a stack differ from its lock."""

    stack: str
    sources: tuple[SourceChange, ...]


def list_stacks(folder: Path) -> StackList:
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
    return StackList(tuple(found))


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
) -> StackChanges:
    """How the sources differ from the lock, in the order of the stack; those that it names no more come last. Fetches
    all, keeps nothing. Raises `NotFound`, `InputError`.
    """
    with safe_errors(project.ports.redact):
        location = locate(project.folder)
        stack, lock = read_stack(location.root, name), read_lock(location.root, name)
        context = context_of(project.ports, given, location, variables, at)
        found, missed = gathered(stack, context, forget=_forgetting(project.ports, location), at=at)
        before = {one.name: one for one in lock.sources}
        rows = {one.entry.name: _change(one.entry.name, one.sha256, one.prints, before) for one in found}
        for one in missed:
            said = redacted_name(one.error.message, project.ports.redact)
            rows[one.entry.name] = SourceChange(one.entry.name, "missing", said=said)
        ordered = [rows[entry.name] for entry in stack.entries if entry.name in rows]
        gone = (SourceChange(one, "gone") for one in before if one not in rows)
        return StackChanges(name, (*ordered, *gone))


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
