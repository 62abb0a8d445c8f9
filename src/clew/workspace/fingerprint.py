"""What identifies a file's content: git's blob id, and the `Stat` that vouches for it as long as nothing moves. And the
first look at many files: which of them do the saved stats not vouch for?

Opening is careful: a named pipe must not hang us, a device must not be read, a link is not followed here.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterable
from typing import Literal, NamedTuple

from clew.core.records.files import Stat

READ_BYTES_MAX = 16 << 20
HASH_BYTES_MAX = 256 << 20
Algorithm = Literal["sha1", "sha256"]
_BLOCK_BYTES = 1 << 18


# A file changed again within one tick of its file system's clock keeps its time. FAT has ticks of two seconds, and
# a session's own clock (a transcript's times) may differ from the file system's by some more.
RACY_NS = 2_000_000_000
_NEVER = float("-inf")
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)  # without it, so on Windows, no folder can be opened


class Fingerprint(NamedTuple):
    """A regular file's `Stat` and blob id, both of the same moment."""

    stat: Stat
    blob: str


def stat_of(facts: os.stat_result) -> Stat:
    """The part of a stat that vouches for content."""
    return Stat(facts.st_size, facts.st_mtime_ns, facts.st_ino)


def same(saved: Stat, now: Stat, *, seen_ns: int | None) -> bool:
    """Whether equal stats prove equal content, by the rule of `suspects`. `seen_ns` is when `saved` was taken."""
    return saved == now and seen_ns is not None and saved.mtime_ns + RACY_NS < seen_ns


def suspects(
    root: str, paths: Iterable[str], stats: Iterable[tuple[int, int, int] | None], seen_ns: Iterable[int | None]
) -> list[int]:
    """Positions of the files, in order, that need a closer look. All others are unchanged.

    The three series run in step: a path relative to `root`, its saved size, time in nanoseconds and inode (None:
    none saved), and when they were saved in nanoseconds since 1970 (None: unknown). Git's rule for its index holds:
    a file that was changed at about the time it was looked at, or later than that (its clock was ahead, or went back
    since), may have been changed again without a trace. Folders are not resolved: no file is opened, and an equal
    inode says that it is the file that was seen. Where the root cannot be opened, every file needs a closer look.
    """
    series = enumerate(zip(paths, stats, seen_ns, strict=True))
    try:
        # The kernel walks from here, not from "/" for every file.
        folder = os.open(root, _FOLDER)
    except (OSError, ValueError):
        return [position for position, _ in series]
    lstat = os.lstat
    found = []
    last, trusted_ns = None, _NEVER
    try:
        for position, (path, saved, moment) in series:
            if moment is not last:  # thousands of files share a few
                last, trusted_ns = moment, _NEVER if moment is None else moment - RACY_NS
            try:
                if saved is not None and saved[1] < trusted_ns and ".." not in path:
                    now = lstat(path, dir_fd=folder)
                    if (now.st_size, now.st_mtime_ns, now.st_ino) == saved and path[0] != "/":
                        continue
            except (OSError, ValueError):
                pass
            found.append(position)
    finally:
        os.close(folder)
    return found


def algorithm_of(name: str) -> Algorithm:
    """The hash that made this id of a blob or a commit: repositories use SHA-1 (40 digits) or SHA-256 (64)."""
    return "sha256" if len(name) == 64 else "sha1"


def blob_id(content: bytes, *, algorithm: Algorithm = "sha1") -> str:
    """The id git gives this content, as `git hash-object --no-filters`."""
    return hashlib.new(algorithm, b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


class UnfitFile(OSError):
    """What is at a path is not read: a link, no regular file, or too large. `strerror` is a clause that says which."""


def read(path: str, *, limit_bytes: int = READ_BYTES_MAX) -> bytes | None:
    """A regular file's content; None when it is something else, cannot be read, or is larger than the limit."""
    try:
        return content_of(path, limit_bytes=limit_bytes)
    except (OSError, ValueError):
        return None


def content_of(path: str, *, limit_bytes: int) -> bytes:
    """As `read`. Raises `UnfitFile`, and `OSError` or `ValueError` for what cannot be opened."""
    with os.fdopen(_open(path), "rb") as file:
        data = file.read(limit_bytes + 1) if os.fstat(file.fileno()).st_size <= limit_bytes else None
    if data is None or len(data) > limit_bytes:
        raise UnfitFile(errno.EFBIG, f"it is larger than {limit_bytes >> 10} KiB", path)
    return data


def fingerprint(path: str, *, algorithm: Algorithm = "sha1", limit_bytes: int = HASH_BYTES_MAX) -> Fingerprint | None:
    """Stat and blob id of a regular file, read in blocks.

    None when it is something else, cannot be read, is larger than the limit, or was changed while being read.
    """
    try:
        descriptor = _open(path)
    except (OSError, ValueError):
        return None
    try:
        before = stat_of(os.fstat(descriptor))
        if before.size > limit_bytes:
            return None
        digest = hashlib.new(algorithm, b"blob %d\0" % before.size, usedforsecurity=False)
        left = before.size
        while left > 0 and (block := os.read(descriptor, min(left, _BLOCK_BYTES))):
            digest.update(block)
            left -= len(block)
        after = stat_of(os.fstat(descriptor))
        return Fingerprint(after, digest.hexdigest()) if left == 0 and before == after else None
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _open(path: str) -> int:
    """A descriptor of a regular file. Raises as `content_of`."""
    flags = os.O_RDONLY
    for name in ("O_NONBLOCK", "O_NOFOLLOW", "O_CLOEXEC", "O_BINARY", "O_NOCTTY"):
        flags |= getattr(os, name, 0)
    # Opening a device can have effects of its own, so ask before; the second look is for whoever swapped it.
    _check(path, os.lstat(path))
    descriptor = os.open(path, flags)
    try:
        _check(path, os.fstat(descriptor))
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _check(path: str, facts: os.stat_result) -> None:
    if stat.S_ISLNK(facts.st_mode):
        raise UnfitFile(errno.ELOOP, "it is a symbolic link", path)
    if not stat.S_ISREG(facts.st_mode):
        raise UnfitFile(errno.EINVAL, "it is not a regular file", path)
