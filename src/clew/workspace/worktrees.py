"""The work trees of a repository, read off its files (gitrepository-layout(5), "worktrees"): no process."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from clew.workspace.repository import Repository, find, read_small


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
