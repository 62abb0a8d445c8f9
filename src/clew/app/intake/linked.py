"""Files of a project by another name of it: a session can go through a link (`/home` for `/var/home`)."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import PurePath

from clew.core.records.transcript import Call, Edit, Read, Record, Run


def by_root(records: Iterable[Record], root: str) -> list[Record]:
    """`records` with the paths of calls that lead into the folder `root` through a link, as they are from `root`.

    What lies elsewhere, and what is not there any more, stays as the client wrote it.
    """
    names = _Names(root)
    return [names.record(record) if isinstance(record, Call) else record for record in records]


class _Names:
    def __init__(self, root: str) -> None:
        self._root = root.rstrip("/")
        self._real = os.path.realpath(root) if PurePath(root).is_absolute() else ""
        self._folders: dict[str, str] = {}  # as they are from the root, by their names

    def record(self, call: Call) -> Call:
        action = call.action
        if isinstance(action, (Edit, Read)) and (path := self._path(action.path)) != action.path:
            return call._replace(action=action._replace(path=path))
        if isinstance(action, Run) and action.folder and (folder := self._folder(action.folder)) != action.folder:
            return call._replace(action=action._replace(folder=folder))
        return call

    def _path(self, path: str) -> str:
        folder, cut, name = path.rpartition("/")
        return f"{self._folder(folder)}{cut}{name}" if folder else path

    def _folder(self, folder: str) -> str:
        if not self._real or not folder.startswith("/") or f"{folder}/".startswith(f"{self._root}/"):
            return folder
        known = self._folders.get(folder)
        if known is None:
            known = self._folders[folder] = self._looked_up(folder)
        return known

    def _looked_up(self, folder: str) -> str:
        try:
            real = os.path.realpath(folder)
        except (OSError, ValueError):  # a name that no system takes for a path
            return folder
        is_inside = f"{real}/".startswith(f"{self._real}/")
        return self._root + real[len(self._real) :] if is_inside else folder
