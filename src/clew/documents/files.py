"""Files of a document, grouped by folder, so that a path's front part is said once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from clew.documents.lines import inert, safe


class FileLine(NamedTuple):
    """`status`: edited, committed, reverted or read. `note`: what was done to it, "" unknown."""

    path: str
    status: str
    note: str


def file_lines(files: Iterable[FileLine]) -> list[str]:
    """Lines such as `- src/a/{b.py, c.py (adds f)}; * is not in a commit seen here`."""
    folders: dict[str, list[FileLine]] = {}
    for file in files:
        folders.setdefault(file.path.rpartition("/")[0], []).append(file)
    rows = []
    for folder, inside in folders.items():
        names = [_name(file) for file in inside]
        prefix = safe(folder) + "/" if folder else ""
        inside_it = names[0] if len(names) == 1 else f"{{{', '.join(names)}}}"
        rows.append(f"- {inert(prefix + inside_it)}")
    if any(file.status == "edited" for inside in folders.values() for file in inside):
        rows[-1] += " (* not in a commit seen here)"
    return rows


def _name(file: FileLine) -> str:
    name = safe(file.path.rpartition("/")[2])
    if file.status == "edited":
        name += "*"
    notes = [file.status] if file.status in ("reverted", "read") else []
    if file.note:
        notes.append(safe(file.note))
    return f"{name} ({', '.join(notes)})" if notes else name
