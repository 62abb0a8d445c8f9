"""Files of a document, grouped by folder, so that a path's front part is said once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from clew.documents.lines import claimed, inert, safe


class FileLine(NamedTuple):
    """`status`: edited, committed, reverted, read, or what somebody stated ("off limits"). `note`: what was done to it,
    "" unknown.
    """

    path: str
    status: str
    note: str


# So many folders that begin alike are told under their common beginning.
_SHARING_MIN = 3


def file_lines(files: Iterable[FileLine]) -> list[str]:
    """Lines such as `- src/a/{b.py, c.py (adds f)}` and, for many folders, `- src/: a/b.py, c/{d.py, e.py}`.

    The last line explains the mark of files that are in no commit, where one is.
    """
    folders: dict[str, list[FileLine]] = {}
    for file in files:
        folders.setdefault(file.path.rpartition("/")[0], []).append(file)
    top = _common(list(folders))
    rows: list[str] = []
    under: list[str] = []
    for folder, inside in folders.items():
        names = [_name(file) for file in inside]
        rest = folder.removeprefix(top).lstrip("/") if _is_under(folder, top) else folder
        prefix = safe(rest) + "/" if rest else ""
        # Braces only after a folder's name: without one, names stand side by side as they are.
        inside_it = ", ".join(names) if len(names) == 1 or not prefix else f"{{{', '.join(names)}}}"
        if _is_under(folder, top):
            under.append(prefix + inside_it)
        else:
            rows.append(f"- {inert(prefix + inside_it)}")
    if under:
        rows.append(f"- {inert(safe(top) + '/')}: {', '.join(under)}")
    if any(file.status == "edited" for inside in folders.values() for file in inside):
        rows[-1] += " (* not in a commit seen here)"
    return rows


def _is_under(folder: str, top: str) -> bool:
    return bool(top) and (folder == top or folder.startswith(top + "/"))


def _common(folders: list[str]) -> str:
    """The folder whose name in front of others costs most, "" if too few share one."""
    best, saved = "", 0
    for folder in folders:
        parts = folder.split("/")
        for depth in range(1, len(parts) + 1):
            top = "/".join(parts[:depth])
            sharing = sum(_is_under(other, top) for other in folders) if top else 0
            if sharing >= _SHARING_MIN and (sharing - 1) * len(top) > saved:
                best, saved = top, (sharing - 1) * len(top)
    return best


def _name(file: FileLine) -> str:
    name = safe(file.path.rpartition("/")[2])
    if file.status == "edited":
        name += "*"
    notes = [claimed(safe(file.status))] if file.status not in ("", "edited", "committed") else []
    if file.note:
        notes.append(claimed(safe(file.note)))
    return f"{name} ({', '.join(notes)})" if notes else name
