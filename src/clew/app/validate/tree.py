"""The state of a work tree that a run of its checks is tied to, and what changed since another one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from clew.app.project.location import ProjectLocation
from clew.core.errors import Unavailable
from clew.core.validation.changes import FileChange
from clew.workspace.atomic import delete_tree
from clew.workspace.git import Git
from clew.workspace.snapshot import ChangedPath, Snapshots, passing, plain_tree

_FOLDER = "trees"
_TEXT_BYTES_MAX = 1 << 20
_FILES_MAX = 2_000


@dataclass(frozen=True, slots=True)
class Ground:
    """A work tree that can be asked for its state. `git` is None outside a repository, where nothing can be said of
    what changed.
    """

    root: Path
    git: Git | None
    snapshots: Snapshots | None

    def tree(self) -> str:
        """What stands for all that the work tree holds now. Raises `Unavailable`."""
        return self.snapshots.take() if self.snapshots else plain_tree(self.root)

    def tree_of(self, revision: str) -> str:
        """The tree of a commit; "" where there is none. Raises `Unavailable`."""
        return self.snapshots.tree_of(revision) if self.snapshots is not None and revision else ""

    def changed(self, base: str, tree: str) -> tuple[ChangedPath, ...]:
        """The paths that differ between two states, () outside git."""
        return self.snapshots.changes(base, tree) if self.snapshots else ()

    def texts(self, changed: tuple[ChangedPath, ...]) -> tuple[FileChange, ...]:
        """What these files said before and say now; those that are no text are left out."""
        assert self.snapshots is not None
        found = []
        for one in changed[:_FILES_MAX]:
            before, after = self._text(one.before), self._text(one.after)
            if before is not None or after is not None:
                found.append(FileChange(one.path, before, after, one.was))
        return tuple(found)

    def _text(self, blob: str) -> str | None:
        if not blob or self.snapshots is None:
            return None
        try:
            data = self.snapshots.content(blob)
        except Unavailable:  # of a submodule there is no blob
            return None
        return None if b"\0" in data[:8000] or len(data) > _TEXT_BYTES_MAX else data.decode("utf-8", "replace")

    def files(self) -> tuple[str, ...]:
        """All files, from the top. Raises `Unavailable`."""
        return self.git.files() if self.git else ()


@contextmanager
def ground(location: ProjectLocation, environment: Mapping[str, str], *, lasting: bool) -> Iterator[Ground]:
    """The ground of a project. `lasting`: its states are kept beside the ledger, to be compared with later."""
    git = Git.at(location.root, environment=environment)
    if git is None:
        yield Ground(location.root, None, None)
    elif lasting and location.has_ledger:
        yield Ground(location.root, git, Snapshots(git, location.ledger.parent / _FOLDER))
    else:
        with passing(git) as snapshots:
            yield Ground(location.root, git, snapshots)


def forget(location: ProjectLocation) -> None:
    """Throw the kept states away: no phase is under way that they would be compared with."""
    with suppress(OSError):
        delete_tree(location.ledger.parent / _FOLDER)
