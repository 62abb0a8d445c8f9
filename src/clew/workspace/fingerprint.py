"""What identifies a file's content: git's blob id, and the `Stat` that vouches for it as long as nothing moves.

Opening is careful: a named pipe must not hang us, a device must not be read, a link is not followed here.
"""

import hashlib
import os
import stat
from typing import Literal, NamedTuple

from clew.core.records.files import Stat
from clew.workspace.screen import RACY_NS

READ_BYTES_MAX = 16 << 20
HASH_BYTES_MAX = 256 << 20
Algorithm = Literal["sha1", "sha256"]
_BLOCK_BYTES = 1 << 18


class Fingerprint(NamedTuple):
    """A regular file's `Stat` and blob id, both of the same moment."""

    stat: Stat
    blob: str


def stat_of(facts: os.stat_result) -> Stat:
    """The part of a stat that vouches for content."""
    return Stat(facts.st_size, facts.st_mtime_ns, facts.st_ino)


def same(saved: Stat, now: Stat, *, seen_ns: int | None) -> bool:
    """Whether equal stats prove equal content, by the rule of `screen`. `seen_ns` is when `saved` was taken."""
    return saved == now and seen_ns is not None and saved.mtime_ns + RACY_NS < seen_ns


def algorithm_of(name: str) -> Algorithm:
    """The hash that made this id of a blob or a commit: repositories use SHA-1 (40 digits) or SHA-256 (64)."""
    return "sha256" if len(name) == 64 else "sha1"


def blob_id(content: bytes, *, algorithm: Algorithm = "sha1") -> str:
    """The id git gives this content, as `git hash-object --no-filters`."""
    return hashlib.new(algorithm, b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def read(path: str, *, limit_bytes: int = READ_BYTES_MAX) -> bytes | None:
    """A regular file's content; None when it is something else, cannot be read, or is larger than the limit."""
    descriptor = _open(path)
    if descriptor is None:
        return None
    try:
        if os.fstat(descriptor).st_size > limit_bytes:
            return None
        blocks = []
        left = limit_bytes + 1
        while left > 0 and (block := os.read(descriptor, min(left, _BLOCK_BYTES))):
            blocks.append(block)
            left -= len(block)
        return b"".join(blocks) if left > 0 else None
    except OSError:
        return None
    finally:
        os.close(descriptor)


def fingerprint(path: str, *, algorithm: Algorithm = "sha1", limit_bytes: int = HASH_BYTES_MAX) -> Fingerprint | None:
    """Stat and blob id of a regular file, read in blocks.

    None when it is something else, cannot be read, is larger than the limit, or was changed while being read.
    """
    descriptor = _open(path)
    if descriptor is None:
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


def _open(path: str) -> int | None:
    """A descriptor of a regular file, None for anything else."""
    flags = os.O_RDONLY
    for name in ("O_NONBLOCK", "O_NOFOLLOW", "O_CLOEXEC", "O_BINARY", "O_NOCTTY"):
        flags |= getattr(os, name, 0)
    try:
        # Opening a device can have effects of its own, so ask before; the second look is for whoever swapped it.
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return None
        descriptor = os.open(path, flags)
    except (OSError, ValueError):
        return None
    try:
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            return descriptor
    except OSError:
        pass
    os.close(descriptor)
    return None
