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
    """The paths that are surely gone, each with where the one file of that name is now, "" if there is none or
    several: for `Ground.gone`.

    `files` are all files of the repository, `deleted` those of them that are there no more, `document` the path of
    the document that names the others, all relative to its top. A path is there as it is written, from the document's
    folder, or as the end of another path. One that neither begins with a folder of the repository nor leads up from
    the document's cannot be judged, and is left out.
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
        is_there = path in same or beside in same or any(file.endswith(tail) for file in same)
        is_judged = not beside.startswith("../") and ("/" not in path or path.partition("/")[0] in tops | {".", ".."})
        if not is_there and is_judged:
            gone[path] = same[0] if len(same) == 1 else ""
    return gone
