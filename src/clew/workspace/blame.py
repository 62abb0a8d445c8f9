"""Which commit brought each line of a file, by `git blame` (git-blame(1), "The porcelain format")."""

from __future__ import annotations

import os
from typing import NamedTuple

from clew.workspace.git import Git

_LATER = 1 << 62


class LineOrigin(NamedTuple):
    """A line's commit, "" where it is not committed. It was written between `after_s` (the file was committed before,
    with other lines; 0: it was not there) and `until_s`, seconds since 1970. `path` is what the file was called then.
    """

    commit: str
    path: str
    after_s: int
    until_s: int


def line_origins(git: Git, path: str) -> list[LineOrigin]:
    """The origin of each line of `path` (below the top) as it is on the disk, through renames, moves of lines and
    changes of white space. Raises `Unavailable`.
    """
    out = git.ask("blame", "--porcelain", "--no-textconv", "-w", "-M", "-C", "--", path)
    commits: dict[str, dict[str, str]] = {}
    found: list[str] = []
    names: list[str] = []
    current = ""
    for row in out.decode("utf-8", "surrogateescape").split("\n"):
        if row.startswith("\t"):
            found.append(current)
            names.append(commits[current].get("filename", path))
            continue
        key, _, value = row.partition(" ")
        if len(key) in (40, 64) and value[:1].isdigit():
            current = key
            commits.setdefault(key, {})
        elif current:
            commits[current][key] = value
    windows = {
        (name, commit): _origin(git, commit, name, commits[commit]) for name, commit in zip(names, found, strict=True)
    }
    return [windows[key] for key in zip(names, found, strict=True)]


def _origin(git: Git, commit: str, path: str, told: dict[str, str]) -> LineOrigin:
    before, _, old = told.get("previous", "").partition(" ")
    after_s = 0
    if before:
        # By when it was first made: one that was rebased since is committed later than what was written behind it.
        said = git.ask("log", "-1", "--format=%at", before, "--", os.fspath(old)).strip()
        after_s = int(said) if said.isdigit() else _LATER
    if not commit.strip("0"):
        return LineOrigin("", path, after_s, _LATER)
    return LineOrigin(commit, path, after_s, int(told.get("committer-time", "0")))
