"""The main job: from the last session's record and the disk as it is to the text that lets the next session go on."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from clew.app.capture import Captured
from clew.app.evidence import seen_files
from clew.app.find import reader_for
from clew.app.notes import compared_elsewhere, git_missing, unreadable_lines
from clew.app.ports import Ports
from clew.app.session import captured_session
from clew.app.told import redact_error, redacted_drift, redacted_name
from clew.clients.port import Reader
from clew.core.drift import Verdict, verdict
from clew.core.errors import ClewError, InputError, Unavailable
from clew.core.files import Drift, Seen
from clew.core.items import State
from clew.core.text import one_line
from clew.documents.profile import PROFILES
from clew.documents.render import Document, View, render
from clew.secrets.scanner import PLACEHOLDER_OPEN
from clew.workspace.drift import drift
from clew.workspace.git import Git
from clew.workspace.repository import find
from clew.workspace.times import nanoseconds, rfc3339

_FILES_MAX = 40
# A file is written after the times in it were taken; some disks keep even seconds only.
_MTIME_GRAIN_NS = 2_000_000_000


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
    `transcript` may also be a session's id, or a beginning of one that no other session of this user shares.
    Raises `NotFound`, `InputError` or `BudgetError`.
    """
    try:
        return _resume(ports, folder, transcript, budget_tokens, profile)
    except ClewError as error:
        redact_error(error, ports.redact)
        raise


def _resume(ports: Ports, folder: Path, transcript: Path | None, budget_tokens: int | None, profile: str) -> Resumption:
    shape = PROFILES.get(profile)
    if shape is None:
        raise InputError(
            f"there is no profile {profile}", code="E-profile-unknown", hint=f"Known profiles: {', '.join(PROFILES)}."
        )
    path, captured = captured_session(ports, folder, transcript)
    notes = unreadable_lines(path, captured)
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
            git = Git.at(root, environment=ports.environment)
            found = redacted_drift(_drift(path, reader, captured, root, git), ports.redact)
            if git is not None and git.problem is not None:
                notes.append(git_missing(git.problem, root))
            judged = verdict(found, branch=state.origin.branch)
            notes += compared_elsewhere(folder, root)
        except Unavailable as problem:
            notes.append(f"Files were not compared: {problem.message} {problem.hint}".rstrip())
        except OSError as problem:  # the session file was taken away meanwhile
            notes.append(f"Files were not compared: {problem.strerror or type(problem).__name__}.")
    budget = shape.budget_tokens if budget_tokens is None else budget_tokens
    document = render(View(state, found, judged), shape, budget)
    told = tuple(redacted_name(note, ports.redact) for note in notes)
    # The record's own names of folders and files were needed to find them; they go no further.
    return Resumption(document, state, found, judged, path, captured._replace(state=state, evidence={}), told)


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
    since = _last_time(path, origin.last_time)
    seen = seen_files(path, reader, captured.evidence, wanted, root=origin.cwd, time=since)
    if root == Path(origin.cwd) and since == origin.last_time:
        seen = [_as_left(one, root) for one in seen]
    return drift(root, seen, since=since, git=git)


def _last_time(transcript: Path, recorded: str) -> str:
    """When the session last wrote: `recorded`, or the file's own time if it says later than the file can.

    A clock that was ahead, or a made-up time, would else declare every later change to be the session's own.
    """
    written_ns = transcript.stat().st_mtime_ns
    recorded_ns = nanoseconds(recorded)
    if recorded_ns is None or recorded_ns <= written_ns + _MTIME_GRAIN_NS:
        return recorded
    return rfc3339(written_ns // 1_000_000_000)


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
