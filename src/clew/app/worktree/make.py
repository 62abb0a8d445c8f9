"""Making a work tree: a branch of its own, the files of its base, the copies of ignored files, a range of ports.

Killed at any moment it is made to its end by the next call with the same name.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from hashlib import sha256
from pathlib import Path
from typing import Final

from clew.app.ports import Ports
from clew.app.project.location import PROJECT_FOLDER, locate
from clew.app.project.runtime_dirs import opened
from clew.app.project.settings import PROJECT_FILE
from clew.app.worktree.place import WorkTree, checked_name, made_home, registered, tree_from
from clew.core.errors import InputError, Unavailable
from clew.workspace.atomic import alone, delete, delete_tree, private_folder, replace
from clew.workspace.disk import Disk, read
from clew.workspace.git import Git
from clew.workspace.git_act import GitAct
from clew.workspace.repository import Repository, WorktreeNote, head, read_note, read_small, write_note
from clew.workspace.worktree_safety import LOCK, OWN_BRANCHES

FILE_BYTES_MAX: Final = 1 << 20
# The project's settings and checks, and what tells git to leave them out.
_OURS: Final = (PROJECT_FILE, f"{PROJECT_FOLDER}/.gitignore")
_FILES_MAX: Final = 100
_LOOKED_MAX: Final = 10_000
PORT_MAX: Final = 65_535
_PORT: Final = re.compile(rb"(?m)^(\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)=)([\"']?)(\d{2,5})(\3[ \t]*(?:#.*)?\r?)$")


def wanted(git: Git, globs: Sequence[str]) -> dict[str, tuple[bytes, int]]:
    """The ignored files of a work tree that the globs name, by path, with content and rights; at most 100. What clew
    itself keeps in `.clew` for the whole project is among them.

    A glob without "/" is about the name of a file anywhere, one with "/" about the whole path. Links, and files over
    1 MiB, are left out.
    """
    disk = Disk(git.repository.top)
    found: dict[str, tuple[bytes, int]] = {}
    globs = (*_OURS, *globs)
    for path in _ignored(git, globs):
        if len(found) == _FILES_MAX:
            break
        if path not in found and any(
            fnmatchcase(path if "/" in glob else path.rpartition("/")[2], glob) for glob in globs
        ):
            data = read(disk, path, limit_bytes=FILE_BYTES_MAX).data
            if data is not None:
                found[path] = (data, stat.S_IMODE((git.repository.top / path).stat().st_mode))
    return found


def _ignored(git: Git, globs: Sequence[str]) -> Iterator[str]:
    """Ignored files; those in folders that are ignored whole only where a glob names such a folder."""
    top = git.repository.top
    looked = 0
    listed = sorted(git.ignored())
    # Named outright: no folder is gone through for it.
    yield from (glob for glob in globs if "/" in glob and any(f"{glob}/".startswith(f"{path}/") for path in listed))
    for path in listed:
        if not (top / path).is_dir() or (top / path).is_symlink():
            yield path
            continue
        if not any(
            fnmatchcase(path, "/".join(glob.split("/")[: path.count("/") + 1])) for glob in globs if "/" in glob
        ):
            continue
        for folder, folders, names in os.walk(top / path):
            folders[:] = [name for name in folders if not os.path.lexists(f"{folder}/{name}/.git")]
            looked += len(names)
            if looked > _LOOKED_MAX:
                return
            yield from (os.path.relpath(f"{folder}/{name}", top) for name in sorted(names))


def with_ports(path: str, data: bytes, names: Sequence[str], offset: int) -> bytes:
    """An environment file in which the ports of the variables that the globs `names` name are `offset` higher."""
    if not Path(path).name.startswith(".env"):
        return data

    def moved(found: re.Match[bytes]) -> bytes:
        port = int(found[4]) + offset
        name = found[2].decode("ascii")
        if port > PORT_MAX or not any(fnmatchcase(name, glob) for glob in names):
            return found[0]
        return b"%s%s%d%s" % (found[1], found[3], port, found[5])

    return _PORT.sub(moved, data)


# Between the ports of two work trees.
PORT_STEP: Final = 100
_PORT_MOST: Final = 50_000
# What git itself writes into a work tree's lock while it is being made.
_INITIALISING: Final = "initializing"
# So long is waited for a git that whoever was killed had begun: to make a work tree, to check its files out.
_UNBORN_S: Final = 2.0
_CHECKOUT_S: Final = 10.0
_PAUSE_S: Final = 0.05


def create(ports: Ports, repository: Repository, name: str, *, base: str = "") -> WorkTree:
    """Make the work tree `name` for the branch `base` ("": the one that is checked out in `repository`), or finish one
    that was begun. Raises `InputError`, `Unavailable`.
    """
    checked_name(name)
    base = base or _current(repository)
    home = made_home(repository)
    act = GitAct(repository.top, ports.environment)
    try:
        with alone(home / name):
            git_dir, note = _begun(act, repository, home / name, base)
    except OSError as error:
        raise Unavailable(f"{home / name} cannot be made: {error}", code="E-worktree-place") from error
    tree = tree_from(repository, name, git_dir, note)
    git = Git(repository, environment=ports.environment)
    _check_out(git, ports, tree, note)
    # What a person opted into for the repository holds here, too.
    opened(str(ports.trust_store.parent), locate(tree.path), str(tree.path))
    return tree


def _current(repository: Repository) -> str:
    found = head(repository)
    if found is None or not found.branch:
        raise InputError(
            "no branch is checked out here that the work could be merged into",
            code="E-worktree-base",
            hint="Name one: `clew worktree new NAME --base BRANCH`.",
        )
    return found.branch


def _begun(act: GitAct, repository: Repository, path: Path, base: str) -> tuple[Path, WorktreeNote]:
    """A work tree without its files, and the note of it."""
    git_dir = _born(repository, path)
    note = read_note(git_dir) if git_dir is not None else None
    is_strange = git_dir is None and os.path.lexists(path) and bool(_names(path) or not path.is_dir())
    if is_strange or (note is not None and note.ready):
        raise InputError(
            f"there is a work tree {path.name} already, in {path}",
            code="E-worktree-exists",
            hint=f"Go on in it (`clew worktree open {path.name}`), or take another name.",
        )
    if git_dir is None:
        _add(act, path, base)
        git_dir = registered(repository)[path.name]
    if note is None:
        notes = (read_note(one) for one in registered(repository).values())
        taken = {one.port_offset for one in notes if one is not None}
        note = WorktreeNote(base, next(n for n in range(PORT_STEP, _PORT_MOST, PORT_STEP) if n not in taken))
        write_note(git_dir, note)
    return git_dir, note


def _born(repository: Repository, path: Path) -> Path | None:
    """Git's own folder of the work tree at `path`, None where there is none. What git left that was killed while it
    made one, before anything stood in it, is cleared away; a git that is at it is waited for.
    """
    limit = time.monotonic() + _UNBORN_S
    while True:
        git_dir = registered(repository).get(path.name)
        is_bare = _names(path) <= {".git"}
        begun = git_dir is not None and (read_small(git_dir / LOCK) or "").strip() == _INITIALISING
        is_unborn = (begun and not (git_dir / "index").exists()) if git_dir else (path / ".git").is_file()
        if not (is_bare and is_unborn):
            return git_dir
        if time.monotonic() > limit:
            break
        time.sleep(_PAUSE_S)
    delete(path / ".git")
    if git_dir is not None:
        delete_tree(git_dir)
    return None


def _names(folder: Path) -> set[str]:
    try:
        return {entry.name for entry in folder.iterdir()}
    except OSError:
        return set()


def _add(act: GitAct, path: Path, base: str) -> None:
    branch = OWN_BRANCHES + path.name
    target = act.run("rev-parse", "--verify", "--quiet", f"refs/heads/{base}^{{commit}}")
    if target.code:
        raise InputError(
            f"there is no branch {base!r}", code="E-worktree-base", hint="`git branch` lists the branches."
        )
    start = target.out.decode().strip()
    there = act.run("rev-parse", "--verify", "--quiet", f"refs/heads/{branch}")
    if there.code:
        # `--no-track`: a base that is a remote's would become what `git push` writes to.
        new = ["--no-track", "-b", branch, str(path), start]
    else:
        # Left by a work tree that is gone. It goes on from the base only if that has all that it had.
        tip = there.out.decode().strip()
        if act.run("merge-base", "--is-ancestor", tip, start).code:
            raise InputError(
                f"the branch {branch} is there, and has commits that {base} has not",
                code="E-worktree-branch",
                hint=f"Take another name; or merge it first: `git merge {branch}`.",
            )
        act.do("update-ref", f"refs/heads/{branch}", start, tip)
        new = [str(path), branch]
    act.do("worktree", "add", "--quiet", "--no-checkout", *new)


def _check_out(git: Git, ports: Ports, tree: WorkTree, note: WorktreeNote) -> None:
    """Put the files there. Nothing that somebody wrote there meanwhile is written over."""
    settings = ports.settings(git.repository.top)
    _check_untouched(git, tree, note)
    act = GitAct(tree.path, ports.environment)
    act.check_top()
    _reset(act, tree)
    names = settings.words("worktree.ports")
    found = {
        path: (with_ports(path, data, names, note.port_offset), mode)
        for path, (data, mode) in wanted(git, settings.words("worktree.copy")).items()
    }
    copies = {path: sha256(data).hexdigest() for path, (data, _) in found.items()}
    note = note._replace(copies=copies)
    write_note(tree.git_dir, note)
    for path, (data, mode) in found.items():
        place = tree.path / path
        if not os.path.lexists(place) and place.parent.resolve().is_relative_to(tree.path):
            private_folder(place.parent)
            replace(place, data, mode=mode, durable=False)
    write_note(tree.git_dir, note._replace(ready=True))


def _reset(act: GitAct, tree: WorkTree) -> None:
    """What `git worktree add` does last. A git that was begun by somebody who was killed is waited for."""
    limit = time.monotonic() + _CHECKOUT_S
    while True:
        done = act.run("reset", "--hard", "--quiet", "--no-recurse-submodules")
        if not done.code:
            return
        if b"index.lock" not in done.err or time.monotonic() > limit:
            raise Unavailable(
                f"the files of {tree.name} cannot be checked out: {done.said}",
                code="E-git-failed",
                hint=f"Fix what git says, and make it again; it is in {tree.path}.",
            )
        time.sleep(_PAUSE_S)


def _check_untouched(git: Git, tree: WorkTree, note: WorktreeNote) -> None:
    """Raises `InputError` unless all that is there is what a checkout that was cut off leaves: files of the base, whole
    or their beginnings, and copies of ours.
    """
    here = git.beside(tree.path)
    assert here is not None
    found = (
        os.path.relpath(f"{folder}/{name}", tree.path) for folder, _, names in os.walk(tree.path) for name in names
    )
    there = sorted(path for path in found if path != ".git" and path not in note.copies)
    blobs = here.tracked(there)
    for path in there:
        place = tree.path / path
        blob = here.content(blobs[path]) if path in blobs else b""
        if path not in blobs or (not place.is_symlink() and not blob.startswith(place.read_bytes())):
            raise InputError(
                f"the work tree {tree.name} was never finished, and {path} in it is nobody's but yours",
                code="E-worktree-exists",
                hint=f"Save that file elsewhere, and make the work tree again; it is in {tree.path}.",
            )
