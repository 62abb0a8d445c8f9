"""Whether paths that a document names are files of a repository whose files are known by name."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Final

_UP: Final = re.compile(r"\A(?:\.{1,2}/)+")


def absent(
    named: Iterable[str], document: str, files: Collection[str], deleted: Collection[str] = ()
) -> Mapping[str, str]:
    """The paths that are surely gone, each with where the file of that name is now, "" if there is none or several have
    as much of its folders in common: for `Ground.gone`.

    `files` are all files of the repository, `deleted` those of them that are there no more, `document` the path of the
    document that names the others, all relative to its top. A path is there as it is written, from the document's
    folder, or as the end of another path. One that neither begins with a folder of the repository nor leads up from the
    document's cannot be judged, and is left out. A path that ends in "/" is a folder.
    """
    by_name: dict[str, list[str]] = {}
    for file in set(files).difference(deleted):
        by_name.setdefault(file.rpartition("/")[2], []).append(file)
    tops = {file.partition("/")[0] for file in files if "/" in file}
    folder = document.rpartition("/")[0]
    gone = {}
    for path in dict.fromkeys(named):
        beside = posixpath.normpath(posixpath.join(folder, path))
        same = by_name.get(path.rpartition("/")[2], [])
        tail = "/" + _UP.sub("", path)
        if path in same or beside in same or any(file.endswith(tail) for file in same):
            continue
        if path.endswith("/") and any(tail in f"/{file}" for file in set(files).difference(deleted)):
            continue
        if beside.startswith("../") or ("/" in path and path.partition("/")[0] not in tops | {".", ".."}):
            continue
        gone[path] = _nearest(path, same)
    return gone


def _nearest(path: str, same: list[str]) -> str:
    """The one of the files of that name that has the most folders in common from its end, "" if several do."""
    alike = [(_alike(path, file), file) for file in same]
    most = max((count for count, _ in alike), default=0)
    nearest = [file for count, file in alike if count == most]
    return nearest[0] if len(nearest) == 1 else ""


def _alike(path: str, file: str) -> int:
    count = 0
    for one, other in zip(reversed(path.split("/")), reversed(file.split("/")), strict=False):
        if one != other:
            break
        count += 1
    return count
