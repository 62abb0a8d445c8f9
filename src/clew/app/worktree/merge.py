"""Merging a work tree into its base: first beside both, then validated in the work tree, then the base moves on.

The merge is computed in git's objects, so a conflict touches no file. A merge that is not valid was never on the base:
nothing has to be undone there. The base only ever goes forward, to a commit that holds all of its own.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, Final, Literal, Self

from clew.app.ports import Ports
from clew.app.results import JsonResult
from clew.app.worktree.place import TreeRow, WorkTree, tree_of
from clew.core.errors import Unavailable
from clew.workspace.git import Git, fields_of
from clew.workspace.git_act import GitAct
from clew.workspace.repository import Repository, find, head, read_small, work_trees
from clew.workspace.worktree_safety import Reason, judge

# What stands against a merge; the other reasons only stand against removing.
_IN_THE_WAY: Final = frozenset(("broken", "unknown", "uncommitted", "untracked", "under way", "detached", "submodule"))
# Forward or not at all, and over no file that git ignores.
_FORWARD: Final = ("merge", "--quiet", "--ff-only", "--no-autostash", "--no-overwrite-ignore")
_SHOWN: Final = 20
_NAMED: Final = 4
_HEAD_NAMES: Final = ("rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START")


class MergeResult(TreeRow, frozen=True):
    """What came of a merge; `validation` is that of what it gives, None where nothing was run.

    merged: the base stands at `commit` now, which holds all of the work tree; `was` is where it stood before. In all
    other cases it stands where it stood. conflict: both sides changed `files`; neither was touched. not clean:
    something has to be done first (`reasons`). invalid: what the merge would have given did not pass; `undone`: the
    work tree's branch stands where it stood, too, else it has the base merged in, since its files changed while they
    were checked.
    """

    outcome: Literal["merged", "conflict", "not clean", "invalid"]
    commit: str
    was: str
    files: tuple[str, ...]
    reasons: tuple[Reason, ...]
    undone: bool
    validation: JsonResult | None

    @classmethod
    def of(cls, source: WorkTree, /, **more: Any) -> Self:
        """The result for a work tree; what is not given is empty."""
        none = {"commit": "", "was": "", "files": (), "reasons": (), "undone": False, "validation": None}
        return super().of(source, **none | more)


def merge(ports: Ports, repository: Repository, name: str, *, validate: Callable[[Path], bool]) -> MergeResult:
    """Merge the work tree `name` into its base. `validate` gets its folder, which holds what the base would become.

    Killed at any moment it can be called again. Raises `InputError`, `NotFound`, `Unavailable`.
    """
    tree = tree_of(repository, name)
    git = Git(repository, environment=ports.environment)
    reasons = _in_the_way(git, tree)
    if reasons:
        return MergeResult.of(tree, outcome="not clean", reasons=tuple(reasons))
    act = GitAct(tree.path, ports.environment)
    act.check_top()
    was, tip = (
        act.do("rev-parse", "--verify", f"refs/heads/{branch}^{{commit}}") for branch in (tree.base, tree.branch)
    )
    if _holds(act, was, tip):
        return MergeResult.of(tree, outcome="merged", commit=was, was=was)
    merged = _joined(act, tree, was, tip)
    if isinstance(merged, MergeResult):
        return merged
    return _validated(ports, git, tree, validate, was=was, tip=tip, merged=merged)


def _in_the_way(git: Git, tree: WorkTree) -> tuple[Reason, ...]:
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


def _joined(act: GitAct, tree: WorkTree, was: str, tip: str) -> str | MergeResult:
    """The commit that the base would become: the branch's tip where that has all of the base, else a merge of both."""
    if _holds(act, tip, was):
        return tip
    done = act.run("merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", was, tip)
    fields = fields_of(done.out)
    if done.code == 1 and len(fields) > 1:
        files = tuple(dict.fromkeys(field for field in fields[1:] if field))
        return MergeResult.of(tree, outcome="conflict", files=files)
    if done.code or not fields:
        if b"usage:" in done.err:
            raise Unavailable(
                "this git cannot merge beside a work tree", code="E-git-old", hint="Install git 2.38 or newer."
            )
        raise Unavailable(f"git merge-tree failed: {done.said}", code="E-git-failed")
    return act.do("commit-tree", fields[0], "-p", was, "-p", tip, "-m", f"Merge work tree {tree.name} into {tree.base}")


def _validated(
    ports: Ports, git: Git, tree: WorkTree, validate: Callable[[Path], bool], *, was: str, tip: str, merged: str
) -> MergeResult:
    act = GitAct(tree.path, ports.environment)
    blocked = (*_blocked(ports, git, tree.base, was, merged), *_written_over(git, tree.path, tip, merged))
    if blocked:
        return MergeResult.of(tree, outcome="not clean", reasons=tuple(blocked))
    if merged != tip:
        act.do(*_FORWARD, merged)
    passed = False
    try:
        passed = validate(tree.path)
    finally:
        # The branch where it stood; not so where files that changed since would be lost by that.
        undone = passed or act.run("reset", "--quiet", "--keep", tip).code == 0
    if not passed:
        return MergeResult.of(tree, outcome="invalid", undone=undone)
    reasons = [one for one in _in_the_way(git, tree) if one.kind != "untracked"]  # reports that checks leave
    if reasons:
        return MergeResult.of(tree, outcome="not clean", reasons=tuple(reasons))
    now = act.do("rev-parse", "HEAD")
    if now != merged:
        return MergeResult.of(
            tree,
            outcome="not clean",
            reasons=(Reason("uncommitted", "commits were made in it while it was validated"),),
        )
    act.check_top()
    return _moved_on(ports, git, tree, was=was, merged=merged)


def _base_top(repository: Repository, base: str) -> Path | None:
    """The work tree in which the base is checked out."""
    for top in work_trees(repository):
        here = find(top)
        at = head(here) if here is not None else None
        if at is not None and at.branch == base:
            return top
    return None


def _blocked(ports: Ports, git: Git, base: str, was: str, merged: str) -> tuple[Reason, ...]:
    """What stands in the way where the base is checked out: asked before the checks run, which may take minutes."""
    top = _base_top(git.repository, base)
    if top is None:
        return ()
    act = GitAct(top, ports.environment)
    act.check_top()
    if over := _written_over(git, top, was, merged):
        return over
    act.run("update-index", "-q", "--refresh")
    done = act.run("read-tree", "--dry-run", "-m", "-u", was, merged)
    return (Reason("uncommitted", f"what is in {top} is in the way: {done.said}"),) if done.code else ()


def _written_over(git: Git, top: Path, was: str, merged: str) -> tuple[Reason, ...]:
    """What lies at `top`, where `was` is checked out, in the place of files that `merged` brings. Git refuses to write
    over a file that it does not know, but not over one that it ignores.
    """
    here = git.beside(top)
    names = ("diff-tree", "-r", "-z", "--no-renames", "--diff-filter=AT", "--name-only", was, merged, "--")
    brought = fields_of(git.ask(*names))
    if here is None or not brought:
        return ()
    tracked = frozenset(fields_of(here.ask("ls-files", "-z")))
    found = dict.fromkeys(one for path in brought for one in _untracked_at(top, path, tracked))
    if not found:
        return ()
    shown = ", ".join(list(found)[:_NAMED])
    text = f"the merge would write over what git does not track in {top}: {shown}{', …' if len(found) > _NAMED else ''}"
    return (Reason("ignored", text, tuple(found)[:_SHOWN]),)


def _untracked_at(top: Path, path: str, tracked: Collection[str]) -> Iterator[str]:
    """What is not tracked at a path: a file there, or in the place of a folder above; of a folder all that is in it."""
    parts = path.split("/")
    for count in range(1, len(parts) + 1):
        name = "/".join(parts[:count])
        place = top / name
        if not place.is_symlink() and place.is_dir():
            continue
        if os.path.lexists(place) and name not in tracked:
            yield name
        return
    for folder, folders, files in os.walk(top / path):
        below = (os.path.relpath(f"{folder}/{name}", top) for name in (*files, *folders))
        for name in below:
            if name not in tracked and (os.path.islink(top / name) or not os.path.isdir(top / name)):  # noqa: PTH112, PTH114
                yield name


def _moved_on(ports: Ports, git: Git, tree: WorkTree, *, was: str, merged: str) -> MergeResult:
    top = _base_top(git.repository, tree.base)
    if top is None:
        act = GitAct(git.repository.top, ports.environment)
        done = act.run("update-ref", "-m", f"clew: merge {tree.branch}", f"refs/heads/{tree.base}", merged, was)
    else:
        act = GitAct(top, ports.environment)
        if not _holds(act, merged, f"refs/heads/{tree.base}"):
            return MergeResult.of(
                tree, outcome="not clean", reasons=(Reason("unmerged", f"{tree.base} moved on meanwhile; merge again"),)
            )
        act.check_top()
        if over := _written_over(git, top, was, merged):
            return MergeResult.of(tree, outcome="not clean", reasons=tuple(over))
        done = act.run(*_FORWARD, merged)
    if done.code:
        where = f" in {top}" if top else ""
        return MergeResult.of(
            tree,
            outcome="not clean",
            reasons=(Reason("uncommitted", f"git did not move {tree.base} on{where}: {done.said}"),),
        )
    return MergeResult.of(tree, outcome="merged", commit=merged, was=was)
