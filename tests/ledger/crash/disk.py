"""A disk whose power can be cut: a file system for SQLite that notes every change, and what a cut leaves of them.

What was written before a sync of the same file is on the disk. Of what was written since, a cut leaves any part: every
write by itself is there, is not, or is torn at a sector.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Literal, NamedTuple

import apsw

SYSTEM = apsw.vfs_names()[0]
SECTOR = 512
Loss = Literal["nothing", "everything", "any part", "any part, torn"]


class Change(NamedTuple):
    """One change of the file `name`: `data` written at `at`, cut to `at` bytes, deleted, or all before it synced."""

    what: Literal["write", "truncate", "delete", "sync"]
    name: str
    at: int = 0
    data: bytes = b""


class Disk(apsw.VFS):
    """The system's files; `changes` are all changes since the beginning, in order."""

    def __init__(self, name: str) -> None:
        super().__init__(name, SYSTEM)
        self.changes: list[Change] = []

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        return _File(name, flags, self.changes)

    def xDelete(self, filename: str, syncdir: bool) -> None:
        super().xDelete(filename, syncdir)
        self.changes.append(Change("delete", filename))
        if syncdir:
            self.changes.append(Change("sync", filename))


class _File(apsw.VFSFile):
    def __init__(self, name: str | apsw.URIFilename | None, flags: list[int], changes: list[Change]) -> None:
        super().__init__(SYSTEM, name, flags)
        self._name = name.filename() if isinstance(name, apsw.URIFilename) else str(name)
        self._changes = changes

    def xWrite(self, data: bytes, offset: int) -> None:
        super().xWrite(data, offset)
        self._changes.append(Change("write", self._name, offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:
        super().xTruncate(newsize)
        self._changes.append(Change("truncate", self._name, newsize))

    def xSync(self, flags: int) -> None:
        super().xSync(flags)
        self._changes.append(Change("sync", self._name))


def left(before: dict[str, bytes], changes: list[Change], loss: Loss, chance: random.Random) -> dict[str, bytes]:
    """The files that are on the disk when the power goes after `changes` on top of the files `before`."""
    files = {name: bytearray(content) for name, content in before.items()}
    for name in {change.name for change in changes}:
        mine = [change for change in changes if change.name == name]
        synced = max((index for index, change in enumerate(mine) if change.what == "sync"), default=-1)
        for index, change in enumerate(mine):
            if index > synced and not _arrives(loss, chance):
                continue
            torn = index > synced and loss == "any part, torn" and chance.random() < 0.5
            _apply(files, _torn(change, chance) if torn else change)
    return {name: bytes(content) for name, content in files.items()}


def _arrives(loss: Loss, chance: random.Random) -> bool:
    return loss == "nothing" or (loss != "everything" and chance.random() < 0.5)


def _torn(change: Change, chance: random.Random) -> Change:
    """A write of which only some of the first, or of the last, sectors arrived."""
    if change.what != "write" or len(change.data) <= SECTOR:
        return change
    cut = chance.randrange(SECTOR, len(change.data), SECTOR)
    if chance.random() < 0.5:
        return change._replace(data=change.data[:cut])
    return change._replace(at=change.at + cut, data=change.data[cut:])


def _apply(files: dict[str, bytearray], change: Change) -> None:
    if change.what == "delete":
        files.pop(change.name, None)
    elif change.what == "truncate":
        del files.setdefault(change.name, bytearray())[change.at :]
    elif change.what == "write":
        content = files.setdefault(change.name, bytearray())
        content.extend(bytes(max(0, change.at - len(content))))
        content[change.at : change.at + len(change.data)] = change.data


def put_down(files: dict[str, bytes], folder: Path) -> None:
    """Write `files` (by their whole old names) into `folder`."""
    for name, content in files.items():
        (folder / Path(name).name).write_bytes(content)
