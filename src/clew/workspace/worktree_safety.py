"""Whether a work tree holds work: the one judge over what may be removed. It looks, and changes nothing.

Work is whatever is nowhere else: a file that differs from HEAD or that git does not track, a commit that no other
branch has, a stash, an act of git that is under way, a repository inside; and whatever cannot be determined. Not work
are
tracked files as HEAD has them, the copies of ignored files that clew put there itself, unchanged, and what tools made
and mark as a cache.

The files are walked over here, not by git: no setting of the repository (ignore rules, hidden bits of the index, a file
system monitor, sparse checkouts) can make one of them invisible.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

import psutil

from clew.core.errors import Unavailable
from clew.workspace.fingerprint import algorithm_of, blob_id
from clew.workspace.git import Git, Status, fields_of
from clew.workspace.repository import Repository, find, read_note, read_small

# Branches of work trees of ours: being merged into one of them is not being merged.
OWN_BRANCHES: Final = "clew/"
# git-worktree(1): why a work tree is locked stands in this file of its own git folder.
LOCK: Final = "locked"
_UNDER_WAY: Final = {
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase, or patches being applied",
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "sequencer": "a cherry-pick or revert of several commits",
    "BISECT_LOG": "a bisection",
    "index.lock": "another git command, or one that was killed",
    "HEAD.lock": "another git command, or one that was killed",
}
# Cache Directory Tagging Specification: a folder with such a file can be thrown away.
_TAG: Final = "CACHEDIR.TAG"
_SIGNATURE: Final = b"Signature: 8a477f597d28d172789f06886806bc55"
_BYTECODE: Final = "__pycache__"
# Folders of packages, and what their managers leave in them.
_PACKAGES: Final = "node_modules"
_MANAGERS: Final = (".package-lock.json", ".modules.yaml", ".yarn-state.yml", ".yarn-integrity")
_SHOWN: Final = 20
_LEFT_MAX: Final = 1000
_NESTED_MAX: Final = 5
_GITLINK: Final = "160000"


class Reason(NamedTuple):
    """Why a work tree stays: a word of a fixed set (docs/reference/worktrees.md), a clause, and some of the paths."""

    kind: str
    text: str
    paths: tuple[str, ...] = ()


class SafetyVerdict(NamedTuple):
    """A verdict. Without reasons, `files` (relative to the top) and the whole folders in `caches` are all that there
    is besides folders and the top's `.git`.
    """

    reasons: tuple[Reason, ...]
    files: tuple[str, ...] = ()
    caches: tuple[str, ...] = ()


class _Walked:
    """What a walk over the files found: `known` are tracked ones and copies of ours, `left` all others."""

    def __init__(self) -> None:
        self.known: list[str] = []
        self.left: list[str] = []
        self.caches: list[str] = []
        self.modules: list[str] = []
        self.nested: list[str] = []
        self.closed: list[str] = []


class _Index(NamedTuple):
    """What git tracks. `hidden` are files that git was told not to look at, with their blobs."""

    files: frozenset[str]
    links: frozenset[str]
    folders: frozenset[str]
    hidden: Mapping[str, str]


def judge(
    git: Git, path: Path, *, lock: str = "", branch: str = "", views: Mapping[str, str] = MappingProxyType({})
) -> SafetyVerdict:
    """Why the work tree at `path` is not removed (nothing where nothing in it would be lost), and what it would take to
    remove it. `git` asks its repository. `lock` is the text of a lock that does not count: the
    caller's own. `branch` is one more branch that would go with it. `views` are files that can be made again, by path,
    with the SHA-256 that they had when they were made.
    """
    repository = None if path.is_symlink() else find(path)
    broken = _misplaced(git.repository, repository, path)
    here = None if broken else git.beside(path)
    if repository is None or here is None:
        return SafetyVerdict((Reason("broken", broken),))
    note = read_note(repository.git_dir)
    copies = {**views, **(note.copies if note else {})}
    try:
        status = here.status(exact=True)
        files, caches, reasons = _contents(here, status, copies, 0)
        reasons += [*_head(status), *_commits(here, status, branch), *_locked(repository, lock), *_modules(here)]
    except Unavailable as problem:
        return SafetyVerdict((Reason("unknown", f"git does not tell: {problem.message}"),))
    reasons += _processes(repository.top)
    return SafetyVerdict(tuple(reasons), tuple(files), tuple(caches))


def _contents(
    git: Git, status: Status, copies: Mapping[str, str], depth: int
) -> tuple[list[str], list[str], list[Reason]]:
    """The files of a work tree, the caches in it, and why something in it is work; submodules and all."""
    top = git.repository.top
    index = _index(git)
    walked = _walk(top, index, copies)
    reasons = [*_under_way(git.repository), *_changes(git, status, index), *_leftovers(git, walked)]
    files, caches = walked.known, walked.caches
    for name in walked.modules:
        inner = git.beside(top / name)
        if (
            inner is None
            or inner.repository.top != top / name
            or depth == _NESTED_MAX
            or (top / name / ".git").is_dir()
        ):
            reasons.append(Reason("repository inside", "another repository is inside", (name,)))
            continue
        files_in, caches_in, why = _contents(inner, inner.status(exact=True), {}, depth + 1)
        if _is_apart(inner):
            why.append(Reason("unmerged", "commits of it are at no remote"))
        files = [*files, *(f"{name}/{one}" for one in (".git", *files_in))]
        caches = [*caches, *(f"{name}/{one}" for one in caches_in)]
        if why:
            said = "; ".join(dict.fromkeys(one.text for one in why))
            reasons.append(Reason("submodule", f"the submodule {name} has work of its own: {said}", (name,)))
    return files, caches, reasons


def _is_apart(inner: Git) -> bool:
    """Whether a submodule's repository, which lies in a folder of its work tree alone, has commits that are at no
    remote: of all that its branches, stashes and reflogs name.
    """
    return bool(inner.ask("rev-list", "--max-count=1", "--all", "--reflog", "HEAD", "--not", "--remotes"))


def _modules(git: Git) -> Iterator[Reason]:
    """Repositories of submodules in git's own folder of the work tree, whether or not they are checked out: they go
    with that folder. gitrepository-layout(5), `modules`.
    """
    below = git.repository.git_dir / "modules"
    for folder, folders, names in os.walk(below):
        if "HEAD" not in names or "objects" not in folders:
            continue
        folders[:] = [name for name in folders if name == "modules"]
        name, place = os.path.relpath(folder, below), Path(folder)
        try:
            apart = _is_apart(git.of(Repository(git.repository.top, place, place)))
        except Unavailable as problem:
            yield Reason("unknown", f"the repository of the submodule {name} does not tell: {problem.message}", (name,))
            continue
        if apart:
            text = f"the repository of the submodule {name}, which would go as well, has commits that are at no remote"
            yield Reason("unmerged", text, (name,))


def _misplaced(known: Repository, found: Repository | None, path: Path) -> str:
    """What is wrong with the place; "" if `path` is the top of a linked work tree of the repository."""
    if path.is_symlink() or not path.is_dir():
        return "there is no folder at its place: it was moved or deleted, or its disk is not there"
    if found is None or found.top != path.resolve() or found.common_dir != known.common_dir:
        return "what is at its place is not a work tree of this repository any more"
    if found.git_dir == found.common_dir:
        return "it is the repository itself"
    return ""


def _locked(repository: Repository, own: str) -> Iterator[Reason]:
    place = repository.git_dir / LOCK
    if not os.path.lexists(place):
        return
    why = (read_small(place) or "").strip()
    if not own or why != own:
        yield Reason("locked", f"it is locked: {why}" if why else "it is locked")


def _under_way(repository: Repository) -> Iterator[Reason]:
    for name, what in _UNDER_WAY.items():
        if os.path.lexists(repository.git_dir / name):
            yield Reason("under way", f"{what} is under way ({name})")


def _index(git: Git) -> _Index:
    """`git ls-files -s -v`: a tag, the mode, the blob and the stage before a tab and the path."""
    files: set[str] = set()
    links: set[str] = set()
    hidden: dict[str, str] = {}
    for entry in fields_of(git.ask("ls-files", "-z", "-s", "-v")):
        facts, _, path = entry.partition("\t")
        tag, mode, blob, _ = facts.split(" ")
        if mode == _GITLINK:
            links.add(path)
        else:
            files.add(path)
        if tag != "H" and mode != _GITLINK:
            hidden[path] = blob
    above = {parent for path in (*files, *links) for parent in _above(path)}
    return _Index(frozenset(files), frozenset(links), frozenset(above), hidden)


def _above(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _walk(top: Path, index: _Index, copies: Mapping[str, str]) -> _Walked:
    """Everything on the disk that is neither tracked nor one of our copies. No link is followed."""
    found = _Walked()
    waiting = [""]
    while waiting and len(found.left) < _LEFT_MAX:
        below = waiting.pop()
        try:
            with os.scandir(top / below) as entries:
                rows = list(entries)
        except OSError:
            found.closed.append(below)
            continue
        for row in rows:
            name = f"{below}/{row.name}" if below else row.name
            if name == ".git":
                continue
            if not row.is_dir(follow_symlinks=False):
                known = name in index.files or _is_ours(top / name, copies.get(name))
                (found.known if known else found.left).append(name)
            elif os.path.lexists(f"{row.path}/.git"):
                (found.modules if name in index.links else found.nested).append(name)
            elif name not in index.folders and _is_cache(Path(row.path)):
                found.caches.append(name)
            else:
                waiting.append(name)
    return found


def _is_ours(place: Path, digest: str | None) -> bool:
    """Whether a file is as it was copied or made, or is what tells git that a folder is nobody's work."""
    if digest is None and place.name != ".gitignore":
        return False
    try:
        if not stat.S_ISREG(place.lstat().st_mode):
            return False
        data = place.read_bytes()
    except OSError:
        return False
    return data == b"*\n" if digest is None else hashlib.sha256(data).hexdigest() == digest


def _is_cache(folder: Path) -> bool:
    """Whether tools made the folder and make it again; a repository inside (an editable install) is none of that."""
    try:
        names = os.listdir(folder)  # noqa: PTH208 - names alone
        if folder.name == _BYTECODE:
            return all(".pyc" in name and (folder / name).is_file() for name in names)
        if folder.name == _PACKAGES:
            marked = any(name in names for name in _MANAGERS)
        else:
            tag = folder / _TAG
            marked = tag.is_file() and tag.read_bytes()[: len(_SIGNATURE)] == _SIGNATURE
    except OSError:
        return False
    return marked and not any(".git" in names or ".git" in inner for _, inner, names in os.walk(folder))


def _head(status: Status) -> Iterator[Reason]:
    if not status.head.commit:
        yield Reason("detached", "its branch has no commit yet")
    elif not status.head.branch:
        yield Reason("detached", "it is on no branch (HEAD is detached)")


def _changes(git: Git, status: Status, index: _Index) -> Iterator[Reason]:
    changed = [*status.changed, *_changed_unseen(git, index.hidden)]
    if changed:
        verb = "differs" if len(changed) == 1 else "differ"
        yield Reason(
            "uncommitted", f"{_files(len(changed))} {verb} from the last commit", tuple(sorted(changed)[:_SHOWN])
        )


def _changed_unseen(git: Git, hidden: Mapping[str, str]) -> list[str]:
    """Files that differ from the index though git was told not to look (`--assume-unchanged`, `--skip-worktree`)."""
    top = git.repository.top
    return [path for path, blob in hidden.items() if os.path.lexists(top / path) and _blob(top / path, blob) != blob]


def _blob(place: Path, like: str) -> str:
    """The id that git would give to the file as it is; `like` tells by its length by which hash."""
    try:
        data = os.fsencode(os.readlink(place)) if place.is_symlink() else place.read_bytes()  # noqa: PTH115
    except OSError:
        return ""
    return blob_id(data, algorithm=algorithm_of(like))


def _leftovers(git: Git, walked: _Walked) -> Iterator[Reason]:
    if walked.left:
        unknown = fields_of(git.ask("ls-files", "-z", "--others", "--exclude-standard"))
        left = set(walked.left)
        for kind, names, text in (
            ("untracked", left.intersection(unknown), "git does not track"),
            ("ignored", left.difference(unknown), "git ignores, and that are only here"),
        ):
            if names:
                yield Reason(kind, f"{_files(len(names))} that {text}", tuple(sorted(names)[:_SHOWN]))
    if walked.nested:
        text = "another repository or work tree is inside"
        yield Reason("repository inside", text, tuple(sorted(walked.nested)[:_SHOWN]))
    if walked.closed:
        yield Reason("unknown", "folders in it cannot be looked into", tuple(sorted(walked.closed)[:_SHOWN]))


def _commits(git: Git, status: Status, branch: str) -> Iterator[Reason]:
    """Commits that no branch of others and no remote has, refs that only this work tree has, stashes made in it."""
    own = [name for name in dict.fromkeys((status.head.branch, branch)) if name]
    spaces = ("refs/heads", "refs/stash", "refs/worktree", "refs/bisect", "refs/rewritten")
    refs = set(git.ask("for-each-ref", "--format=%(refname)", *spaces).decode("utf-8", "surrogateescape").split("\n"))
    tips = [f"refs/heads/{name}" for name in own if f"refs/heads/{name}" in refs]
    tips += ["HEAD"] if status.head.commit else []
    if tips:
        apart = [f"--exclude={name}" for name in (*own, f"{OWN_BRANCHES}*")]
        left = git.ask("rev-list", f"--max-count={_LEFT_MAX}", *tips, "--not", *apart, "--branches", "--remotes")
        if count := len(left.split()):
            are = "1 commit is" if count == 1 else f"{count} commits are"
            yield Reason("unmerged", f"{are} in no other branch and at no remote")
    if any(name.startswith(spaces[2:]) for name in refs):
        yield Reason("unmerged", "it has refs of its own (`git for-each-ref refs/worktree refs/bisect`)")
    if "refs/stash" in refs:
        yield from _stashes(git, own)


def _stashes(git: Git, own: Sequence[str]) -> Iterator[Reason]:
    """Stashes are the repository's, and stay; but who made one in this work tree is not done with it. Git writes the
    branch into their subjects (git-stash(1)): "On BRANCH: text", "WIP on BRANCH: commit".
    """
    rows = fields_of(git.ask("log", "-z", "-g", "--no-show-signature", "--format=%gs%n%s", "refs/stash", "--") + b"\0")
    begins = tuple(f"{front}{name}:" for name in own for front in ("On ", "WIP on "))
    made = [row for row in rows if any(line.startswith(begins) for line in row.split("\n"))]
    if made and begins:
        yield Reason("stashed", f"{'a stash was' if len(made) == 1 else f'{len(made)} stashes were'} made in it")


def _processes(top: Path) -> Iterator[Reason]:
    found = occupants(top)
    if found:
        what = "a process stands" if len(found) == 1 else "processes stand"
        yield Reason("in use", f"{what} in it: {', '.join(f'{one.name} ({one.pid})' for one in found)}")


def _files(count: int) -> str:
    return f"{count} file" if count == 1 else f"{count} files"


_OCCUPANTS_MAX: Final = 20


class Occupant(NamedTuple):
    """A process; `name` is the one that the system has for it."""

    pid: int
    name: str


def occupants(folder: Path) -> tuple[Occupant, ...]:
    """The processes that stand in `folder`, by pid, 20 at most: by their working folders, programs and open files, as
    far as the system shows them. Never raises.
    """
    top, found = os.path.realpath(folder), []
    for process in psutil.process_iter(("pid", "name", "cwd", "exe", "open_files")):
        seen = process.info
        places = (seen["cwd"] or "", seen["exe"] or "", *(file.path for file in seen["open_files"] or ()))
        if any(place == top or place.startswith(top + os.sep) for place in places):
            found.append(Occupant(seen["pid"], seen["name"] or ""))
    return tuple(sorted(found)[:_OCCUPANTS_MAX])
