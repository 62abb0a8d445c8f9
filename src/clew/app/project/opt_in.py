"""The opt-in of a place: its live folder in the user's data, which hooks look for (docs/reference/hooks.md). Only a
person's `clew init` makes one; a repository cannot bring one along.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from clew.core.runtime_dir import BEATS, FOLDER, LEAF, ROOT, SESSIONS, live_folder
from clew.workspace.atomic import private_folder, replace


def live_at(data: Path, root: Path) -> Path | None:
    """The live folder that belongs to a work tree's top, whether it is there or not; None if `root` can have none."""
    named = live_folder(os.fspath(data), os.fspath(root))
    return Path(named) if named else None


def opt_in(data: Path, root: Path) -> bool:
    """Make the live folder of a work tree's top, if it is not there; whether it was made. Raises OSError."""
    live = live_at(data, root)
    if live is None or _root_of(live) == root:
        return False
    for part in (live, live / BEATS, live / SESSIONS):
        private_folder(part)
    replace(live / ROOT, os.fsencode(root), mode=0o600)  # last: with it the folder is whole
    return True


def lives(data: Path, roots: list[Path]) -> list[Path]:
    """The live folders there are of these work trees: of their tops, and of places below that belong to them."""
    found = []
    for root in roots:
        own = live_at(data, root)
        for live in _below(own.parent) if own else ():
            if live == own or _root_of(live) == root:
                found.append(live)
    return list(dict.fromkeys(found))


def all_lives(data: Path) -> list[Path]:
    """Every live folder of this user."""
    return list(_below(data / FOLDER))


def opt_out(data: Path, gone: list[Path]) -> None:
    """Remove live folders, and the folders above that held nothing else. Raises OSError."""
    import shutil  # here: hooks look for live folders, and remove none

    for live in gone:
        aside = live.with_name(f"{LEAF}-{os.getpid()}")
        live.rename(aside)  # at once: a hook that runs now puts nothing more into it
        shutil.rmtree(aside)
        for above in live.parents:
            if above == data or not above.is_relative_to(data) or any(above.iterdir()):
                break
            above.rmdir()


def _root_of(live: Path) -> Path | None:
    try:
        return Path(os.fsdecode((live / ROOT).read_bytes().strip()))
    except OSError:
        return None


def _below(folder: Path) -> Iterator[Path]:
    for place, names, _ in os.walk(folder):
        if LEAF in names:
            names.remove(LEAF)
            yield Path(place, LEAF)
