"""Merging a work tree into its base: first beside both, then validated in the work tree, then the base moves on.

The merge is computed in git's objects, so a conflict touches no file. A merge that is not valid was never on the base:
nothing has to be undone there. The base only ever goes forward, to a commit that holds all of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from clew.app.ports import Ports
from clew.app.worktree.place import WorkTree, tree_of
from clew.core.errors import Unavailable
from clew.workspace.git import Git, fields_of
from clew.workspace.git_act import GitAct
from clew.workspace.repository import Repository, find, head, read_small
from clew.workspace.worktree_safety import Reason, judge
from clew.workspace.worktrees import work_trees

# What stands against a merge; the other reasons only stand against removing.
_IN_THE_WAY: Final = frozenset(("broken", "unknown", "uncommitted", "untracked", "under way", "detached", "submodule"))
_HEAD_NAMES: Final = ("rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START")


@dataclass(frozen=True, slots=True)
class Merged:
    """The base stands at `commit` now, which holds all of the work tree; `was` is where it stood before."""

    tree: WorkTree
    commit: str
    was: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """Both sides changed these files; neither side was touched."""

    tree: WorkTree
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NotClean:
    """Something has to be done first; the base stands where it stood."""

    tree: WorkTree
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Invalid:
    """What the merge would have given did not pass; the base stands where it stood. `undone`: so does the work tree's
    branch; else it has the base merged in, since its files changed while they were checked.
    """

    tree: WorkTree
    undone: bool


Outcome = Merged | Conflict | NotClean | Invalid


def merge(ports: Ports, repository: Repository, name: str, *, validate: Callable[[Path], bool]) -> Outcome:
    """Merge the work tree `name` into its base. `validate` gets its folder, which holds what the base would become.

    Killed at any moment it can be called again. Raises `InputError`, `NotFound`, `Unavailable`.
    """
    tree = tree_of(repository, name)
    git = Git(repository, environment=ports.environment)
    reasons = _not_clean(git, tree)
    if reasons:
        return NotClean(tree, reasons)
    act = GitAct(tree.path, ports.environment)
    was, tip = (
        act.do("rev-parse", "--verify", f"refs/heads/{branch}^{{commit}}") for branch in (tree.base, tree.branch)
    )
    if _holds(act, was, tip):
        return Merged(tree, was, was)
    merged = _joined(act, tree, was, tip)
    if isinstance(merged, Conflict):
        return merged
    return _validated(ports, git, tree, validate, was=was, tip=tip, merged=merged)


def _not_clean(git: Git, tree: WorkTree) -> tuple[Reason, ...]:
    reasons = tuple(one for one in judge(git, tree.path).reasons if one.kind in _IN_THE_WAY)
    here = find(tree.path)
    at = head(here) if here is not None else None
    if not reasons and (at is None or at.branch != tree.branch):
        reasons = (Reason("detached", f"it is not on its branch {tree.branch}"),)
    return (*reasons, *_base_in_use(git.repository, tree.base))


def _base_in_use(repository: Repository, base: str) -> Iterator[Reason]:
    """A rebase or bisection of the base in some work tree: its end would move the base to elsewhere."""
    for top in work_trees(repository):
        here = find(top)
        for name in _HEAD_NAMES:
            if here is not None and (read_small(here.git_dir / name) or "").strip().removeprefix("refs/heads/") == base:
                yield Reason("under way", f"{base} is being rebased or bisected in {top}")


def _holds(act: GitAct, commit: str, other: str) -> bool:
    return act.run("merge-base", "--is-ancestor", other, commit).code == 0


def _joined(act: GitAct, tree: WorkTree, was: str, tip: str) -> str | Conflict:
    """The commit that the base would become: the branch's tip where that has all of the base, else a merge of both."""
    if _holds(act, tip, was):
        return tip
    done = act.run("merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", was, tip)
    fields = fields_of(done.out)
    if done.code == 1 and len(fields) > 1:
        return Conflict(tree, tuple(dict.fromkeys(field for field in fields[1:] if field)))
    if done.code or not fields:
        if b"usage:" in done.err:
            raise Unavailable(
                "this git cannot merge beside a work tree", code="E-git-old", hint="Install git 2.38 or newer."
            )
        raise Unavailable(f"git merge-tree failed: {done.said}", code="E-git-failed")
    return act.do("commit-tree", fields[0], "-p", was, "-p", tip, "-m", f"Merge work tree {tree.name} into {tree.base}")


def _validated(
    ports: Ports, git: Git, tree: WorkTree, validate: Callable[[Path], bool], *, was: str, tip: str, merged: str
) -> Outcome:
    act = GitAct(tree.path, ports.environment)
    blocked = _blocked(ports, git.repository, tree.base, was, merged)
    if blocked:
        return NotClean(tree, blocked)
    if merged != tip:
        act.do("merge", "--quiet", "--ff-only", "--no-autostash", merged)
    passed = False
    try:
        passed = validate(tree.path)
    finally:
        undone = passed or _undone(act, tip)
    if not passed:
        return Invalid(tree, undone)
    reasons = tuple(one for one in _not_clean(git, tree) if one.kind != "untracked")  # reports that checks leave
    if reasons:
        return NotClean(tree, reasons)
    now = act.do("rev-parse", "HEAD")
    if now != merged:
        return NotClean(tree, (Reason("uncommitted", "commits were made in it while it was validated"),))
    return _moved_on(ports, git.repository, tree, was=was, merged=merged)


def _undone(act: GitAct, tip: str) -> bool:
    """The branch where it stood; False where files that changed since would be lost by that."""
    return act.run("reset", "--quiet", "--keep", tip).code == 0


def _base_top(repository: Repository, base: str) -> Path | None:
    """The work tree in which the base is checked out."""
    for top in work_trees(repository):
        here = find(top)
        at = head(here) if here is not None else None
        if at is not None and at.branch == base:
            return top
    return None


def _blocked(ports: Ports, repository: Repository, base: str, was: str, merged: str) -> tuple[Reason, ...]:
    """What stands in the way where the base is checked out: asked before the checks run, which may take minutes."""
    top = _base_top(repository, base)
    if top is None:
        return ()
    act = GitAct(top, ports.environment)
    act.run("update-index", "-q", "--refresh")
    done = act.run("read-tree", "--dry-run", "-m", "-u", was, merged)
    return (Reason("uncommitted", f"what is in {top} is in the way: {done.said}"),) if done.code else ()


def _moved_on(ports: Ports, repository: Repository, tree: WorkTree, *, was: str, merged: str) -> Outcome:
    top = _base_top(repository, tree.base)
    if top is None:
        act = GitAct(repository.top, ports.environment)
        done = act.run("update-ref", "-m", f"clew: merge {tree.branch}", f"refs/heads/{tree.base}", merged, was)
    else:
        act = GitAct(top, ports.environment)
        if not _holds(act, merged, f"refs/heads/{tree.base}"):
            return NotClean(tree, (Reason("unmerged", f"{tree.base} moved on meanwhile; merge again"),))
        done = act.run("merge", "--quiet", "--ff-only", "--no-autostash", merged)
    if done.code:
        where = f" in {top}" if top else ""
        return NotClean(tree, (Reason("uncommitted", f"git did not move {tree.base} on{where}: {done.said}"),))
    return Merged(tree, merged, was)
