"""The disk against what was known of the files in play: what a session's own record proves, or a checkpoint."""

import os
from pathlib import Path
from typing import Final, NamedTuple

from clew.app.intake.capture import Captured, with_state
from clew.app.intake.find import reader_for
from clew.app.intake.notes import compared_elsewhere, git_missing
from clew.app.intake.seen import as_cited, but_absent, since_session
from clew.app.intake.session import captured_session
from clew.app.intake.take_in import Sessions
from clew.app.ports import Ports
from clew.app.project import ProjectSession, find_task, locate, open_project
from clew.app.project.live_items import live_state
from clew.app.project.output_redaction import Redact, redacted_drift, redacted_name, safe_errors
from clew.app.record.checkpoint import Checkpoint, find_checkpoint, last_checkpoint
from clew.app.record.cited import cited_files
from clew.app.resume.ground import root_to_compare
from clew.clients.port import Reader
from clew.core.errors import ClewError, Unavailable
from clew.core.records.files import Drift, FileDrift, Seen
from clew.core.state.drift import Verdict, verdict
from clew.core.state.items import State
from clew.core.state.tasks import Task
from clew.workspace.drift import drift
from clew.workspace.git import Git


def since_checkpoint(checkpoint: Checkpoint, state: State, root: Path, git: Git | None) -> Drift:
    """The files that `state` cites against what `checkpoint` recorded of them.

    A file that was not there then is unchanged while it is not, and changed when it is; one that the checkpoint does
    not know, because it was cited later or there was no room, counts by the time of its last write.
    """
    known = {path: blob for blob, path in checkpoint.files}
    paths = list(dict.fromkeys([*known, *cited_files(state)]))
    absent = {path for path, blob in known.items() if not blob}
    seen = [Seen(path, known.get(path, ""), None, None, checkpoint.time) for path in paths]
    found = but_absent(drift(root, seen, since=checkpoint.time, git=git), seen, state)
    return found._replace(files=tuple(_appeared(one, root) if one.path in absent else one for one in found.files))


def since_time(time: str, state: State, root: Path, git: Git | None) -> Drift:
    """The files that `state` cites against the disk, where no session tells of them: against what items cite of them,
    else by the `time` (RFC 3339) they were known at: a file counts as changed if it was written after it and git does
    not prove that it stayed the same.
    """
    seen = [Seen(path, "", None, None, time) for path in cited_files(state)]
    known = as_cited(seen, state)
    return but_absent(drift(root, known, since=time, git=git), known, state)


class Drifted(NamedTuple):
    """The verdict with what it rests on. One of `checkpoint` and `session` (an id) is what was compared with; neither
    where only the time of what is known was. `task` is None without a ledger.
    """

    task: Task | None
    checkpoint: Checkpoint | None
    session: str
    drift: Drift
    verdict: Verdict
    notes: tuple[str, ...]


def drifted(ports: Ports, folder: Path, *, task: str = "", since: str = "") -> Drifted:
    """How the files that a task's live items cite differ on disk. `task` names one; "" is the one bound in `folder`.

    Compared is with the checkpoint that `since` names; else with what the newest session's own record proves; where it
    is gone with the last checkpoint; without a ledger with the newest session of the project. A checkpoint that is not
    asked for hides nothing that changed before it was taken. Writes nothing. Raises `NotFound`, `InputError`.
    """
    with safe_errors(ports.redact):
        if not locate(folder).has_ledger and not (task or since):
            return _without_ledger(ports, folder)
        with open_project(ports, folder, write=False) as at:
            chosen = find_task(at, task) if task else at.task_of(at.task())
            return drifted_at(ports, at, chosen, live_state(at, chosen.id if chosen else ""), since=since)


def drifted_at(ports: Ports, at: ProjectSession, task: Task | None, state: State, *, since: str = "") -> Drifted:
    """The same in an open project: `state` is what is live of `task`, None for what belongs to none."""
    root = at.location.root
    git, problem = _git(ports, root)
    checkpoint, session, branch = find_checkpoint(at, since) if since else None, "", state.origin.branch
    record = _record_of(ports, at, state) if checkpoint is None else None
    if record is not None:
        session, found = state.origin.session, since_session(*record, state, root, git)
    elif checkpoint := checkpoint or last_checkpoint(at.ledger, task.id if task else ""):
        branch, found = checkpoint.branch, since_checkpoint(checkpoint, state, root, git)
    else:
        found = since_time(known_at(state), state, root, git)
    base = Drifted(task, checkpoint, session, found, _NONE, at.notes)
    return _judged(base, branch, (git.problem if git else None) or problem, root, at.redact)


def _git(ports: Ports, root: Path) -> tuple[Git | None, Unavailable | None]:
    """The repository that `root` is in, and why it cannot be asked; without git, files are compared all the same."""
    try:
        return Git.at(root, environment=ports.environment), None
    except Unavailable as problem:
        return None, problem


def known_at(state: State) -> str:
    """When what is known was known: when the newest session last wrote, else when the last item was stated."""
    return state.origin.last_time or max((item.time for item in state.items), default="")


def _without_ledger(ports: Ports, folder: Path) -> Drifted:
    path, captured = captured_session(ports, folder, None)
    state = captured.state
    root = root_to_compare(folder, state.origin, cited_files(state)) or folder
    git, problem = _git(ports, root)
    found = since_session(path, reader_for(path, ports.readers), captured, state, root, git)
    base = Drifted(None, None, state.origin.session, found, _NONE, tuple(compared_elsewhere(folder, root)))
    return _judged(base, state.origin.branch, (git.problem if git else None) or problem, root, ports.redact)


def _judged(base: Drifted, branch: str, problem: Unavailable | None, root: Path, redact: Redact) -> Drifted:
    safe = redacted_drift(base.drift, redact)
    notes = base.notes if problem is None else (*base.notes, redacted_name(git_missing(problem, root), redact))
    return base._replace(drift=safe, verdict=verdict(safe, branch=branch), notes=notes)


def _record_of(ports: Ports, at: ProjectSession, state: State) -> tuple[Path, Reader, Captured] | None:
    """The client's record of the session that `state` is of, read; None if it is gone."""
    sessions = Sessions(ports, at)
    item = sessions.files.get(state.origin.session)
    if item is None:
        return None
    try:
        gathered = sessions.gather(item)
        if gathered is None:
            return None
        captured = with_state(gathered, state)._replace(earlier=sessions.witnesses(state))
        return item.path, reader_for(item.path, ports.readers), captured
    except (OSError, ClewError):
        return None


_NONE: Final = Verdict("current", "")


def _appeared(file: FileDrift, root: Path) -> FileDrift:
    """How a file differs that was not there."""
    if os.path.lexists(root / file.path):
        return file._replace(status="changed", added=-1, removed=-1, moved_to="")
    return FileDrift(file.path, "unchanged", 0, 0, "", ())
