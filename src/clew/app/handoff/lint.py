"""A document linted where it lies: its repository's files, its last commit and today make the ground."""

import os
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from clew.app.intake.source import read_source
from clew.app.ports import Ports
from clew.app.results import JsonResult
from clew.core.errors import InputError, NotFound, Unavailable
from clew.core.text.tokens import estimate
from clew.documents.lint.page import RULES, Genre, LintFinding, LintGround, LintPage, page_of
from clew.documents.lint.paths import absent, cited
from clew.documents.lint.rules import lint
from clew.documents.parse import parse
from clew.documents.profiles import HANDOFF
from clew.workspace.disk import Disk, clean
from clew.workspace.git import Git
from clew.workspace.repository import resolved

STDIN = "-"


class Linted(NamedTuple):
    """One document. `file` is as it was given, `tokens` about what it costs. `notes` are sentences about what could not
    be judged, `error` says why all of it could not.
    """

    file: str
    genre: Genre
    tokens: int
    findings: tuple[LintFinding, ...]
    notes: tuple[str, ...] = ()
    error: InputError | None = None


class LintedDocuments(JsonResult, frozen=True):
    """What was found in documents, in the order in which they were named."""

    documents: tuple[Linted, ...]


def linted(
    ports: Ports,
    here: Path,
    names: Sequence[str],
    *,
    stdin: Path | None = None,
    budget_tokens: int = HANDOFF.budget_tokens,
    rules: Collection[str] = (),
    progress: Callable[[str], None] | None = None,
) -> list[Linted]:
    """The documents of those names, each by itself; "-" is what came by stdin and was put into the file `stdin`. Only
    findings of `rules`, all if none are named.

    Names are relative to `here` (absolute), where what came from stdin is taken to lie. Secrets in what is quoted are
    redacted. One that cannot be read stops no other: it has its `problem`. `progress` is told the name of each before
    it is read. Raises `NotFound` for a rule that there is not.
    """
    if unknown := [rule for rule in rules if rule not in RULES]:
        raise NotFound(f"there is no rule {unknown[0][:60]}", code="E-lint-rule", hint=f"Rules: {', '.join(RULES)}.")
    made = []
    for name in names:
        if progress is not None:
            progress(name)
        try:
            made.append(_linted(ports, here, name, stdin, budget_tokens, rules or RULES))
        except InputError as problem:
            made.append(Linted(name, "reference", 0, (), error=problem))
    return made


def _linted(
    ports: Ports, here: Path, name: str, stdin: Path | None, budget_tokens: int, rules: Collection[str]
) -> Linted:
    file = None if name == STDIN and stdin else here / name
    source = (read_source(file, name=name) if file else read_source(stdin or here, name="stdin")).text
    folder = resolved(file).parent if file else resolved(here)
    git = Git.at(folder, environment=ports.environment)
    name_here = file.name if file else ""
    top = resolved(git.repository.top) if git else folder
    path = (folder / name_here).relative_to(top).as_posix() if file else ""
    page = page_of(parse(source, name=name_here), source, path)
    ground, notes = _ground(ports, git, top, page, path or f"{folder.relative_to(top).as_posix()}/")
    found = lint(page, ground._replace(budget_tokens=budget_tokens))
    shown = [
        one._replace(text=ports.redact(one.text), message=ports.redact(one.message))
        for one in found
        if one.rule in rules
    ]
    return Linted(name, page.genre, estimate(source), tuple(shown), notes)


def _ground(ports: Ports, git: Git | None, top: Path, page: LintPage, place: str) -> tuple[LintGround, tuple[str, ...]]:
    """What is known around the document. Outside of a repository, and where git does not answer, no file is gone.

    `place` is the document's path; what comes from stdin lies in its folder, under no name that says anything.
    """
    today = datetime.fromtimestamp(ports.now_ms() / 1000, UTC).date().isoformat()
    if git is None:
        return LintGround(today=today), ()
    try:
        gone = _gone(git, top, cited(page), place.removeprefix("./"))
    except Unavailable as problem:
        return LintGround(today=today), (f"whether files are gone is not known: {problem.message}",)
    return LintGround(gone, today), ()


def _gone(git: Git, top: Path, named: Sequence[str], document: str) -> dict[str, str]:
    """Which of the files named in `document` are gone, also from among those that git ignores."""
    if not named:
        return {}
    disk = Disk(top)
    wanted = {path.rpartition("/")[2] for path in named}
    files = git.files()
    # Git lists tracked files that were deleted since, too; others than these names are of no interest.
    deleted = [path for path in files if path.rpartition("/")[2] in wanted and not _is_there(disk, path)]
    folder = document.rpartition("/")[0]
    return {
        path: now
        for path, now in absent(named, document, files, deleted).items()
        if not _is_there(disk, path) and not _is_there(disk, os.path.normpath(f"{folder}/{path}".lstrip("/")))
    }


def _is_there(disk: Disk, path: str) -> bool:
    """Whether something is at the path inside of the repository; what leads outside is not looked at."""
    relative = clean(path)
    place = disk.locate(relative) if relative else None
    return place is not None and os.path.lexists(place)
