"""Adopting: what lies around of earlier work, as files people and tools keep, offered for import and imported.

Looks only at usual places, follows no link, and takes nothing in before somebody said so. What came with a repository
is somebody else's word: only a person takes it in.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple

from clew.app.importing.documents import ImportedDocument, ImportedFiles, take_in
from clew.app.intake.find import found_in, project_at
from clew.app.intake.source import BYTES_MAX, SourceFile, is_bundle, read_source
from clew.app.ports import Ports
from clew.app.project.location import ProjectLocation, locate
from clew.app.project.opening import ProjectHandle, open_project
from clew.app.project.session import Outcome
from clew.app.tasks.lifecycle import task_new
from clew.core.errors import ClewError
from clew.core.text.cleaning import clean, one_line, shorten
from clew.documents.entry import Entry
from clew.documents.parse import parse
from clew.workspace.disk import Disk, names, read
from clew.workspace.git import Git
from clew.workspace.times import written_s

Sort = Literal["hand-off", "plan", "to-do list", "progress", "memory", "issues"]
FILES_MAX: Final = 100
_TITLE_CHARS: Final = 80
_FOLDER_FILES_MAX: Final = 40
_FOLDERS: Final = ("", "docs", ".claude", ".ai")
# By how a name ends, in lower case without "-" and "_": SESSION_HANDOFF.md, implementation-plan.md.
_STEMS: Final[tuple[tuple[str, Sort], ...]] = (
    ("handoff", "hand-off"),
    ("handover", "hand-off"),
    ("plan", "plan"),
    ("todo", "to-do list"),
    ("todos", "to-do list"),
    ("progress", "progress"),
    ("sessionlog", "progress"),
    ("sessionnotes", "progress"),
)
# Whole names, which as the end of others say nothing.
_NAMES: Final[Mapping[str, Sort]] = {
    "resume": "hand-off",
    "session": "hand-off",
    "tasks": "to-do list",
    "status": "progress",
    "state": "progress",
    "memory": "memory",
}
_ENDINGS: Final = (".md", ".txt")
# Folder, what its files end in, whether folders in it count, what they are.
_PLACES: Final[tuple[tuple[str, str, bool, Sort], ...]] = (
    ("memory", ".md", True, "memory"),
    ("memory-bank", ".md", True, "memory"),
    (".claude/memory", ".md", True, "memory"),
    (".claude/handoffs", ".md", False, "hand-off"),
    (".claude/plans", ".md", False, "plan"),
    ("handoffs", ".md", False, "hand-off"),
    ("plans", ".md", False, "plan"),
    (".planning", ".md", True, "plan"),
    ("specs", "/tasks.md", True, "plan"),
    ("backlog/tasks", ".md", False, "issues"),
    (".beads", "issues.jsonl", False, "issues"),
)


class AdoptionOffer(NamedTuple):
    """A file that could be imported. `name` is as it is found from the project's root, else absolute.

    `brought`: it came with the repository, or nobody can tell (outside git). `reading`: what an import would do,
    None where it cannot be (`problem` says why, a clause) or no ledger is there yet.
    """

    sort: Sort
    path: Path
    name: str
    size: int
    brought: bool
    reading: ImportedDocument | None = None
    problem: str = ""

    @property
    def new(self) -> Mapping[str, int]:
        """How many new items of each kind it would bring."""
        placed = self.reading.entries if self.reading else ()
        return Counter(one.kind for one in placed if one.did == "new")

    @property
    def brings(self) -> bool:
        """Whether an import would record anything; true where that is not known."""
        if self.problem:
            return False
        return self.reading is None or any(one.did in ("new", "changed") for one in self.reading.entries)


class Offers(NamedTuple):
    """What was found, the oldest first. `more`: there is more than is offered at a time."""

    found: tuple[AdoptionOffer, ...]
    more: bool


class Adopted(NamedTuple):
    """What was imported, and what was left to a person because it came with the repository. `opened`: the task that was
    opened for it, None where one is bound here already.
    """

    taken: ImportedFiles | None
    left: tuple[AdoptionOffer, ...]
    opened: Outcome | None = None


def offers(project: ProjectHandle) -> Offers:
    """What could be taken in at usual places of the project that `folder` (absolute) is in. Records nothing."""
    location = locate(project.folder)
    found = list(dict(_candidates(project.ports, location)).items())
    kept = found[:FILES_MAX]
    tracked = _tracked(project.ports, location, [path for path, _ in kept])
    made = [_offer(project.ports, location, path, sort, tracked) for path, sort in kept]
    ordered = sorted((one for one in made if one is not None), key=lambda one: (written_s(one.path), one.name))
    return Offers(tuple(ordered), len(found) > len(kept))


def adopt(project: ProjectHandle, wanted: Sequence[AdoptionOffer]) -> Adopted:
    """Take in what of `wanted` brings anything, the newest file last: its word on the next action then counts.

    Where no task is bound here one is opened for it: what belongs to no task no session is given. What came with the
    repository is left out unless a person asks. Raises as `importing.take_in`.
    """
    mine = _mine(project.ports, wanted)
    left = tuple(one for one in wanted if one.brings and one not in mine)
    root = locate(project.folder).root
    sources = [read_source(one.path, root=root) for one in mine]
    if not sources:
        return Adopted(None, left)
    title = title_for(project, wanted)
    opened = task_new(project, title) if title else None
    task = opened.task.id if opened and opened.task else None
    return Adopted(take_in(project, sources, task=task), left, opened)


def title_for(project: ProjectHandle, wanted: Sequence[AdoptionOffer]) -> str:
    """The title of the task that `adopt` opens for `wanted`: the goal that the newest file tells, else the folder's
    name. "" where it opens none: a task is bound here, or nothing would be imported. Raises `InputError`.
    """
    mine = _mine(project.ports, wanted)
    location = locate(project.folder)
    called: set[str] = set()
    if location.has_ledger:
        with project.open(write=False) as at:
            if at.chosen is not None or at.task():
                return ""
            called = {task.title.casefold() for task in at.tasks() if task.status == "open"}
    sources = [read_source(one.path, root=location.root) for one in mine]
    told = [entry.text for one in reversed(sources) for entry in _goals(project.ports, one)]
    name = (
        shorten(told[0].rstrip("."), _TITLE_CHARS)
        if told
        else project.ports.redact(one_line(clean(location.root.name)))
    )
    tries = [name, *(f"{name} ({number})" for number in range(2, len(called) + 3))]
    return next(one for one in tries if one.casefold() not in called) if mine else ""


def _mine(ports: Ports, wanted: Sequence[AdoptionOffer]) -> list[AdoptionOffer]:
    """What of `wanted` brings anything, and who speaks may take in."""
    is_person = ports.channel().provenance == "human"
    return [one for one in wanted if one.brings and (is_person or not one.brought)]


def _goals(ports: Ports, source: SourceFile) -> Iterator[Entry]:
    for entry in parse(ports.redact(clean(source.text)), name=source.name).entries:
        text = one_line(entry.text)
        if entry.kind == "goal" and text:
            yield entry._replace(text=text)


def _candidates(ports: Ports, location: ProjectLocation) -> Iterator[tuple[Path, Sort]]:
    disk = Disk(location.root)
    for folder in _FOLDERS:
        for ending in _ENDINGS:
            for name in names(disk, folder, ending=ending, deep=False, limit=500):
                sort = _sort(name.rpartition("/")[2].removesuffix(ending))
                if sort:
                    yield disk.root / name.lstrip("/"), sort
    for folder, ending, deep, kind in _PLACES:
        for name in names(disk, folder, ending=ending.lstrip("/"), deep=deep, limit=_FOLDER_FILES_MAX):
            if name.endswith(ending):
                yield disk.root / name, kind
    for folder_path in _own_memory(ports, location):
        own = Disk(folder_path)
        for name in names(own, "memory", ending=".md", deep=False, limit=_FOLDER_FILES_MAX):
            yield own.root / name, "memory"


def _sort(stem: str) -> Sort | None:
    plain = stem.lower().replace("-", "").replace("_", "")
    return _NAMES.get(plain) or next((sort for ending, sort in _STEMS if plain.endswith(ending)), None)


def _own_memory(ports: Ports, location: ProjectLocation) -> Iterable[Path]:
    """Folders in which the client keeps sessions that ran here: some clients keep notes of the project beside them."""
    if not location.has_ledger:
        return ()
    try:
        with open_project(ports, location.root, write=False) as at:
            known = at.ledger.taken()
    except ClewError:
        return ()
    files = found_in(ports.locators, project_at(location.root))
    return dict.fromkeys(file.path.parent for file in files if file.session in known)


def _tracked(ports: Ports, location: ProjectLocation, paths: Sequence[Path]) -> frozenset[Path]:
    """Which of `paths` came with the repository; outside git all of those in it."""
    inside = [path for path in paths if path.is_relative_to(location.root)]
    git = Git.at(location.root, environment=ports.environment)
    if git is None:
        return frozenset(inside)
    by_name = {path.relative_to(location.root).as_posix(): path for path in inside}
    try:
        return frozenset(by_name[name] for name in git.tracked(list(by_name)) if name in by_name)
    except ClewError:  # no commit yet, or no git to ask: nobody can tell
        return frozenset(inside) if location.head is None or location.head.commit else frozenset()


def _offer(
    ports: Ports, location: ProjectLocation, path: Path, sort: Sort, tracked: frozenset[Path]
) -> AdoptionOffer | None:
    looked = read(Disk(path.parent), path.name, limit_bytes=BYTES_MAX)
    if looked.data is None and not looked.problem:
        return None
    name = path.relative_to(location.root).as_posix() if path.is_relative_to(location.root) else str(path)
    made = AdoptionOffer(sort, path, name, len(looked.data or b""), path in tracked, problem=looked.problem)
    if looked.problem or not made.size or is_bundle(path):
        return made if looked.problem else None
    try:
        source: SourceFile = read_source(path, root=location.root)
        if location.has_ledger:
            [reading] = take_in(ProjectHandle(ports, location.root, dry_run=True), [source]).documents
            return made._replace(reading=reading)
    except ClewError as error:
        return made._replace(problem=error.message)
    return made
