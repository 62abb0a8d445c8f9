"""Cited files: how an item names one, and those of a state, which are compared with the disk."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from clew.app.project.location import ProjectLocation
from clew.core.errors import ClewError, InputError
from clew.core.state.items import State
from clew.core.text.cleaning import clean
from clew.secrets.scanner import PLACEHOLDER_OPEN

FILES_MAX: Final = 40
# A file of this size is cited by name only.
_FINGERPRINT_BYTES_MAX: Final = 64 << 20


def cited_files(state: State) -> list[str]:
    """Files that the items speak of, those of the most important items first, at most 40. Redacted names are none."""
    ordered = sorted(state.items, key=lambda item: item.rank)
    files = [path for item in ordered if item.kind == "file" for path in item.files]
    cited = [path for item in ordered for path in item.files]
    return [path for path in dict.fromkeys(files + cited) if PLACEHOLDER_OPEN not in path][:FILES_MAX]


class CitedPlace(NamedTuple):
    """A file as an item cites it: its path relative to the root, lines ("" all), and its blob id ("" not there)."""

    path: str
    lines: str
    blob: str

    @property
    def told(self) -> str:
        """As people write it: `src/a.py:10-20`."""
        return f"{self.path}:{self.lines}" if self.lines else self.path

    @property
    def cite(self) -> str:
        """As an event keeps it: `BLOB PATH`."""
        return f"{self.blob} {self.path}"


def cited_place(location: ProjectLocation, folder: Path, name: str) -> CitedPlace:
    """The file that `name` (PATH, PATH:LINE or PATH:FIRST-LAST, relative to `folder`) is. It need not exist.

    Raises `InputError` where it is outside the work tree, or is not a path that can be kept.
    """
    root = location.root
    path, lines = _parted(folder, name) if name == clean(name) else ("", "")
    place = Path(os.path.normpath(folder / path)) if path else root
    if not place.is_relative_to(root):  # one of the two may lead through a link
        place = Path(os.path.realpath(place.parent)) / place.name
    if not place.is_relative_to(root) or place == root or place.parts[len(root.parts)] == ".git":
        raise InputError(
            f"{clean(name) or 'an empty name'} is not a file of {root}",
            code="E-path-outside",
            hint="Files are kept relative to the top of the work tree: name one in it, or leave --file out.",
        )
    from clew.workspace.fingerprint import algorithm_of, fingerprint

    algorithm = algorithm_of(location.head.commit if location.head else "")
    found = fingerprint(str(place), algorithm=algorithm, limit_bytes=_FINGERPRINT_BYTES_MAX)
    return CitedPlace(place.relative_to(root).as_posix(), lines, found.blob if found else "")


def files_missing(
    location: ProjectLocation, places: Iterable[CitedPlace], environment: Mapping[str, str]
) -> Mapping[CitedPlace, str]:
    """A sentence for the person for each place at which nothing is, and git has nothing in its last commit. Git is
    asked once for all.

    A pattern (`src/*.py`) names no one file.
    """
    gone = [
        place
        for place in dict.fromkeys(places)
        if not (place.blob or "*" in place.path or os.path.lexists(location.root / place.path))
    ]
    if not gone:
        return {}
    from clew.workspace.git import Git

    tracked: Mapping[str, str] = {}
    try:
        git = Git.at(location.root, environment=environment) if location.repository else None
        tracked = git.tracked([place.path for place in gone]) if git else {}
    except ClewError:  # no commit yet, or git does not answer
        pass
    return {place: f"There is no file {place.path} here." for place in gone if place.path not in tracked}


def lines_missing(location: ProjectLocation, place: CitedPlace) -> str:
    """A sentence for the person if the file is there and ends before the lines that were named, else ""."""
    if not (place.lines and place.blob):
        return ""
    try:
        with (location.root / place.path).open("rb") as file:
            there = sum(1 for _ in file)
    except OSError:
        return ""
    if int(place.lines.rpartition("-")[2]) <= there:
        return ""
    return f"{place.path} has {there:,} {'line' if there == 1 else 'lines'}: {place.lines} is beyond its end."


def _parted(folder: Path, name: str) -> tuple[str, str]:
    """A name as path and lines. A file may be called so: then that is its name."""
    path, colon, lines = name.rpartition(":")
    first, dash, last = lines.partition("-")
    is_range = first.isdigit() and (last.isdigit() if dash else not last)
    if not (path and colon and is_range and lines.isascii()) or os.path.lexists(folder / name):
        return name, ""
    if int(first) < 1 or (dash and int(last) < int(first)):
        raise InputError(
            f"{clean(lines)} are no lines", code="E-item-field", hint="Lines count from 1: PATH:12 or PATH:12-20."
        )
    return path, lines
