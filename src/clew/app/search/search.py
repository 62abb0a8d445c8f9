"""Searching: the index is brought up to date for what is asked about, then asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final

from clew.app.intake.find import found_in, project_at, project_of
from clew.app.ports import Ports
from clew.app.project import PROJECT_FOLDER, locate, open_project, redactor_at
from clew.app.project.cache_database import drop, with_cache
from clew.app.project.output_redaction import safe_errors
from clew.app.search.index import Filters, Hit, SearchIndex
from clew.app.search.indexing import SearchUpdate, gather_documents, gather_ledger, gather_sessions
from clew.clients.port import Transcript
from clew.core.errors import InputError
from clew.core.text.cleaning import clean, one_line

INDEX_NAME: Final = "search.db"
LIMIT: Final = 10
# Documents that people and agents keep beside the work; those of `.clew` are found anyhow.
_DOCUMENTS: Final = ("HANDOFF.md", "PLAN.md", "NOTES.md", "DECISIONS.md")


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found, the best first. `looked`: what was put into the index for it. `scope` is the project's top
    folder, "" all projects. `notes` are sentences for the person.
    """

    question: str
    hits: tuple[Hit, ...]
    scope: str
    looked: SearchUpdate
    notes: tuple[str, ...] = ()


def search(
    ports: Ports,
    question: str,
    *,
    folder: Path,
    filters: Filters,
    everywhere: bool = False,
    limit: int = LIMIT,
    tell: Callable[[int, int], None] = lambda _done, _all: None,
) -> Found:
    """What holds the words of `question`: sessions, items and documents of the project that `folder` (absolute) is in,
    or of all projects.

    What clients, the ledger and documents have beyond the index is put into it first; `tell` hears how many session
    files of how many were looked at. Raises `InputError` for a question without a word and for a client that is not
    known, `Unavailable` where the index cannot be kept.
    """
    if not any(map(str.isalnum, question)):
        raise InputError("there is no word to search for", code="E-search-empty", hint="Say one: `clew search WORDS`.")
    ports.readers.require(filters.client)
    with safe_errors(ports.redact):

        def asked(index: SearchIndex) -> tuple[SearchUpdate, tuple[str, ...], list[Hit]]:
            looked, scope = _gathered(ports, index, folder, everywhere, tell)
            return looked, scope, index.search(question, replace(filters, projects=scope), limit=limit)

        path = ports.cache_folder / INDEX_NAME
        (looked, scope, hits), said = with_cache(path, SearchIndex, asked, code="E-search-index")
        notes = [
            *said,
            *(f"{one_line(clean(str(path)))} cannot be read, so it was not searched." for path in looked.unread[:3]),
        ]
        return Found(question, tuple(hits), scope[0] if scope else "", looked, tuple(notes))


def forget(ports: Ports) -> bool:
    """Remove the index, whether there was one: after something was redacted it is made anew, without that."""
    return drop(ports.cache_folder / INDEX_NAME)


def _gathered(
    ports: Ports, index: SearchIndex, folder: Path, everywhere: bool, tell: Callable[[int, int], None]
) -> tuple[SearchUpdate, tuple[str, ...]]:
    """Bring the index up to date; what was done, and the folders that are searched (() all)."""
    location = locate(folder)
    project = project_at(folder)
    files: list[Transcript]
    if everywhere:
        files = list({item.path: item for one in ports.locators for item in one.sessions_of(Path("/"))}.values())
    else:
        files = list(found_in(ports.locators, project))

    @cache
    def of_project(top: str) -> Callable[[str], str]:
        return redactor_at(ports, Path(top))

    def redactor(folder: str) -> Callable[[str], str]:
        return of_project(project_of(folder)) if folder else ports.redact

    looked = gather_sessions(
        ports, index, sorted(files, key=lambda item: item.path), redactor=redactor, tell=lambda n: tell(n, len(files))
    )
    items = 0
    if location.has_ledger:
        with open_project(ports, folder, write=False) as at:
            items = gather_ledger(at, index)
    items += gather_documents(index, location.root, _documents(location.root), redactor(str(location.root)))
    looked = replace(looked, passages=looked.passages + items)
    return looked, () if everywhere else tuple(map(str, project.names))


def _documents(root: Path) -> Iterator[Path]:
    """The documents of a project. A link came with the repository, and may lead to anything of the user's."""
    kept = root / PROJECT_FOLDER
    found = [root / name for name in _DOCUMENTS]
    found += sorted(kept.rglob("*.md")) if kept.is_dir() and not kept.is_symlink() else []
    yield from (path for path in found if path.is_file() and not path.is_symlink())
