"""The memory of a project (in its own ledger) or of its user, and what of it a starting session is given."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal, NamedTuple

from clew.app.ports import Ports
from clew.app.project.location import PROJECT_FOLDER, ProjectLocation
from clew.app.project.opening import ProjectHandle, begin_session
from clew.app.project.redaction import safe_errors
from clew.app.project.session import ProjectSession
from clew.core.errors import InputError, NotFound
from clew.core.state.facts import Fact, facts, topic_name
from clew.core.state.ids import ulid
from clew.core.state.projection import find_ids
from clew.core.text.cleaning import clean, one_line
from clew.core.text.receipt import wrapped
from clew.core.text.tokens import estimate
from clew.workspace.atomic import private_folder

Scope = Literal["project", "user"]
FOLDER: Final = "memory"
_LEDGER: Final = "ledger.db"
_CANDIDATES_MAX: Final = 8


class OpenMemory(NamedTuple):
    """A memory that is open: `folder` is where its pages lie, `is_users` whether it is the user's own."""

    at: ProjectSession
    folder: Path
    is_users: bool

    def facts(self) -> tuple[Fact, ...]:
        """The facts that stand, by topic."""
        return facts(self.at.ledger.fold("").entities)


def user_folder(ports: Ports) -> Path:
    """Where the user's memory lies."""
    return ports.trust_store.parent / FOLDER


def project_folder(root: Path) -> Path:
    """Where the pages of a project's memory lie."""
    return root / PROJECT_FOLDER / FOLDER


@contextmanager
def open_memory(project: ProjectHandle, scope: Scope = "project", *, write: bool) -> Iterator[OpenMemory]:
    """The memory of the project that `folder` is in, or of the user, closed at the end.

    The user's is made when something is first to be kept. Raises as `open_project`, and `NotFound` where the user has
    none and nothing may be written.
    """
    if scope == "project":
        with project.open(write=write, spool=False) as at:
            yield OpenMemory(at, project_folder(at.location.root), False)
        return
    root = user_folder(project.ports)
    location = ProjectLocation(root, None, None, root / _LEDGER)
    if not location.has_ledger and not (write and not project.dry_run):
        raise NotFound(
            "you have no memory of your own yet", code="E-memory-none", hint='`clew learn --user "…"` creates one.'
        )
    with safe_errors(project.ports.redact):
        private_folder(root)
        found_project = "" if location.has_ledger else ulid(project.ports.now_ms(), project.ports.chance(10))
        ledger = project.ports.open_ledger(location.ledger, project=found_project, write=write and not project.dry_run)
        try:
            at = begin_session(project.ports, location, ledger, write=write)
            at.dry_run = project.dry_run
            yield OpenMemory(at, root, True)
        finally:
            ledger.close()


def find_fact(at: ProjectSession, wanted: str) -> Fact:
    """The fact whose id is `wanted`, or begins so. Raises `NotFound`, and `InputError` for the beginning of several."""
    asked = one_line(clean(wanted))
    every = {one.id: one for one in facts(at.ledger.fold("").entities)}
    found = find_ids(every, asked)
    if not found:
        raise NotFound(f"there is no fact {asked} in memory", code="E-no-fact", hint="`clew memory show` lists them.")
    if len(found) > 1:
        shown = at.ledger.shortest(found[:_CANDIDATES_MAX])
        raise InputError(
            f"{asked} is the beginning of {len(found)} ids",
            code="E-id-ambiguous",
            hint=f"Choose one of: {', '.join(shown.values())}",
        )
    return every[found[0]]


def checked_topic(text: str) -> str:
    """The name of a topic. Raises `InputError` for one that cannot be a file's."""
    name = topic_name(text)
    if not name:
        raise InputError(
            f"{one_line(clean(text)) or 'an empty name'} cannot be a topic",
            code="E-memory-topic",
            hint="Say a word or two in letters or digits, such as gotchas.",
        )
    return name


_INDEX_FILE: Final = "MEMORY.md"
_PAGE_BYTES_MAX: Final = 64 << 10
_USER_TOKENS: Final = 150
_TOKENS_MAX: Final = 400
# What the headings and the delimiters take.
_FRAME_TOKENS: Final = 40


def memory_block(ports: Ports, at: ProjectSession) -> str:
    """What a starting session is given of the memory: the user's in a few lines, the project's index; "" for none. At
    most so many tokens as an index may have, in a data block of its own.
    """
    own = _users_index(user_folder(ports))
    known = facts(at.ledger.fold("").entities)
    room = _TOKENS_MAX - estimate(own) - _FRAME_TOKENS
    mine = ""
    if known:
        from clew.app.memory.pages import index_page  # here: most projects keep none

        mine = index_page("", known, tokens_max=room, files=False)
    rows = [*_told(own, "## The user"), *_told(mine, "## This project")]
    if not rows:
        return ""
    return wrapped("\n".join(["# Memory", *rows]) + "\n")


def _told(index: str, title: str) -> list[str]:
    rows = [row for row in index.split("\n") if row.startswith("- ")]
    return [title, *rows] if rows else []


def _users_index(folder: Path) -> str:
    """The user's own index, as clew wrote it, in so many tokens as it may have here."""
    try:
        with (folder / _INDEX_FILE).open("rb") as file:
            text = file.read(_PAGE_BYTES_MAX).decode("utf-8", "replace")
    except OSError:
        return ""
    rows = [row for row in text.split("\n") if row.startswith("- ")]
    while rows and estimate("\n".join(rows)) > _USER_TOKENS:
        rows.pop()
    return "\n".join(rows)
