"""The project's files as a session changes them: edited, staged, committed, taken back. It runs and reads no git."""

import posixpath
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from clew.core.records.file_names import below, beside, is_inside, relative, tidy
from clew.core.records.transcript import Edit
from clew.core.state.items import MOVED


class FileWork(NamedTuple):
    """A project file that the session changed. `status`: edited, committed, reverted, removed, or moved elsewhere.
    `last` indexes the events.
    """

    path: str
    edits: int
    last: int
    status: str


class TextEdit(NamedTuple):
    """One edit of a project file: what it took out and what it put in; neither where the file was removed."""

    path: str
    removed: str
    added: str
    event: int


class EditTree:
    """What became of each file that was edited. Folders are absolute."""

    def __init__(self, root: str) -> None:
        self.root = tidy(root) or "/"
        self.changes: list[TextEdit] = []
        self._known_root = root
        self._edits: dict[str, list[int]] = {}
        self._status: dict[str, str] = {}
        self._places: dict[str, str] = {}  # the absolute path of each edited file
        self._staged: set[str] = set()

    def edit(self, index: int, action: Edit) -> None:
        """Take in an edit, if it is of a project file."""
        path = relative(action.path, self._known_root) or beside(action.path, self._known_root)
        if not path:
            return
        self._edits.setdefault(path, []).append(index)
        self._places.setdefault(path, below(self.root, path))
        self._staged.discard(path)  # what was staged is not what stands there now
        self.changes.append(TextEdit(path, action.removed, action.added, index))
        self._status[path] = "removed" if action.deletes else "edited"

    def stage(self, words: Iterable[str], folder: str) -> None:
        """Stage the edited files that path words name, as git would in `folder`."""
        self._staged |= self._named(words, folder)

    def stage_all(self, folder: str) -> None:
        """Stage every file with open edits, unless `folder` is in another place than this project."""
        if self.holds(folder):
            self._staged |= self._open()

    def unstage(self, words: Iterable[str], folder: str) -> None:
        """Take named files out of what is staged, all of them if none is named."""
        names = tuple(words)
        self._staged -= self._named(names, folder) if names else set(self._staged)

    def commit(self, words: tuple[str, ...], folder: str, *, more: Iterable[str] = ()) -> tuple[str, ...]:
        """Mark the named files, or all that is staged if none is named, as committed, and return them with `more`."""
        files = self._named(words, folder) if words else set(self._staged)
        self._staged -= files
        files.update(more)
        self._status.update(dict.fromkeys(files, "committed"))
        return tuple(sorted(filter(is_inside, files)))

    def is_open(self) -> bool:
        """Whether a file of the project is edited and in no commit."""
        return any(map(is_inside, self._open()))

    @property
    def last(self) -> int:
        """The event of the last change, -1 none."""
        return self.changes[-1].event if self.changes else -1

    def settle(self, words: Iterable[str], folder: str, *, is_whole: bool) -> None:
        """What git lists as changed is open; where that is all, no other file of the project is: it is in a commit, be
        it of somebody else.
        """
        listed = self._named(words, folder)
        self._status.update((path, "edited") for path in listed if self._status[path] in ("committed", "reverted"))
        if is_whole:
            self._status.update((path, "committed") for path in self._open() - listed if is_inside(path))

    def _take_back(self, paths: Iterable[str]) -> None:
        self._status.update(dict.fromkeys(paths, "reverted"))

    def holds(self, folder: str) -> bool:
        """Whether a folder is of this project: in it, or above it."""
        return _covers(folder, self.root) or _covers(self.root, folder)

    def commit_open(self) -> None:
        """Mark all open edits as committed."""
        self._status.update(dict.fromkeys(self._open(), "committed"))

    def reopen(self, files: Iterable[str], *, staged: bool) -> None:
        """The commit that held these files is gone, what it held is not."""
        for path in files:
            self._status[path] = "edited"
            if staged:
                self._staged.add(path)

    def revert(self, words: Iterable[str], folder: str) -> None:
        """Take back the open edits of the named files."""
        self._take_back(self._named(words, folder) & self._open())

    def remove(self, words: Iterable[str], folder: str, index: int, *, is_tracked: bool = False) -> None:
        """The named files are gone from the disk: a change of the project like any other. Of `rm` only those that were
        edited count; what git removes was a file of the project.
        """
        for path in self._changed(words, folder, is_tracked=is_tracked):
            self._gone(path, "removed", index)

    def move(self, words: Sequence[str], folder: str, index: int, *, is_tracked: bool = False) -> None:
        """The files named by all words but the last are where that one says; it names a file or a folder. What was
        edited is open under its new name.
        """
        to = below(folder, words[-1]) if words else ""
        is_folder = (
            len(words) > 2
            or "".join(words[-1:]).endswith("/")
            or any(p.startswith(to + "/") for p in self._places.values())
        )
        for word in words[:-1]:
            source = below(folder, word)
            for path in self._changed([word], folder, is_tracked=is_tracked):
                old = self._places[path]
                top = source if old.startswith(source + "/") else old  # a folder, or the file itself
                place = (f"{to}/{posixpath.basename(top)}" if is_folder else to) + old[len(top) :]
                new = relative(place, self._known_root) or beside(place, self._known_root) or place
                if self._status.get(path, "edited") == "edited":
                    self._edits.setdefault(new, []).append(index)
                    self._places[new], self._status[new] = place, "edited"
                self._gone(path, f"{MOVED}{new}", index)

    def _changed(self, words: Iterable[str], folder: str, *, is_tracked: bool) -> list[str]:
        """The files that path words name: those that were edited, else, where git tracks them, each as it is named."""
        found: set[str] = set()
        for word in words:
            known = self._named([word], folder)
            if not known and is_tracked and not any(mark in word for mark in "*?[$`~"):
                place = below(folder, word)
                if path := relative(place, self._known_root):
                    self._places[path] = place
                    self._edits[path] = []
                    known = {path}
            found |= known
        return sorted(found)

    def _gone(self, path: str, status: str, index: int) -> None:
        if self._status.get(path) != status:
            self._status[path] = status
            self._edits[path] = self._edits[path] or [index]
            self._staged.discard(path)
            self.changes.append(TextEdit(path, "", "", index))

    def revert_all(self, more: Iterable[str] = ()) -> None:
        """Take back all open edits, and the files of dropped commits."""
        self._take_back(self._open().union(more))
        self._staged.clear()

    def knows(self, path: str) -> bool:
        """Whether the session edited the file."""
        return path in self._edits

    def files(self) -> tuple[FileWork, ...]:
        """All files, by their last edit."""
        files = (FileWork(path, len(at), at[-1], self._status[path]) for path, at in self._edits.items())
        return tuple(sorted(files, key=lambda file: file.last))

    def _open(self) -> set[str]:
        return {path for path, status in self._status.items() if status == "edited"}

    def _named(self, words: Iterable[str], folder: str) -> set[str]:
        """Edited files that path words name: files, folders, patterns; `:!x` leaves x out.

        A word that names nothing in `folder` is tried from the root: the folder is a guess behind a sub-shell.
        """
        found: set[str] = set()
        without: set[str] = set()
        for word in dict.fromkeys(words):
            if word.startswith((":!", ":^")):
                without |= self._matching(word[2:], folder)
            else:
                found |= self._matching(word, folder) or self._matching(word, self.root)
        return found - without

    def _matching(self, word: str, folder: str) -> set[str]:
        place = below(folder, word)
        return {path for path, own in self._places.items() if _covers(place, own)}


# A longer pattern is none that somebody typed, and each costs its length to make ready.
_PATTERN_CHARS_MAX = 400


def _covers(place: str, path: str) -> bool:
    """Whether `place` is `path`, a folder above it, or a pattern of one; `*` stays within its folder, as in a shell."""
    if path == place or path.startswith(place.rstrip("/") + "/"):
        return True
    if len(place) > _PATTERN_CHARS_MAX or not any(mark in place for mark in "*?["):
        return False

    patterns, names = place.split("/"), path.split("/")
    return len(patterns) <= len(names) and all(
        name == pattern or (fnmatchcase(name, pattern) and name.startswith(".") <= pattern.startswith("."))
        for pattern, name in zip(patterns, names, strict=False)
    )
