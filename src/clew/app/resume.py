"""The main job: from the last session's record and the disk as it is to the text that lets the next session go on."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from clew.app.capture import Captured, capture
from clew.app.evidence import seen_files
from clew.app.find import newest, project_at, reader_for
from clew.app.told import redacted_drift, redacted_name
from clew.clients.port import Locator, Reader
from clew.core.drift import Verdict, verdict
from clew.core.errors import InputError, NotFound, Unavailable
from clew.core.files import Drift, Seen
from clew.core.items import State
from clew.core.text import one_line
from clew.documents.profile import PROFILES
from clew.documents.render import Document, View, render
from clew.secrets.scanner import PLACEHOLDER_OPEN
from clew.workspace.drift import drift
from clew.workspace.git import Git
from clew.workspace.repository import find
from clew.workspace.times import nanoseconds

_FILES_MAX = 40
_SESSIONS_TRIED_MAX = 5


class Ports(NamedTuple):
    """What the wiring picks: clients to read from, how to redact, and the session that asks ("" none)."""

    readers: tuple[Reader, ...]
    locators: tuple[Locator, ...]
    redact: Callable[[str], str]
    asking_session: str


class Resumption(NamedTuple):
    """The payload and what it was made from. `notes` are sentences for the person who asked, not for the agent."""

    document: Document
    state: State
    drift: Drift | None
    verdict: Verdict | None
    transcript: Path
    captured: Captured
    notes: tuple[str, ...]


def resume(
    ports: Ports,
    *,
    folder: Path,
    transcript: Path | None = None,
    budget_tokens: int | None = None,
    profile: str = "rehydrate",
) -> Resumption:
    """The payload for the next session in `folder`. Writes nothing.

    `transcript` is the session file to go on from; without it the newest session of the project that `folder` is in.
    Raises `NotFound`, `InputError` or `BudgetError`.
    """
    shape = PROFILES.get(profile)
    if shape is None:
        raise InputError(
            f"there is no profile {profile}", code="E-profile-unknown", hint=f"Known profiles: {', '.join(PROFILES)}."
        )
    path, captured = captured_session(ports, folder, transcript)
    notes = _notes(captured)
    origin = captured.state.origin
    state = captured.state._replace(origin=origin._replace(cwd=redacted_name(origin.cwd, ports.redact)))
    root = _root(folder, captured)
    found: Drift | None = None
    judged: Verdict | None = None
    if root is None:
        notes.append(f"The session's folder {one_line(state.origin.cwd)} is not here: files were not compared.")
    else:
        reader = reader_for(path, ports.readers)
        try:
            git = Git.at(root)
            found = redacted_drift(_drift(path, reader, captured, root, git), ports.redact)
            if git is not None and git.problem is not None:
                notes.append(f"What git knows is missing: {git.problem.message} [{git.problem.code}]")
            judged = verdict(found)
        except Unavailable as problem:
            notes.append(f"Files were not compared: {problem.message} {problem.hint}".rstrip())
    budget = shape.budget_tokens if budget_tokens is None else budget_tokens
    document = render(View(state, found, judged), shape, budget)
    return Resumption(document, state, found, judged, path, captured, tuple(notes))


def captured_session(ports: Ports, folder: Path, transcript: Path | None) -> tuple[Path, Captured]:
    """The session to go on from: the given one, else the newest of the project that holds anything.

    Raises `NotFound` or `InputError`.
    """
    if transcript is not None:
        reader = reader_for(transcript, ports.readers)
        captured = _read(ports, transcript, reader)
        if not captured.state.items:
            raise InputError(
                f"{transcript} holds no prompt and no reply",
                code="E-session-empty",
                hint=f"{captured.records} records and {len(captured.unreadable)} unreadable lines were read; "
                "name another session file.",
            )
        return transcript, captured
    project = project_at(folder)
    for tried, (item, reader) in enumerate(
        newest(ports.locators, ports.readers, project, excluded=ports.asking_session)
    ):
        captured = _read(ports, item.path, reader)
        if captured.state.items:
            return item.path, captured
        if tried + 1 >= _SESSIONS_TRIED_MAX:
            break
    raise NotFound(
        f"no session of a known client was recorded in {project.folders[0]}",
        code="E-no-session",
        hint="Run clew in the folder where the agent worked, or name a session file: clew resume --from FILE",
    )


def _read(ports: Ports, path: Path, reader: Reader) -> Captured:
    try:
        return capture(path, reader, root_of=_top, redact=ports.redact)
    except OSError as error:
        raise InputError(
            f"{path} cannot be read: {error.strerror or error}",
            code="E-transcript-unreadable",
            hint="Check its permissions.",
        ) from error


def _top(cwd: str) -> str:
    """The top of the repository that a session's folder is in, or the folder itself."""
    repository = find(Path(cwd)) if Path(cwd).is_absolute() else None
    return str(repository.top) if repository else cwd


def _root(folder: Path, captured: Captured) -> Path | None:
    """The folder to compare with: the work tree that we are in, if it is the session's project, else the session's own.

    A session file brought here from another machine names a folder that does not exist; then the work tree at hand
    counts as the same project when it holds at least half of the files that the session worked on.
    """
    here = find(folder)
    cwd = Path(captured.state.origin.cwd) if captured.state.origin.cwd else None
    if cwd is not None and _is(cwd, stat.S_ISDIR):
        there = find(cwd)
        if here and there and here.common_dir == there.common_dir:
            return here.top
        return there.top if there else cwd
    paths = _paths(captured.state)
    top = here.top if here else folder
    present = sum(_is(top / path, stat.S_ISREG) for path in paths)
    return top if paths and present * 2 >= len(paths) else None


def _is(place: Path, kind: Callable[[int], bool]) -> bool:
    """Whether there is a file of this kind. A record can name what no system takes for a path."""
    try:
        return kind(place.stat().st_mode)
    except (OSError, ValueError):
        return False


def _paths(state: State) -> list[str]:
    """Files that the items speak of, those of the most important items first. Redacted names are no names."""
    ordered = sorted(state.items, key=lambda item: item.rank)
    files = [path for item in ordered if item.kind == "file" for path in item.files]
    cited = [path for item in ordered for path in item.files]
    return [path for path in dict.fromkeys(files + cited) if PLACEHOLDER_OPEN not in path][:_FILES_MAX]


def _drift(path: Path, reader: Reader, captured: Captured, root: Path, git: Git | None) -> Drift:
    origin = captured.state.origin
    reverted = {item.text for item in captured.state.items if item.kind == "file" and item.status == "reverted"}
    wanted = [name for name in _paths(captured.state) if name not in reverted]
    seen = seen_files(path, reader, captured.evidence, wanted, root=origin.cwd, time=origin.last_time)
    if root == Path(origin.cwd):
        seen = [_as_left(one, root) for one in seen]
    return drift(root, seen, since=origin.last_time, git=git)


def _as_left(seen: Seen, root: Path) -> Seen:
    """What is known of a file in the session's own work tree: not written since the session, it is as it was left.

    The last content on record proves nothing against that: a formatter that the session ran, or a `git checkout`,
    changes files without a word about what is in them.
    """
    since = nanoseconds(seen.time)
    try:
        untouched = since is not None and (root / seen.path).lstat().st_mtime_ns <= since
    except (OSError, ValueError):
        untouched = False
    return seen._replace(blob="", content=None) if untouched else seen


def _notes(captured: Captured) -> list[str]:
    count = len(captured.unreadable)
    if not count:
        return []
    first = captured.unreadable[0]
    lines = "1 line" if count == 1 else f"{count} lines"
    return [f"{lines} of the session file could not be read and were skipped (first at byte {first.at}: {first.why})."]
