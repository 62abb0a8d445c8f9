"""The work trees of a repository, read off its files (gitrepository-layout(5), "worktrees"): no process."""

from __future__ import annotations

from pathlib import Path

from clew.workspace.repository import Repository, read_small


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
