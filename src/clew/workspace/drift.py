"""How the work tree differs from what a session saw. `docs/reference/drift.md` has the order of evidence and the
limits.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from clew.core.records.files import Drift, FileCommit, FileDrift, Seen
from clew.workspace import moves
from clew.workspace.disk import Disk, clean
from clew.workspace.examine import Examiner, Look, blob_ids
from clew.workspace.git import Git
from clew.workspace.history import History
from clew.workspace.screen import suspects
from clew.workspace.times import nanoseconds

_Doubted = tuple[Seen, Look]  # a file that no saved stat vouches for, and what the disk says of it


class _Move(NamedTuple):
    """Where a file went, and how its content differs from what was seen (-1 unknown)."""

    to: str
    added: int
    removed: int


def drift(root: Path, seen: Sequence[Seen], *, since: str, git: Git | None) -> Drift:
    """Compare every file of `seen` (paths relative to `root`) with the disk; one `FileDrift` each, in the same order.

    `since` (RFC 3339) is when the session last knew the tree: commits after it are listed, and a file of which
    nothing but its path is known counts as unchanged if it was not written after it. With "" neither is said.
    `git` is the repository that `root` lies in, None outside of one (or to compare files only). Nothing outside of
    `root` is opened and nothing is changed. Raises nothing: what git cannot tell is left out.
    """
    since_ns = nanoseconds(since)
    disk = Disk(root)
    examiner = Examiner(disk, since_ns=since_ns)
    moments = (examiner.moment(one.time) for one in seen)
    positions = suspects(str(disk.root), (one.path for one in seen), (one.stat for one in seen), moments)
    doubted = [(seen[position], examiner.look(seen[position])) for position in positions]
    history = History(git, disk.root, since_ns=since_ns)
    moved = _moves(seen, doubted, disk, examiner, history)
    open_paths = {look.path for _, look in doubted if look.status in {"changed", "gone", "undecided"}}
    touched = history.touching(sorted(open_paths | {move.to for move in moved.values()}))
    settled = _settled(doubted, history, touched)
    touched = _explaining(doubted, history, touched)
    files = [_unchanged(one) for one in seen]
    for position, (one, look) in zip(positions, doubted, strict=True):
        files[position] = _file(one, look, moved, touched, settled)
    return Drift(history.tree, tuple(files), history.commits)


def _file(
    seen: Seen,
    look: Look,
    moved: Mapping[str, _Move],
    touched: Mapping[str, tuple[FileCommit, ...]],
    settled: Mapping[str, bool],
) -> FileDrift:
    commits = touched.get(look.path, ())
    if look.status == "undecided":
        changed = settled.get(look.path)
        if changed is None:
            return FileDrift(seen.path, "unknown", -1, -1, "", ())
        return FileDrift(seen.path, "changed", -1, -1, "", commits) if changed else _unchanged(seen)
    if look.status == "gone" and (move := moved.get(look.path)):
        later = tuple(commit for commit in touched.get(move.to, ()) if commit not in commits)
        return FileDrift(seen.path, "moved", move.added, move.removed, move.to, later + commits)
    if look.status == "unchanged":
        return _unchanged(seen)
    return FileDrift(seen.path, look.status, look.added, look.removed, "", commits)


def _unchanged(seen: Seen) -> FileDrift:
    return FileDrift(seen.path, "unchanged", 0, 0, "", ())


def _settled(
    doubted: Sequence[_Doubted], history: History, touched: Mapping[str, tuple[FileCommit, ...]]
) -> dict[str, bool]:
    """For undecided paths whether git proves them changed (True) or unchanged (False); others are left out.

    An undecided file was written after the session, or nobody knows when. A commit since then that touched it or a
    difference from HEAD is evidence of change; being equal to HEAD without such a commit is evidence of none.
    """
    undecided = sorted({look.path for _, look in doubted if look.status == "undecided"})
    if not undecided:
        return {}
    tracked = history.tracked(undecided)
    changed = history.changed
    return {path: path in touched or path in changed for path in undecided if path in tracked or path in touched}


def _explaining(
    doubted: Sequence[_Doubted], history: History, touched: Mapping[str, tuple[FileCommit, ...]]
) -> Mapping[str, tuple[FileCommit, ...]]:
    """`touched` without the commits of files that differ from HEAD, where HEAD itself is not known to differ.

    A commit of exactly what the session left did not change the file; what was written after it did. A file that HEAD
    has no more was deleted by a commit.
    """
    differing = history.changed & touched.keys()
    both = {look.path: one for one, look in doubted if look.path in differing}
    tracked = history.tracked(sorted(both))
    kept = dict(touched)
    for path, one in both.items():
        known = blob_ids(one, history.algorithm)
        if path in tracked and (not known or tracked[path] in known):
            del kept[path]
    return kept


def _moves(
    seen: Sequence[Seen], doubted: Sequence[_Doubted], disk: Disk, examiner: Examiner, history: History
) -> dict[str, _Move]:
    """Where the missing files went, by git's rename detection first, then by equal content."""
    gone = {
        look.path: moves.GoneFile(look.path, one, examiner.moment(one.time))
        for one, look in doubted
        if look.status == "gone"
    }
    if not gone:
        return {}
    targets = {old: new for old, new in history.renames().items() if old in gone and _is_there(disk, new)}
    missing = [one for path, one in gone.items() if path not in targets]
    missing = _with_copies(missing, history)
    taken = frozenset(clean(one.path) or "" for one in seen) - gone.keys()
    if history.tree.is_git:
        # What git tracks it has been asked about; a file moved by hand is untracked at its new place.
        arrived = history.untracked
        starts = [path.removesuffix("/") for path in arrived if path.endswith("/")]
        starts += [path.rpartition("/")[0] for path in arrived if not path.endswith("/")]
    else:
        starts = [*(one.path.rpartition("/")[0] for one in missing), ""]
    targets.update(moves.find(missing, disk, starts=starts, taken=taken, equal=examiner.equal))
    found = {}
    for old, new in targets.items():
        place = disk.locate(new)
        counts = (-1, -1) if place is None else examiner.lines(gone[old].seen, place)
        found[old] = _Move(new, *counts)
    return found


def _with_copies(missing: Sequence[moves.GoneFile], history: History) -> list[moves.GoneFile]:
    """The missing files with the paths at which HEAD has their very content.

    Rename detection looks at HEAD then and now: a file that was rewritten, committed and moved has little in common.
    """
    blobs = [blob_ids(one.seen, history.algorithm) for one in missing]
    holding = history.holding(frozenset[str]().union(*blobs))
    return [
        one._replace(copies=tuple(path for blob in sorted(known) for path in holding.get(blob, ())))
        for one, known in zip(missing, blobs, strict=True)
    ]


def _is_there(disk: Disk, path: str) -> bool:
    place = disk.locate(path)
    return place is not None and Path(place).is_file()
