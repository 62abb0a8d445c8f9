"""How the work tree differs from what a session saw. `docs/reference/drift.md` has the order of evidence and the
limits.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from clew.core.errors import Unavailable
from clew.core.records.files import Drift, FileCommit, FileDrift, Seen, TreeState
from clew.workspace import repository as repositories
from clew.workspace.disk import Disk, clean
from clew.workspace.examine import Examiner, Look, blob_ids
from clew.workspace.fingerprint import RACY_NS, Algorithm, algorithm_of, suspects
from clew.workspace.git import Git, Period, Status
from clew.workspace.repository import Head
from clew.workspace.times import nanoseconds

_Answer = TypeVar("_Answer")
_SECOND_NS = 1_000_000_000
_NO_STATUS = Status(Head("", ""), (), (), {})


class History:
    """Git's answers about one root since one moment (None: unknown, then there is no "since").

    Asks `git status` and one `git log` at once, the rest when it is wanted.
    """

    def __init__(self, git: Git | None, root: Path, *, since_ns: int | None) -> None:
        self._git = git
        self._root = root
        self._status = _NO_STATUS
        self._prefix = ""
        self._period: Period | None = None
        self._subject = ""
        self.commits: tuple[FileCommit, ...] = ()
        if git is None:
            return
        below = root.relative_to(git.repository.top).as_posix() if root.is_relative_to(git.repository.top) else "."
        self._prefix = "" if below == "." else f"{below}/"
        head = repositories.head(git.repository) or Head("", "")
        self._status = _answer(git.status, Status(head, (), (), {}))
        if not self._status.head.commit:
            return
        if since_ns is not None:
            self._period = git.period(since_ns // _SECOND_NS)
            self.commits = self._commits(git, self._period)
        latest = self.commits[0] if self.commits else _answer(git.last_commit, None)
        self._subject = latest.subject if latest else ""

    @property
    def tree(self) -> TreeState:
        """The work tree as it stands."""
        head = self._status.head
        dirty = {*self._inside(self._status.changed), *self._inside(self._status.untracked)}
        is_git = self._git is not None
        return TreeState(str(self._root), head.branch, head.commit, self._subject, tuple(sorted(dirty)), is_git)

    @property
    def changed(self) -> frozenset[str]:
        """Tracked paths that differ from HEAD."""
        return frozenset(self._inside(self._status.changed))

    @property
    def untracked(self) -> tuple[str, ...]:
        """Untracked files and, ending in "/", folders."""
        return tuple(self._inside(self._status.untracked))

    def touching(self, paths: Sequence[str]) -> Mapping[str, tuple[FileCommit, ...]]:
        """For each path the commits since then that touched it, newest first."""
        git, period = self._git, self._period
        if git is None or period is None or not self.commits or not paths:
            return {}
        asked = [self._prefix + path for path in paths]
        nothing: Mapping[str, tuple[FileCommit, ...]] = {}
        found = _answer(lambda: git.touching(asked, period), nothing)
        return {path.removeprefix(self._prefix): commits for path, commits in found.items()}

    @property
    def algorithm(self) -> Algorithm:
        """The hash of the repository's ids."""
        return algorithm_of(self._status.head.commit)

    def tracked(self, paths: Sequence[str]) -> Mapping[str, str]:
        """The blob id at HEAD of those of the paths that HEAD has as files."""
        git = self._git
        if git is None or not self._status.head.commit or not paths:
            return {}
        nothing: Mapping[str, str] = {}
        found = _answer(lambda: git.tracked([self._prefix + path for path in paths]), nothing)
        return {path.removeprefix(self._prefix): blob for path, blob in found.items() if path.startswith(self._prefix)}

    def renames(self) -> Mapping[str, str]:
        """Old to new path of all files renamed since then: by commits, then by what is staged on top of them."""
        git = self._git
        if git is None:
            return {}
        committed: Mapping[str, str] = {}
        before = git.problem
        for base in self._bases():
            try:
                committed = git.renames(base)
                git.problem = before  # a first commit without a parent is no problem to tell
                break
            except Unavailable:
                continue
        staged = self._status.renamed
        all_renames = {**staged, **{old: staged.get(new, new) for old, new in committed.items()}}
        return {
            old.removeprefix(self._prefix): new.removeprefix(self._prefix)
            for old, new in all_renames.items()
            if old.startswith(self._prefix) and new.startswith(self._prefix)
        }

    def _bases(self) -> tuple[str, ...]:
        """Revisions that HEAD stood at when the period began, the best first; none if HEAD did not move."""
        if self._period is None:
            return ()
        if self._period.base:
            return () if self._period.base == self._status.head.commit else (self._period.base,)
        # The very first commit has no parent.
        return (f"{self.commits[-1].id}^", self.commits[-1].id) if self.commits else ()

    def _commits(self, git: Git, period: Period) -> tuple[FileCommit, ...]:
        if period.base and period.base == self._status.head.commit:
            return ()
        try:
            return git.commits(period)
        except Unavailable:
            if not period.base:
                return ()
        # The reflog remembers a commit that has been pruned since.
        self._period = Period("", period.seconds)
        return _answer(lambda: git.commits(Period("", period.seconds)), ())

    def _inside(self, paths: Iterable[str]) -> Iterable[str]:
        return (path.removeprefix(self._prefix) for path in paths if path.startswith(self._prefix))


def _answer(ask: Callable[[], _Answer], otherwise: _Answer) -> _Answer:
    try:
        return ask()
    except Unavailable:
        return otherwise


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
    `git` is the repository that `root` lies in, None outside one (or to compare files only). Nothing outside
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
        look.path: GoneFile(look.path, one, examiner.moment(one.time)) for one, look in doubted if look.status == "gone"
    }
    if not gone:
        return {}
    targets = {old: new for old, new in history.renames().items() if old in gone and _is_there(disk, new)}
    missing = [one for path, one in gone.items() if path not in targets]
    taken = frozenset(clean(one.path) or "" for one in seen) - gone.keys()
    if history.tree.is_git:
        # What git tracks it has been asked about; a file moved by hand is untracked at its new place.
        arrived = history.untracked
        starts = [path.removesuffix("/") for path in arrived if path.endswith("/")]
        starts += [path.rpartition("/")[0] for path in arrived if not path.endswith("/")]
    else:
        starts = [*(one.path.rpartition("/")[0] for one in missing), ""]
    targets.update(find_moved(missing, disk, starts=starts, taken=taken, equal=examiner.equal))
    found = {}
    for old, new in targets.items():
        place = disk.locate(new)
        counts = (-1, -1) if place is None else examiner.lines(gone[old].seen, place)
        found[old] = _Move(new, *counts)
    return found


def _is_there(disk: Disk, path: str) -> bool:
    place = disk.locate(path)
    return place is not None and Path(place).is_file()


ENTRIES_MAX = 20_000
COMPARISONS_MAX = 500
# Two small files are easily equal by chance; under another name this much has to agree.
_BYTES_MIN_RENAMED = 64
_SKIPPED_FOLDERS = frozenset({".git", ".hg", ".svn", ".venv", "venv", "node_modules", "__pycache__", ".tox", ".cache"})


class GoneFile(NamedTuple):
    """A file that is missing from its clean path. `seen_ns`: when it was seen (None unknown)."""

    path: str
    seen: Seen
    seen_ns: int | None


class _File(NamedTuple):
    path: str
    name: str
    facts: os.stat_result


def find_moved(
    gone: Sequence[GoneFile],
    disk: Disk,
    *,
    starts: Sequence[str],
    taken: frozenset[str],
    equal: Callable[[Seen, str], bool],
) -> dict[str, str]:
    """Old to new path of files whose very content a file below `starts` has (clean paths; "" is the root).

    `taken` are paths that are known to hold something else. At most `ENTRIES_MAX` entries are listed and
    `COMPARISONS_MAX` files opened: who hides better than that is gone.
    """
    searched = [one for one in gone if _size(one.seen) != 0 and (one.seen.blob or one.seen.content is not None)]
    if not searched:
        return {}
    names = {one.path.rpartition("/")[2] for one in searched}
    sizes = {size for one in searched if (size := _size(one.seen)) is not None and size >= _BYTES_MIN_RENAMED}
    by_name: dict[str, list[_File]] = {}
    by_size: dict[int, list[_File]] = {}
    for file in _files(disk, starts):
        if file.path in taken:
            continue
        if file.name in names:
            by_name.setdefault(file.name, []).append(file)
        elif file.facts.st_size in sizes:
            by_size.setdefault(file.facts.st_size, []).append(file)
    found: dict[str, str] = {}
    left = COMPARISONS_MAX
    for one in searched:
        for file in (*by_name.get(one.path.rpartition("/")[2], ()), *by_size.get(_size(one.seen) or 0, ())):
            place = disk.locate(file.path)
            if left <= 0 or place is None or file.facts.st_size == 0 or not _arrived(file.facts, one.seen_ns):
                continue
            left -= 1
            if equal(one.seen, place):
                found[one.path] = file.path
                break
    return found


def _size(seen: Seen) -> int | None:
    if seen.stat is not None:
        return seen.stat.size
    return None if seen.content is None else len(seen.content)


def _arrived(facts: os.stat_result, seen_ns: int | None) -> bool:
    """Whether a file may have come to its place after `seen_ns`: on POSIX a rename sets the time of status change.

    So a copy that lay there all the time is not taken for the moved file.
    """
    return os.name != "posix" or seen_ns is None or facts.st_ctime_ns + RACY_NS >= seen_ns


def _files(disk: Disk, starts: Sequence[str]) -> Iterator[_File]:
    """Regular files at or below the start paths, near ones first; links are not followed."""
    left = ENTRIES_MAX
    folders = deque(dict.fromkeys(starts))
    visited: set[str] = set()
    while folders and left > 0:
        folder = folders.popleft()
        if folder in visited:
            continue
        visited.add(folder)
        try:
            with os.scandir(disk.root / folder) as entries:
                for entry in entries:
                    left -= 1
                    if left <= 0:
                        break
                    path = f"{folder}/{entry.name}" if folder else entry.name
                    if entry.is_dir(follow_symlinks=False):
                        if entry.name not in _SKIPPED_FOLDERS:
                            folders.append(path)
                    elif entry.is_file(follow_symlinks=False):
                        yield _File(path, entry.name, entry.stat(follow_symlinks=False))
        except OSError:
            continue
