"""Where a git repository and its work trees are, where HEAD and branches stand, read off its files: no process, nothing
followed, nothing run. And what clew notes of a work tree that it made.

Layout: gitrepository-layout(5). What is not understood (reftable, a damaged file) is None, and git itself is asked.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from clew.workspace.atomic import replace
from clew.workspace.disk import clean

_SMALL_FILE_BYTES_MAX = 4 << 20
_REFLOG_TAIL_BYTES = 256 << 10
_SYMBOLIC = "ref: "
_BRANCHES = "refs/heads/"


class Repository(NamedTuple):
    """A work tree with its repository; all paths absolute and resolved.

    `git_dir` is this work tree's own folder, `common_dir` the one that all work trees share: they differ in a
    linked work tree. `common_dir/clew` is where a ledger lives.
    """

    top: Path
    git_dir: Path
    common_dir: Path


class Head(NamedTuple):
    """`branch` is "" when detached, `commit` "" before the first commit."""

    branch: str
    commit: str


def find(folder: Path) -> Repository | None:
    """The repository whose work tree holds `folder`: the nearest `.git` upwards. None outside one, in a bare one,
    and in a folder whose `.git` names a bare one: it holds work trees and is none.
    """
    try:
        start = folder.resolve()
    except (OSError, RuntimeError):  # a loop of links: RuntimeError before Python 3.13
        return None
    for top in (start, *start.parents):
        git_dir = _git_dir(top / ".git")
        if git_dir is not None:
            common = _common_dir(git_dir)
            return None if _is_hub(top, git_dir, common) else Repository(top, git_dir, common)
    return None


def bare_at(folder: Path) -> Path | None:
    """The bare repository that `folder` (resolved) is in, or the folder around it whose `.git` names a bare one."""
    for place in (folder, *folder.parents):
        if (place / "HEAD").is_file() and (place / "objects").is_dir() and (place / "refs").is_dir():
            return place
        git_dir = _git_dir(place / ".git")
        if git_dir is not None:
            return place if _is_hub(place, git_dir, _common_dir(git_dir)) else None
    return None


def _is_hub(top: Path, git_dir: Path, common: Path) -> bool:
    """Whether `.git` in `top` names a bare repository: as the place of work trees that are all linked ones."""
    if git_dir != common or (top / ".git").is_dir():
        return False
    rows = (read_small(git_dir / "config") or "").lower().split("\n")
    return any("".join(row.split()) in ("bare", "bare=true", "bare=yes", "bare=on", "bare=1") for row in rows)


def head(repository: Repository) -> Head | None:
    """Branch and commit of HEAD, None when the files do not tell (then git does)."""
    text = read_small(repository.git_dir / "HEAD")
    if text is None:
        return None
    text = text.strip()
    if not text.startswith(_SYMBOLIC):
        return Head("", text) if _is_id(text) else None
    name = text.removeprefix(_SYMBOLIC).strip()
    # A reftable repository holds "refs/heads/.invalid" here, so that old readers stop.
    if not name.startswith(_BRANCHES) or name == "refs/heads/.invalid" or ".." in name:
        return None
    return Head(name.removeprefix(_BRANCHES), ref_commit(repository.common_dir, name))


def ref_commit(common_dir: Path, name: str) -> str:
    """The commit that a ref (`refs/heads/main`) stands at, "" where the files tell of none."""
    if ".." in name:
        return ""
    loose = (read_small(common_dir / name) or "").strip()
    return loose if _is_id(loose) else _packed(common_dir, name)


def head_at(repository: Repository, seconds: int) -> str:
    """The commit that HEAD of this work tree stood at, by its reflog, `seconds` after 1970; "" if it does not say.

    The newest entry that is not later wins, as in git's own `HEAD@{time}`, so a clock that went back does no harm.
    """
    for line in reversed(reflog(repository.git_dir).split(b"\n")):
        fields, tab, _ = line.partition(b"\t")
        words = fields.split(b" ")
        if not tab or len(words) < 4 or not words[-2].isdigit():
            continue
        commit = words[1].decode("ascii", "replace")
        if int(words[-2]) <= seconds and _is_id(commit) and commit.strip("0"):
            return commit
    return ""


def reflog(git_dir: Path, name: str = "HEAD") -> bytes:
    """The end of what git noted of each move of a HEAD or ref, a line each, oldest first; empty where there is none."""
    return _bytes(git_dir / "logs" / name, from_end=True, limit=_REFLOG_TAIL_BYTES) or b""


def _git_dir(dot_git: Path) -> Path | None:
    """What a `.git` folder, or a `.git` file of a linked work tree or submodule, stands for."""
    try:
        mode = dot_git.stat().st_mode
    except (OSError, ValueError):
        return None
    target = dot_git
    if stat.S_ISREG(mode):
        text = read_small(dot_git)
        if text is None or not text.startswith("gitdir:"):
            return None
        target = dot_git.parent / text.removeprefix("gitdir:").strip()
    try:
        return target.resolve() if (target / "HEAD").is_file() else None
    except (OSError, RuntimeError, ValueError):
        return None


def _common_dir(git_dir: Path) -> Path:
    text = read_small(git_dir / "commondir")
    return resolved(git_dir / text.strip()) if text and text.strip() else git_dir


def resolved(path: Path) -> Path:
    """`path` without links, or itself where there is a loop of them or no path at all."""
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):
        return path


def _packed(common_dir: Path, name: str) -> str:
    for line in (read_small(common_dir / "packed-refs") or "").split("\n"):
        commit, _, ref = line.partition(" ")
        if ref == name and _is_id(commit):
            return commit
    return ""


def _is_id(text: str) -> bool:
    return len(text) in {40, 64} and all(character in "0123456789abcdef" for character in text)


def read_small(path: Path) -> str | None:
    """A small regular file as text, undecodable bytes kept as by `os.fsdecode`; None for anything else.

    A named pipe in place of one of git's files must not hang us.
    """
    data = _bytes(path, from_end=False, limit=_SMALL_FILE_BYTES_MAX)
    return None if data is None else os.fsdecode(data)


def _bytes(path: Path, *, from_end: bool, limit: int) -> bytes | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except (OSError, ValueError):
        return None
    try:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            return None
        if from_end and facts.st_size > limit:
            os.lseek(descriptor, -limit, os.SEEK_END)
        return os.read(descriptor, limit)
    except OSError:
        return None
    finally:
        os.close(descriptor)


_NAME: Final = "clew.json"


class WorktreeNote(NamedTuple):
    """`base` is the branch that the work is for. `copies` are the ignored files that were copied into it, by path
    relative to the top, each with the SHA-256 of what was written. Its servers listen `port_offset` above their ports.
    `ready`: all its files were checked out, and somebody was told of it.
    """

    base: str
    port_offset: int
    copies: Mapping[str, str] = MappingProxyType({})
    ready: bool = False


def read_note(git_dir: Path) -> WorktreeNote | None:
    """The note of the work tree whose own git folder is `git_dir`."""
    text = read_small(git_dir / _NAME)
    try:
        found = json.loads(text or "")
        base, offset, copies = found["base"], found["port_offset"], found["copies"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if not (isinstance(base, str) and type(offset) is int and isinstance(copies, dict)):
        return None
    kept = {path: str(digest) for path, digest in copies.items() if clean(path) == path}
    return WorktreeNote(base, offset, kept, found.get("ready") is True)


def write_note(git_dir: Path, note: WorktreeNote) -> None:
    """Keep a note. Raises OSError."""
    replace(git_dir / _NAME, json.dumps({**note._asdict(), "copies": dict(note.copies)}).encode(), mode=0o600)


# Folders in which work trees are made, by what makes them: each of their folders is one.
_HOMES: Final = ("worktrees", ".worktrees", ".trees")


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


def top_of(cwd: str) -> str:
    """The top of the work tree that a session's folder is in; of one that is gone and stood in a folder where work
    trees are made (`.claude/worktrees/fee`), however deep, the folder itself: no name above it tells where the tree
    began. A folder outside git is its own top.
    """
    place = Path(cwd)
    repository = find(place) if place.is_absolute() else None
    if repository is None:
        return cwd
    home = next((folder for folder in place.parents if folder.name in _HOMES), None)
    is_of_another = home is not None and not repository.top.is_relative_to(home) and not _is_there(place)
    return cwd if is_of_another else str(repository.top)


def may_have_been(repository: Repository, place: Path) -> bool:
    """Whether a folder that is said to have been a work tree of the repository can have been one: it is gone, and stood
    beside it, or where work trees are made. Who says so may be anybody: a bundle names folders, too.
    """
    main = repository.common_dir.parent if repository.common_dir.name == ".git" else repository.top
    is_home = place.parent.name in _HOMES or place.parent.parent.name in _HOMES
    return place.is_absolute() and (is_home or place.parent == main.parent) and not _is_there(place)


def was_work_tree(repository: Repository, folder: Path, branch: str) -> bool:
    """Whether a folder that is gone was a work tree of the repository, on `branch`: it stood beside it by a name that
    begins with its own (`shop-fee` beside `shop`), and the repository knows of that branch. Git forgets where a work
    tree was once that is removed.
    """
    main = repository.common_dir.parent if repository.common_dir.name == ".git" else repository.top
    beside = next((one for one in (folder, *folder.parents) if one.parent == main.parent), None)
    if beside is None or _is_there(beside) or not branch:
        return False
    rest = beside.name.removeprefix(main.name)
    if rest == beside.name or not rest.startswith(("-", "_", ".")):
        return False
    head = (read_small(main / ".git" / "HEAD") or "").strip()
    if head == f"ref: refs/heads/{branch}":
        return False  # any clone has that one
    merged = f"merge {branch}:".encode()
    is_there = bool(ref_commit(repository.common_dir, f"refs/heads/{branch}"))
    return is_there or merged in reflog(repository.common_dir)


def _is_there(place: Path) -> bool:
    """Whether there is such a folder. A record can name what no system takes for a path."""
    try:
        return place.is_dir()
    except (OSError, ValueError):
        return False


_DEFAULTS: Final = ("main", "master", "trunk", "develop")
_REMOTE_HEAD: Final = "refs/remotes/origin/HEAD"
_REMOTE_BRANCH: Final = "ref: refs/remotes/origin/"


def default_branch(repository: Repository) -> str:
    """The branch that others are merged into: what the remote's HEAD names, else the first common name there is; ""
    where nothing tells.
    """
    told = (read_small(repository.common_dir / _REMOTE_HEAD) or "").strip()
    if told.startswith(_REMOTE_BRANCH):
        return told.removeprefix(_REMOTE_BRANCH)
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


def renamed_to(repository: Repository, branch: str) -> str:
    """What a branch that is gone is called now, as its reflog tells; "" if none was made of it."""
    marker = f"renamed refs/heads/{branch} to refs/heads/"
    folder = repository.common_dir / "logs" / "refs" / "heads"
    for log in sorted(folder.rglob("*")):
        _, found, rest = (read_small(log) or "").rpartition(marker)
        name = rest.partition("\n")[0].strip()
        if found and tip(repository, name):
            return name
    return ""


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
