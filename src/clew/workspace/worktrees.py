"""The work trees of a repository, read off its files (gitrepository-layout(5), "worktrees"): no process."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from clew.workspace.atomic import replace
from clew.workspace.disk import clean
from clew.workspace.repository import Repository, find, read_small, ref_commit, reflog

_NAME: Final = "clew.json"


class WorktreeNote(NamedTuple):
    """`base` is the branch that the work is for. `copies` are the ignored files that were copied into it, by path
    relative to the top, each with the SHA-256 of what was written. Its servers listen `port_offset` above their ports.
    `ready`: all its files were checked out, and somebody was told of it.
    """

    base: str
    port_offset: int
    copies: Mapping[str, str] = MappingProxyType({})
    ready: bool = False


def read_note(git_dir: Path) -> WorktreeNote | None:
    """The note of the work tree whose own git folder is `git_dir`."""
    text = read_small(git_dir / _NAME)
    try:
        found = json.loads(text or "")
        base, offset, copies = found["base"], found["port_offset"], found["copies"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if not (isinstance(base, str) and type(offset) is int and isinstance(copies, dict)):
        return None
    kept = {path: str(digest) for path, digest in copies.items() if clean(path) == path}
    return WorktreeNote(base, offset, kept, found.get("ready") is True)


def write_note(git_dir: Path, note: WorktreeNote) -> None:
    """Keep a note. Raises OSError."""
    replace(git_dir / _NAME, json.dumps({**note._asdict(), "copies": dict(note.copies)}).encode(), mode=0o600)


# Folders in which work trees are made, by what makes them: each of their folders is one.
_HOMES: Final = ("worktrees", ".worktrees", ".trees")


def work_trees(repository: Repository) -> list[Path]:
    """Tops of all work trees that still exist, this one first, the others by name."""
    tops = [repository.top]
    if repository.common_dir.name == ".git":
        tops.append(repository.common_dir.parent)
    try:
        entries = sorted((repository.common_dir / "worktrees").iterdir())
    except OSError:
        entries = []
    for entry in entries:
        # The path of the work tree's own ".git" file; relative to this entry if git was told to write it so.
        text = (read_small(entry / "gitdir") or "").strip()
        if text:
            tops.append((entry / text).parent)
    return [top for top in dict.fromkeys(tops) if top.is_dir()]


def same_project(folders: Iterable[str]) -> tuple[str, ...]:
    """Folders that hold what the work tree of the first folder holds, under other names: that tree as a folder names it
    (through a link), and the other work trees of its repository, as they are and as folders name them.
    """
    found: dict[str, None] = {}
    home: Repository | None = None
    for number, folder in enumerate(folders):
        repository = find(Path(folder)) if folder.startswith("/") else None
        home = repository if number == 0 else home
        if repository is None or home is None or repository.common_dir != home.common_dir:
            continue
        top = str(repository.top)
        below = os.path.realpath(folder)[len(top) :]
        named = folder.rstrip("/")
        found.update(dict.fromkeys([top, named[: len(named) - len(below)] if named.endswith(below) else top]))
    if home is not None:
        found.update(dict.fromkeys(map(str, work_trees(home))))
        found.pop(str(home.top), None)
    return tuple(found)


def top_of(cwd: str) -> str:
    """The top of the work tree that a session's folder is in; of one that is gone and stood in a folder where work
    trees are made (`.claude/worktrees/fee`), however deep, the folder itself: no name above it tells where the tree
    began. A folder outside git is its own top.
    """
    place = Path(cwd)
    repository = find(place) if place.is_absolute() else None
    if repository is None:
        return cwd
    home = next((folder for folder in place.parents if folder.name in _HOMES), None)
    is_of_another = home is not None and not repository.top.is_relative_to(home) and not _is_there(place)
    return cwd if is_of_another else str(repository.top)


def may_have_been(repository: Repository, place: Path) -> bool:
    """Whether a folder that is said to have been a work tree of the repository can have been one: it is gone, and stood
    beside it, or where work trees are made. Who says so may be anybody: a bundle names folders, too.
    """
    main = repository.common_dir.parent if repository.common_dir.name == ".git" else repository.top
    is_home = place.parent.name in _HOMES or place.parent.parent.name in _HOMES
    return place.is_absolute() and (is_home or place.parent == main.parent) and not _is_there(place)


def was_work_tree(repository: Repository, folder: Path, branch: str) -> bool:
    """Whether a folder that is gone was a work tree of the repository, on `branch`: it stood beside it by a name that
    begins with its own (`shop-fee` beside `shop`), and the repository knows of that branch. Git forgets where a work
    tree was once that is removed.
    """
    main = repository.common_dir.parent if repository.common_dir.name == ".git" else repository.top
    beside = next((one for one in (folder, *folder.parents) if one.parent == main.parent), None)
    if beside is None or _is_there(beside) or not branch:
        return False
    rest = beside.name.removeprefix(main.name)
    if rest == beside.name or not rest.startswith(("-", "_", ".")):
        return False
    head = (read_small(main / ".git" / "HEAD") or "").strip()
    if head == f"ref: refs/heads/{branch}":
        return False  # any clone has that one
    merged = f"merge {branch}:".encode()
    is_there = bool(ref_commit(repository.common_dir, f"refs/heads/{branch}"))
    return is_there or merged in reflog(repository.common_dir)


def _is_there(place: Path) -> bool:
    """Whether there is such a folder. A record can name what no system takes for a path."""
    try:
        return place.is_dir()
    except (OSError, ValueError):
        return False
