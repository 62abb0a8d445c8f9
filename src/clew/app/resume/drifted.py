"""The disk against what was known of the files in play: what a session's own record proves, or a checkpoint."""

import os
import stat
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final, NamedTuple

from clew.app.intake.find import reader_for
from clew.app.intake.seen import as_cited, but_absent, since_session
from clew.app.intake.sessions import Sessions
from clew.app.project.location import locate
from clew.app.project.lookup import live_state
from clew.app.project.opening import ProjectHandle
from clew.app.project.reading import find_task
from clew.app.project.redaction import Redact, redacted_drift, redacted_name
from clew.app.project.session import ProjectSession
from clew.app.record.checkpoint import Checkpoint, find_checkpoint
from clew.app.record.cited import cited_files
from clew.app.results import DriftRow, JsonResult
from clew.app.resume.current_state import CurrentState, current_state_after, require_ledger, up_to_date
from clew.core.errors import ClewError, Unavailable
from clew.core.records.files import Drift, FileDrift, Seen
from clew.core.state.drift import Verdict, verdict
from clew.core.state.ids import short_session
from clew.core.state.items import Origin, State
from clew.core.state.tasks import Task
from clew.core.text.cleaning import one_line
from clew.workspace.drift import drift as against_disk
from clew.workspace.git import Git
from clew.workspace.repository import find, work_trees

_ID_CHARS: Final = (40, 64)
_ID_SIGNS: Final = frozenset("0123456789abcdef")


def since_checkpoint(checkpoint: Checkpoint, state: State, root: Path, git: Git | None) -> Drift:
    """The files that `state` cites against what `checkpoint` recorded of them.

    A file that was not there then is unchanged while it is not, and changed when it is; one that the checkpoint does
    not know, because it was cited later or there was no room, counts by the time of its last write.
    """
    known = {path: blob for blob, path in checkpoint.files}
    paths = list(dict.fromkeys([*known, *cited_files(state)]))
    absent = {path for path, blob in known.items() if not blob}
    seen = [Seen(path, known.get(path, ""), None, None, checkpoint.time) for path in paths]
    found = but_absent(against_disk(root, seen, since=checkpoint.time, git=git), seen, state)
    return found._replace(files=tuple(_appeared(one, root) if one.path in absent else one for one in found.files))


def since_time(time: str, state: State, root: Path, git: Git | None) -> Drift:
    """The files that `state` cites against the disk, where no session tells of them: against what items cite of them,
    else by the `time` (RFC 3339) they were known at: a file counts as changed if it was written after it and git does
    not prove that it stayed the same.
    """
    seen = [Seen(path, "", None, None, time) for path in cited_files(state)]
    known = as_cited(seen, state)
    return but_absent(against_disk(root, known, since=time, git=git), known, state)


class DriftResult(JsonResult, frozen=True):
    """What is told of `Drifted`: ids ("" none), and `base`, what was compared with, in words."""

    task: str
    checkpoint: str
    session: str
    base: str
    verdict: Verdict
    drift: DriftRow
    notes: tuple[str, ...]


class Drifted(NamedTuple):
    """The verdict with what it rests on. One of `checkpoint` and `session` (an id) is what was compared with; neither
    where only the time of what is known was. `task` is None for what belongs to none.
    """

    task: Task | None
    checkpoint: Checkpoint | None
    session: str
    drift: Drift
    verdict: Verdict
    notes: tuple[str, ...]

    def result(self) -> DriftResult:
        """What `clew drift --json` prints."""
        base = f"what session {short_session(self.session)} saw" if self.session else "the time of what is known"
        if (past := self.checkpoint) is not None:
            base = f"the checkpoint {past.name} ({past.time[:16].replace('T', ' ')})"
        return DriftResult.of(
            self,
            task=self.task.id if self.task is not None else "",
            checkpoint=past.id if past is not None else "",
            base=base,
            drift=DriftRow.of(self.drift),
        )


def drifted(project: ProjectHandle, *, task: str = "", since: str = "") -> Drifted:
    """How the files that a task's live items cite differ on disk. `task` names one; "" is the one bound in `folder`.

    Compared is with the checkpoint that `since` names; else with what the newest session's own record proves; where it
    is gone with the last checkpoint; without a ledger with the newest session of the project. A checkpoint that is not
    asked for hides nothing that changed before it was taken. Writes nothing. Raises `NotFound`, `InputError`.
    """
    if task or since:
        require_ledger(project.folder)
    with up_to_date(project, look_only=True) as (at, sessions, notes):
        chosen = find_task(at, task) if task else at.task_of(at.task())
        checkpoint = find_checkpoint(at, since) if since else None
        state = live_state(at, chosen.id if chosen else "")
        found = drifted_at(at, sessions, chosen, state, project=project, since=checkpoint)
        return found._replace(notes=(*notes, *found.notes))


def drifted_at(
    at: ProjectSession,
    sessions: Sessions,
    task: Task | None,
    state: State,
    *,
    project: ProjectHandle,
    since: Checkpoint | None = None,
) -> Drifted:
    """The same in an open project: `state` is what is live of `task`, None for what belongs to none."""
    here = current_state_after(at, sessions, state, task, state.origin.session)
    if since is not None:
        here = here._replace(session=None, checkpoint=since)
    root = root_to_compare(project.folder, here.captured.state.origin, cited_files(state)) or at.location.root
    drift, judged, _, notes = _compared(project, root, here, at.redact)
    assert drift is not None and judged is not None
    is_sessions = here.session is not None
    session = state.origin.session if is_sessions else ""
    return Drifted(task, None if is_sessions else here.checkpoint, session, drift, judged, (*here.notes, *notes))


class DriftFound(NamedTuple):
    """How the disk stands to what a session and a state know, and the verdict on it; None where nothing could be
    compared. `state` is that state, with what git has of its files by now. `notes` tell what could not be compared.
    """

    drift: Drift | None
    verdict: Verdict | None
    state: State
    notes: tuple[str, ...]


def compared(project: ProjectHandle, here: CurrentState) -> DriftFound:
    """The disk against the session and the state of `here`."""
    root = root_to_compare(project.folder, here.captured.state.origin, cited_files(here.state))
    if root is None and here.session is None and here.checkpoint is not None:
        root = locate(project.folder).root
    if root is None:
        cwd = one_line(here.state.origin.cwd)
        return DriftFound(
            None, None, here.state, (f"The session's folder {cwd} is not here: files were not compared.",)
        )
    try:
        return _compared(project, root, here, project.ports.redact)
    except OSError as problem:  # the session file was taken away meanwhile
        why = problem.strerror or type(problem).__name__
        return DriftFound(None, None, here.state, (f"Files were not compared: {why}.",))


def _compared(project: ProjectHandle, root: Path, here: CurrentState, redact: Redact) -> DriftFound:
    """The same against the files below `root`. Raises `OSError` if the session's record cannot be read any more."""
    git = Git.at(root, environment=project.ports.environment)
    branch, missing = here.state.origin.branch, ""
    if here.session is not None:
        path = here.session.path
        found = since_session(path, reader_for(path, project.ports.readers), here.captured, here.state, root, git)
    elif here.checkpoint is not None:
        found, branch = since_checkpoint(here.checkpoint, here.state, root, git), here.checkpoint.branch
        missing = here.checkpoint.head if git is not None and _lacks(git, here.checkpoint.head) else ""
    else:
        found = since_time(known_at(here.state), here.state, root, git)
    drift = redacted_drift(_but_elsewhere(found, git), redact)
    notes = _compared_elsewhere(project.folder, root)
    if git is not None and git.problem is not None:
        notes = [redacted_name(git_missing(git.problem, root), redact), *notes]
    return DriftFound(
        drift, verdict(drift, branch=branch, missing=missing), _as_committed(here.state, found, git), tuple(notes)
    )


def _lacks(git: Git, commit: str) -> bool:
    """Whether a clone that git can read has not this commit. Another device can say anything in its place."""
    if git.problem is not None or len(commit) not in _ID_CHARS or not set(commit) <= _ID_SIGNS:
        return False
    try:
        git.ask("cat-file", "-e", f"{commit}^{{commit}}")
    except ClewError:
        git.problem = None  # it is none of git's
        return True
    return False


def _but_elsewhere(drift: Drift, git: Git | None) -> Drift:
    """`drift`, in which no file is gone that never came here: another work tree has it, no commit since took it out
    here, and git does not miss it. Nobody can compare it here.
    """
    dirty = frozenset(drift.tree.dirty)
    gone = {one.path for one in drift.files if one.status == "gone" and not one.commits and one.path not in dirty}
    if git is None or not gone:
        return drift
    below = Path(drift.tree.root).relative_to(git.repository.top)
    others = [top for top in work_trees(git.repository) if top != git.repository.top]
    never = {path for path in gone if any((top / below / path).is_file() for top in others)}
    files = (one._replace(status="unknown") if one.path in never else one for one in drift.files)
    return drift._replace(files=tuple(files))


def _as_committed(state: State, drift: Drift, git: Git | None) -> State:
    """`state`, in which no file counts as edited and in no commit that HEAD has as it is on the disk, whoever committed
    it: a session's record tells of its own commits alone.
    """
    edited = {item.text for item in state.items if item.kind == "file" and item.status == "edited"}
    clean = sorted(edited.difference(drift.tree.dirty))
    if git is None or not clean or not drift.tree.head:
        return state
    below = Path(drift.tree.root).relative_to(git.repository.top)
    try:
        in_head = git.tracked([(below / path).as_posix() for path in clean])
    except ClewError:
        return state
    held = {path for path in clean if (below / path).as_posix() in in_head}
    return state._replace(
        items=tuple(
            item._replace(status="committed") if item.kind == "file" and item.text in held else item
            for item in state.items
        )
    )


def root_to_compare(folder: Path, origin: Origin, paths: Iterable[str]) -> Path | None:
    """The folder to compare with: the work tree that we are in, if it is the session's project, else the session's own.

    A session file brought here from another machine names a folder that does not exist; then the work tree at hand
    counts as the same project when it holds at least half of `paths`, the files that the session worked on. None if
    there is nothing to compare with.
    """
    here = find(folder)
    cwd = Path(origin.cwd) if origin.cwd else None
    if cwd is not None and _is(cwd, stat.S_ISDIR):
        there = find(cwd)
        if here and there and here.common_dir == there.common_dir:
            return here.top
        return there.top if there else cwd
    wanted = list(paths)
    top = here.top if here else folder
    present = sum(_is(top / path, stat.S_ISREG) for path in wanted)
    return top if wanted and present * 2 >= len(wanted) else None


def _is(place: Path, kind: Callable[[int], bool]) -> bool:
    """Whether there is a file of this kind. A record can name what no system takes for a path."""
    try:
        return kind(place.stat().st_mode)
    except (OSError, ValueError):
        return False


def known_at(state: State) -> str:
    """When what is known was known: when the newest session last wrote, else when the last item was stated."""
    return state.origin.last_time or max((item.time for item in state.items), default="")


def _appeared(file: FileDrift, root: Path) -> FileDrift:
    """How a file differs that was not there."""
    if os.path.lexists(root / file.path):
        return file._replace(status="changed", added=-1, removed=-1, moved_to="")
    return FileDrift(file.path, "unchanged", 0, 0, "", ())


def _compared_elsewhere(folder: Path, root: Path) -> list[str]:
    """Which folder was compared, if it is not the one that we stand in."""
    here = find(folder)
    place = here.top if here else folder
    if os.path.realpath(root) == os.path.realpath(place):
        return []
    return [f"Files were compared in {root}, where the session ran, not in {place}."]


_STRANGERS: Final = "dubious ownership"


def git_missing(problem: Unavailable, root: Path) -> str:
    """What git could not tell and how to get it told."""
    hint = problem.hint or f"`git status` in {root} may say more."
    if _STRANGERS in problem.message:
        from shlex import quote

        hint = f"If you trust it: git config --global --add safe.directory {quote(str(root))}"
    told = f"Moves, commits and uncommitted files are not known: {problem.message.rstrip('.')} [{problem.code}]."
    return f"{told} {hint}".rstrip()
