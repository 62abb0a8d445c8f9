"""What git can add to a look at the disk, in paths relative to a root that may lie below the work tree's top.

Drift must come out of a damaged repository, a refused one and a missing git too: then each answer is empty.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from clew.core.errors import Unavailable
from clew.core.records.files import FileCommit, TreeState
from clew.workspace import repository as repositories
from clew.workspace.fingerprint import Algorithm, algorithm_of
from clew.workspace.git import Git, Period, Status
from clew.workspace.repository import Head

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

    def holding(self, blobs: Collection[str]) -> Mapping[str, tuple[str, ...]]:
        """The paths below the root at which HEAD has each of these blobs; none if HEAD is where it was."""
        git = self._git
        stayed = self._period is not None and not self._bases()
        if git is None or not self._status.head.commit or not blobs or stayed:
            return {}
        nothing: Mapping[str, tuple[str, ...]] = {}
        found = _answer(lambda: git.holding(blobs), nothing)
        return {blob: tuple(self._inside(paths)) for blob, paths in found.items()}

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
