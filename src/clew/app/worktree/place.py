"""Where clew's work trees are, and what each is: `.clew/worktrees/NAME`, on the branch `clew/NAME`.

Beneath the repository, since a sandboxed client may write there and editors see it; hidden and ignored, since tools
that look through a project pass such folders over. All work trees of a repository share the place in its main one.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from clew.app.ports import Ports
from clew.app.project.location import PROJECT_FOLDER
from clew.app.project.views import WRITTEN, written
from clew.app.results import JsonResult
from clew.core.errors import InputError, NotFound, Unavailable
from clew.workspace.atomic import private_folder, replace
from clew.workspace.git import Git
from clew.workspace.repository import Repository, WorktreeNote, find, head, read_note, read_small
from clew.workspace.worktree_safety import OWN_BRANCHES, Reason, judge

FOLDER: Final = "worktrees"
# A folder that is being removed stands beside its place under such a name.
_ASIDE: Final = ".{}.removing"
_NAME: Final = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?")


@dataclass(frozen=True, slots=True)
class WorkTree:
    """A work tree of ours. `base` is the branch that its work is for; `git_dir` is git's own folder of it."""

    name: str
    path: Path
    branch: str
    base: str
    git_dir: Path
    port_offset: int = 0


class TreeRow(JsonResult, frozen=True):
    """A work tree of ours as it is told (`WorkTree`)."""

    name: str
    path: Path
    branch: str
    base: str
    port_offset: int


class ListedTree(TreeRow, frozen=True):
    """A work tree and why it may not be removed; () if it may. `on` is the branch that is checked out, "" none."""

    on: str
    reasons: tuple[Reason, ...]


class TreeList(JsonResult, frozen=True):
    """The work trees of a repository."""

    worktrees: tuple[ListedTree, ...]


def checked_name(name: str) -> str:
    """`name`, if a work tree can be called so. Raises `InputError`."""
    if not _NAME.fullmatch(name) or ".." in name or name.endswith(".lock"):
        raise InputError(
            f"invalid work tree name {name!r}",
            code="E-worktree-name",
            hint="Use up to 64 of a-z, 0-9, dot, dash and underscore; it begins and ends with a letter or digit.",
        )
    return name


def home_of(repository: Repository) -> Path:
    """The folder of all work trees of ours, whether or not it is there."""
    common = repository.common_dir
    if common.name == ".git":
        return common.parent / PROJECT_FOLDER / FOLDER
    if repository.git_dir == common:
        return repository.top / PROJECT_FOLDER / FOLDER
    return common / "clew" / FOLDER  # a bare repository: it has no work tree that all others share


def made_home(repository: Repository) -> Path:
    """The same folder, made and ignored by git. Raises `Unavailable` where it cannot be, or leads elsewhere."""
    home = home_of(repository)
    try:
        private_folder(home)
        if home.resolve() != home or home.is_symlink():
            raise Unavailable(
                f"{home} leads to another place", code="E-worktree-place", hint="Put a folder in the place of the link."
            )
        if not (home / ".gitignore").exists():
            replace(home / ".gitignore", b"*\n", mode=0o644, durable=False)
    except OSError as error:
        raise Unavailable(
            f"{home} cannot be made: {error.strerror}", code="E-worktree-place", hint="Look at its rights."
        ) from error
    return home


def aside_of(path: Path) -> Path:
    """Where a work tree stands while it is being removed."""
    return path.with_name(_ASIDE.format(path.name))


def registered(repository: Repository) -> dict[str, Path]:
    """Git's own folders of the work trees in our home, by name, whether or not those are still there."""
    home, entries, found = home_of(repository), list[Path](), dict[str, Path]()
    with suppress(OSError):  # there is none yet, or the last one goes just now
        entries = list((repository.common_dir / "worktrees").iterdir())
    for entry in entries:
        text = (read_small(entry / "gitdir") or "").strip()
        place = (entry / text).parent if text else Path()
        if text and place.parent == home and _NAME.fullmatch(place.name):
            found[place.name] = entry
    return dict(sorted(found.items()))


def tree_of(repository: Repository, name: str) -> WorkTree:
    """The work tree of this name. Raises `InputError` for a name that cannot be one, `NotFound`."""
    git_dir = registered(repository).get(checked_name(name))
    note = read_note(git_dir) if git_dir else None
    if git_dir is None or note is None:
        raise NotFound(
            f"there is no work tree {name!r} of this repository",
            code="E-worktree-unknown",
            hint="`clew worktree list` shows them.",
        )
    return tree_from(repository, name, git_dir, note)


def tree_from(repository: Repository, name: str, git_dir: Path, note: WorktreeNote) -> WorkTree:
    """What is known of a work tree, as a value."""
    return WorkTree(name, home_of(repository) / name, OWN_BRANCHES + name, note.base, git_dir, note.port_offset)


def trees(ports: Ports, repository: Repository) -> TreeList:
    """All work trees of ours, by name, each judged now. Raises `Unavailable` without git."""
    git = Git(repository, environment=ports.environment)
    found = []
    for name, git_dir in registered(repository).items():
        tree = tree_from(repository, name, git_dir, read_note(git_dir) or WorktreeNote("", 0))
        here = find(tree.path)
        at = head(here) if here is not None and here.git_dir == git_dir else None
        judged = judge(git, tree.path, branch=tree.branch, views=views_in(repository, tree))
        found.append(ListedTree.of(tree, on=at.branch if at else "", reasons=judged.reasons))
    return TreeList(tuple(found))


def views_in(repository: Repository, tree: WorkTree) -> dict[str, str]:
    """What clew wrote into the work tree from the ledger, by path, with the hash of each: it can be made again."""
    front = f"{tree.path}/"
    listed = written(repository.common_dir / "clew" / WRITTEN)
    return {path.removeprefix(front): digest for path, digest in listed.items() if path.startswith(front)}
