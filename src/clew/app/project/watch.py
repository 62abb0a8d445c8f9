"""What is watched by effect: off-limits files, and while a plan is open the whole work tree.

Reading a shell line cannot see everything. So what files hold is kept when the watch begins, and the hook behind a tool
compares what the file system says of them (`workspace/stats.py`). Only what really holds something else counts. In the
live folder: `watch` says what to look at, `watched` is what the file system said last, `kept/` what files held.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple

from clew.app.ports import Ports
from clew.app.project.location import ProjectLocation
from clew.core.errors import ClewError, Unavailable
from clew.core.gate.decision import Deed, writes
from clew.core.gate.shell.words import ALONE
from clew.core.runtime_dir import WATCH, WATCHED
from clew.workspace import stats
from clew.workspace.atomic import check_way, make_folder, private_folder, replace
from clew.workspace.fingerprint import blob_id, read
from clew.workspace.git import Git

TREE: Final = "tree"
NAMED: Final = "named"
KEPT: Final = "kept"
# Beside, for it outlives the watch: what `restore` took away may have been somebody's work.
_REPLACED: Final = "replaced"
_INDEX: Final = "index.json"
_SKIPPED: Final = frozenset((".git", ".clew", "node_modules", ".venv", "__pycache__"))
# Of a repository's own folder what decides what the work tree is, and what git runs.
_OF_GIT: Final = ("HEAD", "config", "hooks", "info", "packed-refs", "refs/heads", "refs/tags", "refs/stash")
_COPY_BYTES_MAX: Final = 1 << 20
_COPIES_BYTES_MAX: Final = 64 << 20
_LINK: Final = b"link to "


class WatchedChange(NamedTuple):
    """A watched file that holds something else than before. `before` and `after` are contents, None for a file that was
    not there or is gone; `known`: what it held is kept, so that it can be put back. `ctime_ns`: when it was changed
    (0: it is gone).
    """

    path: str
    before: bytes | None
    after: bytes | None
    known: bool
    ctime_ns: int


def renew(ports: Ports, location: ProjectLocation, live: Path, gates: Mapping[str, Any]) -> None:
    """Begin, change or end the watch of the work tree at `location`, as its rules `gates` ask for.

    A watch that is as it was goes on: what was kept first is what can be put back. Raises OSError.
    """
    wanted = _wanted(location, gates)
    file = live / WATCH
    if wanted and _heads(_read(file)) == _heads(wanted) and (live / WATCHED).exists():
        return
    for name in (WATCH, WATCHED):
        (live / name).unlink(missing_ok=True)
    shutil.rmtree(live / KEPT, ignore_errors=True)
    if wanted:
        how = wanted.split("\n")[1]
        wanted = _text(location, how, _ignored(ports, location) if how == TREE else (), _named_in(wanted))
        lines = stats.looked(wanted)
        _keep(ports, location, live, lines)
        replace(live / WATCHED, lines, mode=0o600, durable=False)
        replace(file, wanted.encode("utf-8", "surrogateescape"), mode=0o600, durable=False)


def changes(ports: Ports, location: ProjectLocation, live: Path, gates: Mapping[str, Any]) -> tuple[WatchedChange, ...]:
    """What changed since the last look, by path; the next look compares with this one. What git ignores, and what is
    in no rule, is left out.
    """
    wanted = _read(live / WATCH)
    if not wanted:
        return ()
    before, now = stats.parsed((live / WATCHED).read_bytes()), stats.looked(wanted)
    after = stats.parsed(now)
    moved = sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
    index = _index(live)
    found = [one for path in moved if (one := _changed(location, live, index, path, after.get(path))) is not None]
    if any(one.before is None and one.known for one in found):
        ignored = _ignored(ports, location)
        found = [one for one in found if one.before is not None or not _is_below(one.path, ignored)]
        wanted = _text(location, wanted.split("\n")[1], ignored, _named_in(wanted))
        now = stats.looked(wanted)
        replace(live / WATCH, wanted.encode("utf-8", "surrogateescape"), mode=0o600, durable=False)
    replace(live / WATCHED, now, mode=0o600, durable=False)
    is_tree = bool(gates.get("plan"))
    return tuple(one for one in found if is_tree or _is_off_limits(location, gates, one.path))


def restore(location: ProjectLocation, live: Path, paths: Sequence[str], *, dry_run: bool) -> tuple[WatchedChange, ...]:
    """Put watched files back as they were when the watch began: `paths`, or all that changed. What was there is moved
    to `replaced/`. What was put back, or would be. Raises OSError.
    """
    wanted, index = _read(live / WATCH), _index(live)
    found = changed_now(location, live, paths)
    for one in found:
        if dry_run or not one.known:
            continue
        target = Path(location.root, one.path)
        if one.path.endswith("/."):
            target = target.resolve()
        _put_aside(target, live / _REPLACED)
        mode = index.get(one.path, {}).get("mode", 0o644)
        _put(target, one.before, int(mode))
    if wanted and found and not dry_run:
        replace(live / WATCHED, stats.looked(wanted), mode=0o600, durable=False)
    return found


def changed_now(location: ProjectLocation, live: Path, paths: Sequence[str] = ()) -> tuple[WatchedChange, ...]:
    """What holds something else than when the watch began, of `paths` or of all that is watched. A path that is not
    watched is passed over: of it nobody knows what it held.
    """
    wanted = _read(live / WATCH)
    if not wanted:
        return ()
    index, now = _index(live), stats.parsed(stats.looked(wanted))
    watched = {*index, *now}
    names = [path for path in paths if path in watched] if paths else sorted(watched)
    return tuple(one for path in names if (one := _changed(location, live, index, path, now.get(path))) is not None)


def _put_aside(target: Path, folder: Path) -> None:
    """Move what stands at `target`, if anything does, into `folder`: of any size, and for the last time it was written
    under one name.
    """
    check_way(target.parent)
    if os.path.lexists(target):
        private_folder(folder)
        stamp = f"{target.lstat().st_mtime_ns}-{sha256(os.fsencode(target)).hexdigest()[:12]}"
        shutil.move(target, folder / f"{stamp}-{target.name[:100]}")


def _put(target: Path, content: bytes | None, mode: int) -> None:
    """Write what a file held; nothing stands there."""
    if content is None:
        return
    make_folder(target.parent)
    if content.startswith(_LINK):
        target.symlink_to(os.fsdecode(content.removeprefix(_LINK)))
    else:
        replace(target, content, mode=mode, durable=False)


def _wanted(location: ProjectLocation, gates: Mapping[str, Any]) -> str:
    """The text of `watch`: the work tree's top, `tree` or `named`, then `-FOLDER` to leave out (those that git ignores
    are still missing) and `+PATH` to look at. "" for nothing.
    """
    levels = gates["levels"]
    named = _off_limits(gates) if levels["offlimits"] != "off" else []
    is_tree = bool(gates.get("plan")) and levels["plan"] != "off"
    if is_tree:
        named = [path for path in named if path.startswith("/")]
        if location.repository is not None:
            own, common = location.repository.git_dir, location.repository.common_dir
            named += [str((own if name == "HEAD" else common) / name) for name in _OF_GIT]
    elif "" in named:
        is_tree = True  # a pattern that may be of any file
    if not is_tree and not named:
        return ""
    return _text(location, TREE if is_tree else NAMED, (), named)


def _text(location: ProjectLocation, how: str, ignored: Iterable[str], named: Iterable[str]) -> str:
    skipped = [f"-{path}" for path in sorted({*_SKIPPED, *ignored})] if how == TREE else []
    return "\n".join([str(location.root), how, *skipped, *(f"+{path}" for path in dict.fromkeys(named) if path)])


def _heads(text: str) -> list[str]:
    """What a watch is about, without the folders that git ignores now."""
    return [line for line in text.split("\n") if not line.startswith("-")]


def _named_in(text: str) -> list[str]:
    return [line[1:] for line in text.split("\n")[2:] if line.startswith("+")]


def _off_limits(gates: Mapping[str, Any]) -> list[str]:
    """The files and folders to look at for the off-limits rules; "" for a pattern that may be of any file."""
    found = []
    for path, *_ in gates["offlimits"]:
        head = path.partition("*")[0]
        plain = head.rpartition("/")[0] if "*" in path else path.rstrip("/")
        found.append(plain)
        if plain and (real := os.path.realpath(Path(gates["root"], plain))) != str(Path(gates["root"], plain)):
            found.append(real)
    return found


def _ignored(ports: Ports, location: ProjectLocation) -> tuple[str, ...]:
    """What git ignores in the work tree; nothing where git cannot be asked."""
    with suppress(Unavailable):
        git = Git.at(location.root, environment=ports.environment)
        if git is not None:
            return git.ignored()
    return ()


def _is_below(path: str, folders: Iterable[str]) -> bool:
    return any(path == folder or path.startswith(folder + "/") for folder in folders)


def _is_off_limits(location: ProjectLocation, gates: Mapping[str, Any], path: str) -> bool:
    root = str(location.root)
    whole = path if path.startswith("/") else f"{root}/{path}"
    deed = Deed([(whole, ALONE)], "", edits=True)
    if any(writes(root, rule, deed) for rule, *_ in gates["offlimits"]):
        return True
    return any(os.path.realpath(Path(root, rule)) == whole for rule, *_ in gates["offlimits"] if "*" not in rule)


def _keep(ports: Ports, location: ProjectLocation, live: Path, lines: bytes) -> None:
    """Keep what the files hold: where git has it, its blob; else a copy, as far as there is room."""
    found = stats.parsed(lines)
    sizes = {path: stamp[2] for path, stamp in found.items() if not path.startswith("/")}
    blobs = _clean_blobs(ports, location, sizes)
    index: dict[str, dict[str, Any]] = {}
    folder = live / KEPT
    private_folder(folder)
    left = _COPIES_BYTES_MAX
    for path, stamp in found.items():
        size = stamp[2]
        entry = index[path] = {"stamp": stamp, "mode": _mode(location, path)}
        if path in blobs and not Path(location.root, path).is_symlink():  # of a link git has where it leads to
            entry["blob"] = blobs[path]
        elif size <= min(_COPY_BYTES_MAX, left) and (content := _content(location, path)) is not None:
            entry["copy"] = sha256(content).hexdigest()
            left -= len(content)
            replace(folder / entry["copy"], content, mode=0o600, durable=False)
    replace(folder / _INDEX, json.dumps(index, separators=(",", ":")).encode(), mode=0o600, durable=False)


def _clean_blobs(ports: Ports, location: ProjectLocation, sizes: Mapping[str, int]) -> Mapping[str, str]:
    """The blobs of files that are as they were committed, byte for byte: one that git writes in another form (other
    line ends, the content behind a pointer) has another size.
    """
    with suppress(Unavailable):
        git = Git.at(location.root, environment=ports.environment)
        if git is not None and git.repository.top == location.root:
            status = git.status()
            dirty = {*status.changed, *status.renamed.values()}
            clean = [path for path in sizes if path not in dirty and not _is_below(path, status.untracked)]
            return {path: blob for path, (blob, size) in git.tracked_sizes(clean).items() if size == sizes[path]}
    return {}


def _mode(location: ProjectLocation, path: str) -> int:
    with suppress(OSError):
        return Path(location.root, path).lstat().st_mode & 0o777
    return 0o644


def _content(location: ProjectLocation, path: str) -> bytes | None:
    """What a file holds; a link counts as where it leads to. None for what is not a file or is gone."""
    whole = Path(location.root, path.removesuffix("/."))
    if whole.is_symlink() and not path.endswith("/."):
        return _LINK + os.fsencode(whole.readlink())
    return read(os.fspath(whole), limit_bytes=_COPY_BYTES_MAX)


def _changed(
    location: ProjectLocation,
    live: Path,
    index: Mapping[str, Mapping[str, Any]],
    path: str,
    now: tuple[int, int, int] | None,
) -> WatchedChange | None:
    """How a file differs from what it held; None where it does not."""
    entry = index.get(path)
    after = _content(location, path)
    if entry is None:
        return (
            None
            if after is None and now is None
            else WatchedChange(path, None, after or b"", True, now[1] if now else 0)
        )
    if now is not None and [*now] == entry.get("stamp"):
        return None
    ctime_ns = now[1] if now else 0
    blob = entry.get("blob")
    if blob:
        if after is not None and blob_id(after, algorithm="sha1" if len(blob) == 40 else "sha256") == blob:
            return _as_it_was(location, entry, path, after, ctime_ns)
        before = _of_git(location, str(blob))
        return WatchedChange(path, before, after, before is not None, ctime_ns)
    if "copy" in entry:
        if after is not None and sha256(after).hexdigest() == entry["copy"]:
            return _as_it_was(location, entry, path, after, ctime_ns)
        before = read(os.fspath(live / KEPT / str(entry["copy"])))
        return WatchedChange(path, before, after, before is not None, ctime_ns)
    return WatchedChange(path, None, after, False, ctime_ns)  # too large to be kept: its time says that it was written


def _as_it_was(
    location: ProjectLocation, entry: Mapping[str, Any], path: str, content: bytes, ctime_ns: int
) -> WatchedChange | None:
    """Of a file that holds what it held only its rights can have changed."""
    same = _mode(location, path) == entry.get("mode") or path.endswith("/.")
    return None if same else WatchedChange(path, content, content, True, ctime_ns)


def _of_git(location: ProjectLocation, blob: str) -> bytes | None:
    with suppress(ClewError):
        git = Git.at(location.root, environment=os.environ)
        return git.content(blob) if git is not None else None
    return None


def _index(live: Path) -> dict[str, dict[str, Any]]:
    with suppress(OSError, ValueError):
        found = json.loads((live / KEPT / _INDEX).read_bytes())
        if isinstance(found, dict):
            return found
    return {}


def _read(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8", "surrogateescape")
    except OSError:
        return ""
