"""Views: files beside the work that are made from the ledger and can be thrown away (docs/reference/handoffs.md).

A list beside the ledger, which no repository brings along, tells what clew wrote: a file that is as it was written is
replaced when its view changes; one that somebody changed is put aside first, so that no edit is lost.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final, Literal, NamedTuple

from clew.app.project.location import PROJECT_FOLDER, ProjectLocation
from clew.core.errors import InputError
from clew.workspace.atomic import alone, delete, replace
from clew.workspace.disk import Disk, FileLook, read

EDITED: Final = "edited"
FILE_BYTES_MAX: Final = 1 << 20
WRITTEN: Final = "written.json"
_LIST_BYTES_MAX: Final = 4 << 20

Did = Literal["made", "changed", "same", "removed"]


class ViewFile(NamedTuple):
    """A file as it is to be: `path` is relative to the root, `text` ends with a newline."""

    path: str
    text: str


class Wrote(NamedTuple):
    """What became of a file. `aside`: where its earlier text was put, since somebody had changed it ("" it had
    not changed).
    """

    path: str
    did: Did
    aside: str = ""


class Views:
    """The views under one root (the top of a work tree, or the user's memory), with the list of what was written."""

    def __init__(self, root: Path, beside: Path) -> None:
        """`beside`: the folder of the ledger."""
        self.root = root
        self._disk = Disk(root)
        self._list = beside / WRITTEN

    def text_of(self, path: str) -> str | None:
        """What stands in a file now, None for one that is not there or cannot be read as text."""
        looked = read(self._disk, path, limit_bytes=FILE_BYTES_MAX)
        try:
            return looked.data.decode() if looked.data is not None else None
        except UnicodeDecodeError:
            return None

    def is_ours(self, path: str) -> bool:
        """Whether a file stands there as clew wrote it."""
        looked = read(self._disk, path, limit_bytes=FILE_BYTES_MAX)
        return looked.data is not None and written(self._list).get(self._name(path)) == _hash(looked.data)

    def write(self, views: Sequence[ViewFile], *, gone: Iterable[str] = (), dry_run: bool = False) -> list[Wrote]:
        """Let the files be as the views say; those at `gone` are removed if they are as clew wrote them. What somebody
        changed is put aside first. Raises `InputError` for a place where nothing can be written.
        """
        if dry_run:
            return [
                Wrote(one.path, _did(read(self._disk, one.path, limit_bytes=FILE_BYTES_MAX), one.text)) for one in views
            ]
        try:
            with alone(self._list):
                known = dict(written(self._list))
                placed = [self._place(one, known) for one in views]
                placed += [Wrote(path, "removed") for path in gone if self._remove(path, known)]
                if any(one.did != "same" for one in placed) or known != written(self._list):
                    text = json.dumps({"v": 1, "files": dict(sorted(known.items()))}, indent=0)
                    replace(self._list, text.encode("utf-8", "surrogateescape"), mode=0o600, durable=False)
                return placed
        except OSError as error:
            where = error.filename or self.root
            raise InputError(
                f"{where} cannot be written: {error.strerror or error}",
                code="E-view-write",
                hint="Fix its permissions or free some room, then `clew rebuild`.",
            ) from error

    def sweep(self) -> list[Wrote]:
        """Remove every view under the root that is as clew wrote it: the work tree is to go. Raises `InputError`."""
        within = f"{self.root}/"
        mine = [name.removeprefix(within) for name in written(self._list) if name.startswith(within)]
        return self.write((), gone=mine)

    def _place(self, one: ViewFile, known: dict[str, str]) -> Wrote:
        name, data = self._name(one.path), one.text.encode("utf-8", "replace")
        place = self._disk.locate(one.path)
        looked = read(self._disk, one.path, limit_bytes=FILE_BYTES_MAX)
        if place is None or (looked.data is None and looked.problem):
            raise OSError(0, looked.problem or "it is outside the project", str(self.root / one.path))
        did = _did(looked, one.text)
        aside = ""
        if did == "changed" and looked.data is not None and known.get(name) != _hash(looked.data):
            aside = f"{PROJECT_FOLDER}/{EDITED}/{_hash(looked.data)[:8]}-{one.path.rpartition('/')[2]}"
            replace(self.root / aside, looked.data, mode=0o600)
        if did != "same":
            replace(Path(place), data, mode=0o644, durable=False)
        known[name] = _hash(data)
        return Wrote(one.path, did, aside)

    def _remove(self, path: str, known: dict[str, str]) -> bool:
        place = self._disk.locate(path)
        looked = read(self._disk, path, limit_bytes=FILE_BYTES_MAX)
        is_ours = looked.data is not None and known.pop(self._name(path), "") == _hash(looked.data)
        if place is None or not is_ours:
            return False
        with suppress(OSError):
            delete(Path(place))
            return True
        return False

    def _name(self, path: str) -> str:
        return str(self.root / path)


def views_at(location: ProjectLocation) -> Views:
    """The views of a work tree."""
    return Views(location.root, location.ledger.parent)


def is_written(location: ProjectLocation, path: str, data: bytes) -> bool:
    """Whether the file at `path` with these bytes is one that clew wrote here from its own ledger."""
    return written(location.ledger.parent / WRITTEN).get(str(location.root / path)) == _hash(data)


def written(file: Path) -> Mapping[str, str]:
    """What was written, by absolute path: its hash. Nothing for a list that is not there or cannot be understood."""
    try:
        with file.open("rb") as opened:
            found = json.loads(opened.read(_LIST_BYTES_MAX))
        files = found.get("files") if isinstance(found, dict) else None
    except (OSError, ValueError, RecursionError):
        return {}
    return {str(name): str(value) for name, value in files.items()} if isinstance(files, dict) else {}


def _did(looked: FileLook, text: str) -> Did:
    if looked.data is None:
        return "made"
    return "same" if looked.data == text.encode("utf-8", "replace") else "changed"


def _hash(data: bytes) -> str:
    return sha256(data).hexdigest()
