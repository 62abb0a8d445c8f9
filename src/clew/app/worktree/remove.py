"""Removing a work tree that holds no work. There is no way to force it.

The folder is moved aside and locked first, so that nobody who goes by its path can write there any more, then it is
judged again, then exactly what was judged is deleted, name by name: a file that nobody knew of stops it, and what was
deleted is checked out again. Killed at any moment, the next call puts the folder back or ends the work.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from clew.app.ports import Ports
from clew.app.worktree.place import TreeRow, WorkTree, aside_of, home_of, made_home, tree_of, views_in
from clew.core.errors import Unavailable
from clew.workspace.atomic import alone, delete, delete_tree, private_folder
from clew.workspace.git import Git, fields_of
from clew.workspace.git_act import GitAct
from clew.workspace.repository import Repository, read_small, reflog
from clew.workspace.worktree_safety import LOCK, Reason, SafetyVerdict, judge

# What stands in the lock of a work tree while clew removes it.
_MARK: Final = "clew is removing it"
# Under this name git's own folder of it goes.
_GONE: Final = "removed-{}"
# Commits that only the reflogs of a removed work tree knew are kept under this name: git would collect them.
_KEPT_REFS: Final = "refs/clew/kept"


class RemoveResult(TreeRow, frozen=True):
    """What came of a removal. `removed`: the folder is gone, and the branch that others hold all of; `kept_refs` name
    commits that were on no branch any more (amended, reset), and that git would have deleted some day. Else it stays as
    it is, and why; with `dry_run` there may be no reason: then it would have been removed.
    """

    removed: bool
    dry_run: bool
    reasons: tuple[Reason, ...]
    kept_refs: tuple[str, ...]


def _kept(tree: WorkTree, reasons: Sequence[Reason], *, dry_run: bool = False) -> RemoveResult:
    return RemoveResult.of(tree, removed=False, dry_run=dry_run, reasons=tuple(reasons), kept_refs=())


def remove(ports: Ports, repository: Repository, name: str, *, dry_run: bool = False) -> RemoveResult:
    """Remove the work tree `name`, if that loses nothing. Raises `InputError`, `NotFound`, `Unavailable`."""
    tree = tree_of(repository, name)
    repository = _outside(repository, tree)
    git = Git(repository, environment=ports.environment)
    try:
        with alone(made_home(repository) / name):
            if not dry_run and _taken_up(ports, tree):
                return _unregistered(git, ports, tree)
            views = views_in(repository, tree)
            judged = judge(git, tree.path, branch=tree.branch, views=views)
            if judged.reasons or dry_run:
                return _kept(tree, judged.reasons, dry_run=dry_run)
            return _removed(git, ports, tree, views)
    except OSError as error:
        raise Unavailable(f"{tree.path} cannot be removed: {error}", code="E-worktree-place") from error


def _outside(repository: Repository, tree: WorkTree) -> Repository:
    """The repository as seen from another work tree than the one that is to go."""
    if repository.top != tree.path:
        return repository
    top = home_of(repository).parent.parent
    return Repository(top, repository.common_dir, repository.common_dir)


def _removed(git: Git, ports: Ports, tree: WorkTree, views: Mapping[str, str]) -> RemoveResult:
    lock = tree.git_dir / LOCK
    try:
        with lock.open("x", encoding="utf-8") as file:
            file.write(_MARK)
    except FileExistsError:
        return _kept(tree, [Reason("locked", "somebody locked it just now")])
    aside = aside_of(tree.path)
    reasons: tuple[Reason, ...] = (Reason("in use", "it was cut off"),)
    try:
        tree.path.rename(aside)
        judged = judge(git, aside, lock=_MARK, branch=tree.branch, views=views)
        reasons = judged.reasons or _deleted(aside, judged)
    finally:
        if reasons:
            _put_back(ports, tree)
    return _kept(tree, reasons) if reasons else _unregistered(git, ports, tree)


def _deleted(top: Path, judged: SafetyVerdict) -> tuple[Reason, ...]:
    """Delete what was judged, then the folders, which must be empty; why it was not deleted to the end."""
    try:
        for name in judged.files:
            (top / name).unlink()
        for name in judged.caches:
            delete_tree(top / name)
        for folder, _, names in os.walk(top, topdown=False):
            left = [name for name in names if folder != str(top) or name != ".git"]
            if left:
                return (Reason("untracked", "a file appeared while it was being removed", tuple(left[:1])),)
            if folder != str(top):
                os.rmdir(folder)  # noqa: PTH106
        delete(top / ".git")
        top.rmdir()
    except OSError as error:
        return (Reason("unknown", f"it cannot be deleted: {error.strerror}", (str(error.filename),)),)
    return ()


def _taken_up(ports: Ports, tree: WorkTree) -> bool:
    """End what a removal that was killed left: the folder comes back; True if the folder was deleted already."""
    if (read_small(tree.git_dir / LOCK) or "").strip() != _MARK:
        return False
    if os.path.lexists(aside_of(tree.path)) or os.path.lexists(tree.path):
        _put_back(ports, tree)
        return False
    return True


def _put_back(ports: Ports, tree: WorkTree) -> None:
    """The folder at its place again, with every tracked file that was deleted, and without our lock.

    Raises OSError where something else stands at its place; then it stays aside, locked.
    """
    aside = aside_of(tree.path)
    if os.path.lexists(aside):
        if not os.path.lexists(aside / ".git"):
            (aside / ".git").write_text(f"gitdir: {tree.git_dir}\n", encoding="utf-8")
        aside.rename(tree.path)
    act = GitAct(tree.path, ports.environment)
    act.check_top()
    gone = fields_of(act.do("ls-files", "-z", "--deleted").encode("utf-8", "surrogateescape"))
    for path in gone:
        act.do("checkout-index", "--", path)
    delete(tree.git_dir / LOCK)


def _unregistered(git: Git, ports: Ports, tree: WorkTree) -> RemoveResult:
    """Git forgets a work tree whose folder is gone, and the branch that others hold all of."""
    act = GitAct(git.repository.top, ports.environment)
    refs = _anchored(git, act, tree)
    branch = f"refs/heads/{tree.branch}"
    tip = act.run("rev-parse", "--verify", "--quiet", branch)
    told = git.ask("worktree", "list", "--porcelain").decode("utf-8", "surrogateescape").split("\n\n")
    others = (block for block in told if not block.startswith(f"worktree {tree.path}\n"))
    if not tip.code and not any(f"branch {branch}" in block.split("\n") for block in others):
        act.do("update-ref", "-d", branch, tip.out.decode().strip())
    # Git's own folder of it goes last, and at once: killed before that, the work tree is there to be asked for again.
    gone = git.repository.common_dir / "clew" / _GONE.format(tree.name)
    private_folder(gone.parent)
    delete_tree(gone)
    tree.git_dir.rename(gone)
    delete_tree(gone)
    return RemoveResult.of(tree, removed=True, dry_run=False, reasons=(), kept_refs=refs)


def _anchored(git: Git, act: GitAct, tree: WorkTree) -> tuple[str, ...]:
    """Names for the commits that only the reflogs of the work tree know: its HEAD's and its branch's go with it."""
    logs = reflog(tree.git_dir) + b"\n" + reflog(git.repository.common_dir, f"refs/heads/{tree.branch}")
    known = {word for line in logs.split(b"\n") for word in line.split(b" ")[:2] if word.strip(b"0")}
    ids = sorted(word.decode("ascii") for word in known if word.isalnum())
    if not ids:
        return ()
    rows = git.ask("rev-list", "--ignore-missing", "--parents", *ids, "--not", "--all").decode().split("\n")
    lost = {row.partition(" ")[0]: row.split(" ")[1:] for row in rows if row}
    tips = [one for one in lost if not any(one in parents for parents in lost.values())]
    names = tuple(f"{_KEPT_REFS}/{tree.name}/{tip[:12]}" for tip in tips)
    for name, tip in zip(names, tips, strict=True):
        act.do("update-ref", name, tip)
    return names
