"""Branches of a repository, read off its files: whether one is there, where it stands, which is the default one."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Final

from clew.workspace.repository import Repository, read_small, ref_commit

_DEFAULTS: Final = ("main", "master", "trunk", "develop")
_REMOTE_HEAD: Final = "refs/remotes/origin/HEAD"
_SYMBOLIC: Final = "ref: refs/remotes/origin/"


def default_branch(repository: Repository) -> str:
    """The branch that others are merged into: what the remote's HEAD names, else the first common name there is; ""
    where nothing tells.
    """
    told = (read_small(repository.common_dir / _REMOTE_HEAD) or "").strip()
    if told.startswith(_SYMBOLIC):
        return told.removeprefix(_SYMBOLIC)
    on = (read_small(repository.common_dir / "HEAD") or "").strip().removeprefix("ref: refs/heads/")
    return next((name for name in _DEFAULTS if name == on or tip(repository, name)), "")


def tip(repository: Repository, branch: str) -> str:
    """The commit that a branch stands at, "" where the files tell of none."""
    return ref_commit(repository.common_dir, f"refs/heads/{branch}")


def is_gone(repository: Repository, branch: str) -> bool:
    """Whether there is no such branch: no ref, and no work tree is on it (as before the first commit)."""
    if (repository.common_dir / "reftable").is_dir():
        return False
    if tip(repository, branch):
        return False
    heads = [repository.common_dir / "HEAD"]
    with suppress(OSError):
        heads += [entry / "HEAD" for entry in (repository.common_dir / "worktrees").iterdir()]
    return all((read_small(head) or "").strip() != f"ref: refs/heads/{branch}" for head in heads)


def targets(repository: Repository, default: str, *, branch: str) -> list[str]:
    """The commits of the default branch, here and at the remote, that may hold all of `branch`: those written after it
    was. A merge moves the default branch later than the last commit moved the other one.
    """
    since = _written(repository.common_dir, f"refs/heads/{branch}")
    names = (f"refs/heads/{default}", f"refs/remotes/origin/{default}")
    found = ((name, ref_commit(repository.common_dir, name)) for name in names)
    return [commit for name, commit in found if commit and _written(repository.common_dir, name) >= since]


def _written(common_dir: Path, name: str) -> int:
    for place in (common_dir / name, common_dir / "packed-refs"):
        try:
            return place.stat().st_mtime_ns
        except OSError:
            continue
    return 0
