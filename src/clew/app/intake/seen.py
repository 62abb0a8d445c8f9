"""What a session saw of the files that it worked on, against the disk: how they differ."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from clew.app.record.cited import cited_files
from clew.clients.places import facts
from clew.clients.port import Reader
from clew.core.records.file_names import is_inside, moved_home, relative
from clew.core.records.files import Drift, FileCommit, FileDrift, Seen
from clew.core.state.items import MOVED, State
from clew.sessions.capture import Captured, Witness
from clew.workspace.drift import drift
from clew.workspace.fingerprint import blob_id
from clew.workspace.git import Git
from clew.workspace.times import nanoseconds, rfc3339

# A file is written after the times in it were taken; some disks keep even seconds only.
_MTIME_GRAIN_NS = 2_000_000_000


def since_session(
    transcript: Path, reader: Reader, captured: Captured, state: State, root: Path, git: Git | None
) -> Drift:
    """The files that `state` cites against what the session in `transcript` (read as `captured`) saw of them.

    Paths are relative to `root`. Raises `OSError` if the transcript cannot be read any more.
    """
    origin = captured.state.origin
    wanted = _left(cited_files(state), state, root)  # each with its path before, which the record knows it by
    since = _last_time(transcript, origin.last_time)
    names = list(dict.fromkeys([*wanted, *wanted.values()]))
    seen = seen_files(
        transcript, reader, captured.facts.evidence, names, root=origin.cwd, time=since, trees=captured.trees
    )
    known_as = {one.path: one for one in seen}
    seen = [
        one if one.blob else known_as[wanted[one.path]]._replace(path=one.path) for one in seen if one.path in wanted
    ]
    for one in captured.earlier:
        seen = _witnessed(seen, one)
    if root == Path(origin.cwd) and since == origin.last_time:
        seen = [_as_left(one, root) for one in seen]
    known = as_cited(seen, state)
    return _but_own_commits(but_absent(drift(root, known, since=since, git=git), known, state), state)


def _left(cited: Iterable[str], state: State, root: Path) -> dict[str, str]:
    """The files that a session cites, where it left them, each with the path that it cites: one that it moved at its
    new place; of one that it removed or took back nothing. Where something stands in the old place again, that counts.
    """
    became = {item.text: item.status for item in state.items if item.kind == "file"}
    found: dict[str, str] = {}
    for path in cited:
        status = became.get(path, "")
        if status == "reverted":
            continue
        if not status.startswith(("removed", MOVED)) or os.path.lexists(root / path):
            found.setdefault(path, path)
        elif status.startswith(MOVED) and is_inside(status.removeprefix(MOVED)):
            found[status.removeprefix(MOVED)] = path
    return found


def _witnessed(seen: list[Seen], by: Witness) -> list[Seen]:
    """`seen`, with what an earlier session proves of files of which nothing is known yet."""
    lacking = [one.path for one in seen if not one.blob]
    told = seen_files(by.path, by.reader, by.evidence, lacking, root=by.root, time=by.time) if lacking else []
    proved = {one.path: one for one in told if one.blob}
    return [proved.get(one.path, one) for one in seen]


def _but_own_commits(found: Drift, state: State) -> Drift:
    """`found`, in which no file counts as changed because the session's own commits came here by a merge: of the file
    nothing is known but that commits touched it, and all of them are the session's.
    """
    told = {item.text for item in state.items if item.kind == "step" and item.provenance == "verified"}
    own = told | {text.partition(" ")[2] for text in told}  # "d7ae388 Raise the fee"

    def is_own(commit: FileCommit) -> bool:
        return commit.subject in own and commit.time[:19] <= state.origin.last_time[:19]

    files = (
        FileDrift(file.path, "unchanged", 0, 0, "", ())
        if file.status == "changed" and file.added < 0 and file.commits and all(map(is_own, file.commits))
        else file
        for file in found.files
    )
    return found._replace(files=tuple(files))


def but_absent(found: Drift, seen: Iterable[Seen], state: State) -> Drift:
    """`found`, in which no file is gone that was not there when items began to speak of it, and of which nothing else
    is known (`seen`, in the order of the files): nobody can tell whether it ever was.
    """
    cites = [cite for item in state.items for cite in item.cites]
    absent = {cite.path for cite in cites} - {cite.path for cite in cites if cite.blob}

    def is_unheard(one: Seen) -> bool:
        return one.path in absent and not one.blob and one.stat is None and one.content is None

    files = (
        file._replace(status="unknown", commits=()) if file.status == "gone" and is_unheard(one) else file
        for file, one in zip(found.files, seen, strict=True)
    )
    return found._replace(files=tuple(files))


def as_cited(seen: Iterable[Seen], state: State) -> list[Seen]:
    """What is known of files, where an item that was stated later looked at one, as it was then."""
    cites = sorted((cite for item in state.items for cite in item.cites), key=lambda cite: cite.time)
    cited = {cite.path: cite for cite in cites}
    return [
        Seen(one.path, cite.blob, None, None, cite.time)
        if (cite := cited.get(one.path)) and cite.blob and cite.time > one.time
        else one
        for one in seen
    ]


def _last_time(transcript: Path, recorded: str) -> str:
    """When the session last wrote: `recorded`, or the file's own time if it says later than the file can.

    A clock that was ahead, or a made-up time, would else declare every later change to be the session's own.
    """
    written_ns = facts(transcript).st_mtime_ns
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


# A line that holds a whole file twice can be large; beyond this the content counts as unknown.
_LINE_BYTES_MAX = 32 << 20


def seen_files(
    transcript: Path,
    reader: Reader,
    evidence: dict[str, int],
    wanted: Iterable[str],
    *,
    root: str,
    time: str,
    trees: Sequence[str] = (),
) -> list[Seen]:
    """One `Seen` for each wanted path (relative to `root`), with content and blob id where a line proves them.

    `evidence` maps paths as the client wrote them to the byte offset of the last line about them; `time` is when the
    session last wrote; `trees` are folders that hold the same files as `root`. Raises `OSError` if the transcript
    cannot be read.
    """

    def name(raw: str) -> str:
        return relative(moved_home(raw, root, trees), root)

    places = {path: at for raw, at in evidence.items() if (path := name(raw))}
    seen: list[Seen] = []
    with reader.open(transcript) as file:
        for path in wanted:
            content = None
            at = places.get(path)
            if at is not None:
                file.seek(at)
                line = file.readline(_LINE_BYTES_MAX)
                content = next((v.content for v in reader.file_versions(line) if name(v.path) == path), None)
            seen.append(Seen(path, blob_id(content) if content is not None else "", None, content, time))
    return seen
