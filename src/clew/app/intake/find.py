"""Which session to resume: the one that was named, or the newest of this project; and why there is none."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from clew.app.ports import Ports
from clew.app.project.opening import ProjectHandle
from clew.clients.places import facts
from clew.clients.port import Locator, Reader, Transcript, UsageLocator
from clew.clients.registry import Readers, specs
from clew.core.errors import InputError, NotFound
from clew.core.records.transcript import Context, Prompt
from clew.sessions.log import SessionLog
from clew.workspace.repository import Repository, find, may_have_been, resolved, top_of, was_work_tree, work_trees

# How far into a session to look for its folder and its first prompt.
_LOOKED_AT_BYTES = 4 << 20
_CANDIDATES_MAX = 8


def reader_for(path: Path, readers: Readers) -> Reader:
    """The reader of a session file, by its content. Raises `NotFound` or `InputError` when it is none."""
    try:
        if path.is_dir():
            raise InputError(
                f"{path} is a folder", code="E-transcript-unreadable", hint="Name one session file (.jsonl)."
            )
        found = facts(path)
        if not stat.S_ISREG(found.st_mode):
            raise InputError(
                f"{path} is not a regular file", code="E-transcript-unreadable", hint="Save it to a file and name that."
            )
        if found.st_size == 0:
            raise InputError(f"{path} is empty", code="E-transcript-empty", hint="Name another session file.")
        reader = readers.of(path)
    except FileNotFoundError:
        raise NotFound(
            f"there is no file {path}" + (" and no session whose id begins so" if _may_be_id(path) else ""),
            code="E-transcript-missing",
            hint="Check it: `clew sessions` lists the ids of this project.",
        ) from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise unreadable(path, error) from error
    if reader is None:
        raise InputError(
            f"{path} is not a session file that clew can read",
            code="E-transcript-unknown",
            hint=f"It reads sessions of {', '.join(spec.title for spec in specs())}, lists of messages.",
        )
    return reader


def pick_session(
    project: ProjectHandle, wanted: str | Path, *, agents: bool = False, excluded: str = "", asking: str = ""
) -> tuple[Path, Reader]:
    """The file of the session that `wanted` names (see `named`), for "" of the one with the id `asking` if it has a
    file yet, else of the newest of the project that `folder` is in but the one with the id `excluded`; and its reader.
    Raises `NotFound` and `InputError`.
    """
    if not wanted and asking and named(Path(asking), project.ports.locators, agents=agents) != Path(asking):
        wanted = asking
    if wanted:
        path = named(Path(wanted), project.ports.locators, agents=agents)
        return path, reader_for(path, project.ports.readers)
    found_project = project_at(project.folder)
    for item, reader in newest(project.ports.locators, project.ports.readers, found_project, excluded=excluded):
        return item.path, reader
    raise no_session(project.ports, found_project)


def unreadable(path: Path, error: Exception) -> InputError:
    """The error for a session file that cannot be read."""
    why = getattr(error, "strerror", None) or error
    hint = "Check its permissions." if isinstance(error, PermissionError) else "Fix what it says, or name another file."
    return InputError(f"{path} cannot be read: {why}", code="E-transcript-unreadable", hint=hint)


def named(given: Path, locators: Iterable[Locator], *, agents: bool = False) -> Path:
    """The session file that `given` names: itself, or the file of the one session whose id is so or begins so; with
    `agents` also of one that is told of only where tokens are counted: a sub-agent's.

    A file wins over an id. What names neither is given back as it is. Raises `InputError` if it begins several ids.
    """
    if not _may_be_id(given) or os.path.lexists(given):
        return given
    wanted = str(given).lower()
    everywhere = Path(os.sep).absolute()
    several = list(locators)
    all_sessions = (item for locator in several for item in locator.sessions_of(everywhere))
    found = [item for item in all_sessions if item.session.lower().startswith(wanted)]
    if agents and not found:
        counted = (item for locator in several if isinstance(locator, UsageLocator) for item in locator.usage_files())
        found = [item for item in counted if item.session.lower().startswith(wanted)]
    session = session_named(str(given), sorted({item.session for item in found}))
    found = [item for item in found if item.session == session]
    # A session that was copied with its folder has two files: the one that was written last is meant.
    return max(found, key=lambda item: (item.modified_ns, str(item.path))).path if found else given


def session_named(wanted: str, sessions: Iterable[str]) -> str:
    """The one of `sessions` (ids) that `wanted` is or begins, in any case; "" for none. Raises `InputError` if it
    begins several.
    """
    asked = wanted.lower()
    found = [session for session in sessions if session.lower().startswith(asked)]
    found = [session for session in found if session.lower() == asked] or found
    if len(found) > 1:
        raise InputError(
            f"{wanted} is the beginning of {len(found)} sessions' ids",
            code="E-session-ambiguous",
            hint=f"Choose one of: {', '.join(found[:_CANDIDATES_MAX])}",
        )
    return found[0] if found else ""


def _may_be_id(given: Path) -> bool:
    """Whether it could be the beginning of a session's id: no folder, no suffix."""
    name = str(given)
    return name.isascii() and name.replace("-", "").replace("_", "").isalnum()


class ProjectFolders(NamedTuple):
    """Where sessions of one project run: at or below `folders`, resolved, the one that was asked about first.

    `names` are those folders and other names of theirs (links). `repository` is None outside git.
    """

    folders: tuple[Path, ...]
    names: tuple[Path, ...]
    repository: Repository | None


@cache
def project_of(folder: str) -> str:
    """The top folder, resolved, of the project that a session in `folder` worked on."""
    return str(resolved(Path(top_of(folder))))


def project_at(folder: Path, *, former: Iterable[Path] = ()) -> ProjectFolders:
    """The project that `folder` (absolute) is in: its repository with all work trees, else the folder itself. `former`
    are said to have been work trees of it: those that are gone, and stood where work trees do, count.
    """
    repository = find(folder)
    trees = work_trees(repository) if repository else [folder]
    gone = [place for place in former if repository and may_have_been(repository, place)]
    folders = dict.fromkeys(map(resolved, [*trees, *gone]))
    top = next(iter(folders))
    linked = [name for name in (folder, *folder.parents) if resolved(name) == top]
    names = dict.fromkeys([*folders, *trees, *linked])
    return ProjectFolders(tuple(folders), tuple(names), repository)


def newest(
    locators: Iterable[Locator], readers: Readers, project: ProjectFolders, *, excluded: str
) -> Iterator[tuple[Transcript, Reader]]:
    """Sessions of runs in `project` that hold a prompt, newest first.

    `excluded` is the id of the session that asks, if one does. Only what is taken from the iterator is opened.
    """
    for item in sorted(found_in(locators, project), key=lambda item: (-item.modified_ns, str(item.path))):
        if item.session == excluded or not item.size:
            continue
        reader = reader_at(item.path, readers, client=item.client)
        if reader is not None and ran_in(project, item.path, reader):
            yield item, reader


def found_in(locators: Iterable[Locator], project: ProjectFolders) -> Iterable[Transcript]:
    """Session files that may be the project's, each once, in no order, unopened."""
    found = {item.path: item for locator in locators for name in project.names for item in locator.sessions_of(name)}
    return found.values()


def unread(locators: Iterable[Locator]) -> list[str]:
    """Why sessions of clients that were looked for could not be looked through, each a clause."""
    return [locator.problem for locator in locators if locator.problem]


def reader_at(path: Path, readers: Readers, *, client: str = "") -> Reader | None:
    """The reader of a session file, by its content, `client`'s asked first; None if it is none or cannot be read."""
    try:
        return readers.of(path, client=client)
    except OSError:
        return None


def ran_in(project: ProjectFolders, path: Path, reader: Reader) -> bool:
    """Whether the session ran in the project and holds a prompt. Folder names of clients are lossy."""
    prompted = False
    cwd = branch = ""
    try:
        for record in SessionLog(path, reader, until_bytes=_LOOKED_AT_BYTES):
            if isinstance(record, Context) and record.cwd and not cwd:
                cwd, branch = record.cwd, record.branch
            prompted = prompted or (isinstance(record, Prompt) and not record.agent)
            if cwd and prompted:
                return holds(project, cwd, branch)
    except OSError:
        pass
    return False


def holds(project: ProjectFolders, cwd: str, branch: str) -> bool:
    """Whether the folder `cwd` of a session on `branch` is the project's. A repository of its own inside of it is
    another project; a folder that is gone may have been a work tree beside it.
    """
    place = resolved(Path(cwd))
    if not Path(cwd).is_absolute():
        return False
    if not any(place.is_relative_to(folder) for folder in project.folders):
        return project.repository is not None and was_work_tree(project.repository, place, branch)
    repository = find(place) if place.is_dir() else None
    known = project.repository.common_dir if project.repository else None
    return repository is None or repository.common_dir == known


_NAME_ONE = "name a session file or a session's id (`--from` or `--session`, whichever the command has)"
_MISSING = "does not exist"
_SHOWN_CHARS = 8
_FOLDERS_SHOWN = 2


def _elsewhere() -> str:
    """What to do where a client keeps its sessions in another place, sentences."""
    titles, variables = [spec.title for spec in specs()], sorted({name for spec in specs() for name in spec.variables})
    return (
        f"Sessions of {', '.join(titles[:-1])} and {titles[-1]} are looked for. If one keeps them elsewhere, set the "
        f"variable that moves it ({', '.join(variables)}) as it is set for the client, or {_NAME_ONE}."
    )


def no_session(ports: Ports, project: ProjectFolders, *, kept: bool = False) -> NotFound:
    """The error that tells apart: nothing of any client, what cannot be read, only the asking session, nothing here.

    `kept`: the project keeps a ledger, in which nothing stands either.
    """
    place, folders = project.folders[0], ports.session_folders()
    reasons = [(folder, _obstacle(folder)) for folder in folders]
    there = [folder for folder, why in reasons if not why]
    obstacles = [f"{folder} {why}" for folder, why in reasons if why and why != _MISSING]
    closed = "; ".join([*obstacles, *unread(ports.locators)])
    if kept and not closed and not ports.asking_session:
        return _error(
            f"nothing is known of {place} yet: no session ran there, and nothing was noted",
            'Work with an agent there, or begin by hand: `clew note goal "…"`.',
        )
    if not there:
        none = f"there is none of {_some(folders)}"
        return _error(f"no session of {place} can be found: {closed or none}", _elsewhere())
    where = _some(there) + (f"; {closed}" if closed else "")
    asking = ports.asking_session
    if asking and any(item.session == asking for item in found_in(ports.locators, project)):
        return _error(
            f"the only session recorded in {place} is the one that asks ({asking[:_SHOWN_CHARS]}; looked in {where})",
            f"Run clew outside it, or name it: --from {asking[:_SHOWN_CHARS]}",
        )
    return _error(
        f"no session was recorded in {place} (looked in {where})",
        f"Run clew in the folder where the agent worked, or {_NAME_ONE}.",
    )


def _some(folders: Sequence[Path]) -> str:
    """The first folders by name: each work tree has one for each client."""
    more = len(folders) - _FOLDERS_SHOWN
    return ", ".join(map(str, folders[:_FOLDERS_SHOWN])) + (f" and {more} more" if more > 0 else "")


def _error(message: str, hint: str) -> NotFound:
    return NotFound(message, code="E-no-session", hint=hint)


def _obstacle(folder: Path) -> str:
    """What keeps `folder` from being looked through, "" if nothing does."""
    try:
        with os.scandir(folder):
            return ""
    except FileNotFoundError:
        return _MISSING
    except (OSError, ValueError) as error:
        return f"cannot be read ({getattr(error, 'strerror', None) or error})"


_BLOCK_BYTES = 1 << 20


def line_number(path: Path, at: int, readers: Readers) -> int:
    """The number (from 1) of the line that begins at byte `at` of the session at `path`, 0 if it cannot be read."""
    count = 1
    left = at
    try:
        reader = readers.of(path)
        if reader is None:
            return 0
        with reader.open(path) as file:
            while left > 0 and (block := file.read(min(left, _BLOCK_BYTES))):
                count += block.count(b"\n")
                left -= len(block)
    except OSError:
        return 0
    return count
