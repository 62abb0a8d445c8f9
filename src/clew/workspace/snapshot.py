"""The work tree as git would store it, untracked files included: its id, and what differs between two such states.

Nothing is written to the repository: index and new objects lie in a folder of our own, and only what is not in the
repository yet is stored there. Ignored files, `.clew` and the caches of tools are no part of it.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Final, NamedTuple

from clew.core.errors import Unavailable
from clew.workspace.atomic import private_folder
from clew.workspace.git import Git

# What is ours, and what tools leave behind whether or not somebody told git to ignore it.
_LEFT_OUT: Final = (
    ".clew",
    *(
        f":(glob)**/{name}/**"
        for name in ("__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", "node_modules")
    ),
    ":(glob)**/.coverage",
)
_PLAIN_FILES_MAX: Final = 20_000
_PASSED_OVER: Final = frozenset(("node_modules", "__pycache__", "target", "build", "dist", "venv"))


class ChangedPath(NamedTuple):
    """A path that differs between two trees. `before` and `after` are blobs, "" where it is not there; `was` is the
    path from which it was renamed, "" none.
    """

    path: str
    before: str
    after: str
    was: str = ""


class Snapshots:
    """States of one work tree. Every method may raise `Unavailable`."""

    def __init__(self, git: Git, folder: Path) -> None:
        """New objects are kept in `folder`/objects, which is made."""
        self._git = git
        self._folder = folder
        private_folder(folder / "objects")

    def take(self) -> str:
        """The id of the tree as it is now."""
        with tempfile.TemporaryDirectory(dir=self._folder, prefix="index-") as made:
            index = Path(made, "index")
            with suppress(OSError):  # its stats spare reading what did not change
                shutil.copy2(self._git.repository.git_dir / "index", index)
            ask = self._git.apart(index=index, objects=self._folder / "objects")
            ask("add", "--all", "--ignore-errors", "--", ".")
            ask("rm", "-r", "--cached", "--quiet", "--ignore-unmatch", "--", *_LEFT_OUT)
            return ask("write-tree").decode().strip()

    def tree_of(self, commit: str) -> str:
        """The tree of a commit, without what is ours; "" before the first one."""
        if not commit:
            return ""
        with tempfile.TemporaryDirectory(dir=self._folder, prefix="index-") as made:
            ask = self._git.apart(index=Path(made, "index"), objects=self._folder / "objects")
            ask("read-tree", commit)
            ask("rm", "-r", "--cached", "--quiet", "--ignore-unmatch", "--", *_LEFT_OUT)
            return ask("write-tree").decode().strip()

    def changes(self, base: str, tree: str) -> tuple[ChangedPath, ...]:
        """What differs between two trees, by path; renames by git's own similarity. `base` "" is the empty tree."""
        fields = iter(self._ask("diff-tree", "-r", "-z", "--find-renames", *self._pair(base, tree)).split(b"\0"))
        found = []
        for field in fields:
            words = field.decode("ascii", "replace").split(" ")
            if len(words) < 5:
                continue
            name = _path(next(fields, b""))
            was = ""
            if words[4][:1] in ("R", "C"):
                was, name = name, _path(next(fields, b""))
            before, after = ("" if blob.strip("0") == "" else blob for blob in words[2:4])
            found.append(ChangedPath(name, before, after, was))
        return tuple(sorted(found))

    def content(self, blob: str) -> bytes:
        """The bytes of a file."""
        return self._ask("cat-file", "blob", blob) if blob else b""

    def diff(self, base: str, tree: str, *, options: Sequence[str] = ("-p",)) -> str:
        """The difference as a patch (or as `options` say), in text."""
        pair = self._pair(base, tree)
        return self._ask("diff-tree", "-r", "--find-renames", "--no-color", *options, *pair).decode("utf-8", "replace")

    def holds(self, tree: str) -> bool:
        """Whether a tree that was taken once is kept still."""
        try:
            self._ask("cat-file", "-e", f"{tree}^{{tree}}")
        except Unavailable:
            return False
        return True

    def _pair(self, base: str, tree: str) -> tuple[str, str]:
        return base or self._ask("hash-object", "-t", "tree", "-w", "--stdin").decode().strip(), tree

    def _ask(self, *arguments: str) -> bytes:
        return self._git.apart(index=self._folder / "none", objects=self._folder / "objects")(*arguments)


def _path(field: bytes) -> str:
    return field.decode("utf-8", "surrogateescape")


@contextmanager
def passing(git: Git) -> Iterator[Snapshots]:
    """Snapshots that nobody needs afterwards."""
    with tempfile.TemporaryDirectory(prefix="clew-") as made:
        yield Snapshots(git, Path(made))


def plain_tree(root: Path) -> str:
    """What stands for the files of a folder outside git: a hash over their names and contents. Hidden folders and
    what builds make are passed over. Raises `Unavailable` for a folder with too many files.
    """
    total = sha256()
    waiting, count = [root], 0
    while waiting:
        folder = waiting.pop()
        try:
            rows = sorted(folder.iterdir())
        except OSError:
            continue
        for row in rows:
            if row.is_symlink() or row.name in _PASSED_OVER or row.name.startswith("."):
                continue
            if row.is_dir():
                waiting.append(row)
            if not row.is_file():  # a pipe would be waited for
                continue
            count += 1
            if count > _PLAIN_FILES_MAX:
                raise Unavailable(
                    f"{root} has more than {_PLAIN_FILES_MAX:,} files and is in no git repository",
                    code="E-tree-large",
                    hint="`git init` there: git knows at once what changed.",
                )
            with suppress(OSError):
                total.update(f"{row.relative_to(root)}\0".encode("utf-8", "surrogateescape"))
                with row.open("rb") as file:
                    total.update(file_digest(file, "sha256").digest())
    return total.hexdigest()[:40]
