"""One file on disk against what was seen of it, by the cheapest evidence that decides. Knows nothing about git."""

import os
import stat
from collections import Counter
from collections.abc import Iterator
from typing import Literal, NamedTuple

from clew.core.records.files import Seen, Stat
from clew.workspace.disk import Disk, clean
from clew.workspace.fingerprint import (
    READ_BYTES_MAX,
    Algorithm,
    algorithm_of,
    blob_id,
    fingerprint,
    read,
    same,
    stat_of,
)
from clew.workspace.times import nanoseconds


class Look(NamedTuple):
    """What the disk alone says. `undecided`: the file is there, and nothing proves it changed or unchanged.

    `path` is the clean path, "" when it is not one below the root. Line counts are -1 where unknown.
    """

    path: str
    status: Literal["unchanged", "changed", "gone", "unknown", "undecided"]
    added: int = -1
    removed: int = -1


class Examiner:
    """Looks at files below one root. What was written before `since_ns` (None: unknown) is no news."""

    def __init__(self, disk: Disk, *, since_ns: int | None) -> None:
        self._disk = disk
        self._since_ns = since_ns
        self._moments: dict[str, int | None] = {}

    def look(self, seen: Seen) -> Look:
        """Compare one file. Order of evidence: stat, content, blob id, time of the last write."""
        path = clean(seen.path)
        place = None if path is None else self._disk.locate(path)
        if path is None or place is None:
            return Look("", "unknown")
        try:
            facts = os.lstat(place)
            if stat.S_ISLNK(facts.st_mode):
                if seen.blob and seen.blob == _link_blob(place, seen.blob):
                    return Look(path, "unchanged", 0, 0)
                place = self._disk.follow(place)
                if place is None:
                    return Look(path, "unknown")
                facts = os.lstat(place)
        except (FileNotFoundError, NotADirectoryError):
            return Look(path, "gone")
        except (OSError, ValueError):
            return Look(path, "unknown")
        if not stat.S_ISREG(facts.st_mode):
            return _no_file(path, seen, facts)
        now = stat_of(facts)
        if seen.stat is not None and same(seen.stat, now, seen_ns=self.moment(seen.time)):
            return Look(path, "unchanged", 0, 0)
        return self._compare(path, place, seen, now)

    def equal(self, seen: Seen, place: str) -> bool:
        """Whether the file at the absolute path `place` provably holds what was seen."""
        if seen.content is not None:
            data = read(place)
            return data is not None and _same_content(seen, data)
        return bool(seen.blob) and self._same_blob(seen, place) is True

    def lines(self, seen: Seen, place: str) -> tuple[int, int]:
        """Lines added and removed between what was seen and the file at the absolute path `place`; -1 unknown."""
        data = read(place) if seen.content is not None else None
        return UNKNOWN if data is None or seen.content is None else line_counts(seen.content, data)

    def moment(self, time: str) -> int | None:
        """Nanoseconds of an RFC 3339 time; thousands of files share a few times."""
        try:
            return self._moments[time]
        except KeyError:
            return self._moments.setdefault(time, nanoseconds(time))

    def _compare(self, path: str, place: str, seen: Seen, now: Stat) -> Look:
        """A regular file whose stat vouches for nothing."""
        if seen.content is not None:
            data = read(place)
            if data is not None:
                if _same_content(seen, data):
                    return Look(path, "unchanged", 0, 0)
                return Look(path, "changed", *line_counts(seen.content, data))
            # Too large or unreadable. LF for CRLF at most halves a content, and one final newline may be missing.
            if now.size > 2 * len(seen.content) + 2:
                return Look(path, "changed")
        elif seen.stat is not None and seen.stat.size != now.size:
            return Look(path, "changed")
        elif seen.blob:
            verdict = self._same_blob(seen, place)
            if verdict is not None:
                return Look(path, "unchanged", 0, 0) if verdict else Look(path, "changed")
        untouched = seen.stat is None and self._since_ns is not None and now.mtime_ns <= self._since_ns
        return Look(path, "unchanged", 0, 0) if untouched else Look(path, "undecided")

    def _same_blob(self, seen: Seen, place: str) -> bool | None:
        """Whether the file has the blob id that was seen; None if it cannot be determined (unreadable, very large)."""
        algorithm = algorithm_of(seen.blob)
        if seen.stat is None:
            data = read(place)
            if data is not None:
                return any(blob_id(form, algorithm=algorithm) == seen.blob for form in _forms(data))
        print_now = fingerprint(place, algorithm=algorithm)
        if print_now is None:
            return None
        if print_now.blob == seen.blob:
            return True
        return None if seen.stat is None and print_now.stat.size > READ_BYTES_MAX else False


def blob_ids(seen: Seen, algorithm: Algorithm) -> frozenset[str]:
    """The ids under which a repository of this hash may hold what was seen; none if nothing is known of it.

    A transcript may have lost carriage returns and the final newline, so a content has several.
    """
    if seen.blob:
        return frozenset({seen.blob})
    if seen.content is None or len(seen.content) > READ_BYTES_MAX:
        return frozenset()
    forms = {seen.content} if seen.stat is not None else {*_forms(seen.content)}
    if seen.stat is None:
        forms |= {form.replace(b"\n", b"\r\n") for form in forms if b"\r" not in form}
    return frozenset(blob_id(form, algorithm=algorithm) for form in forms)


def _no_file(path: str, seen: Seen, facts: os.stat_result) -> Look:
    """Something else stands at the path. It is never opened."""
    known = bool(seen.blob) or seen.stat is not None or seen.content is not None
    if not known:
        return Look(path, "unknown")
    return Look(path, "gone" if stat.S_ISDIR(facts.st_mode) else "changed")


def _link_blob(place: str, like: str) -> str:
    """Git's blob id of a symbolic link: its target is its content."""
    target = os.readlink(place)  # noqa: PTH115 - as it stands: `Path` would tidy it
    return blob_id(os.fsencode(target), algorithm=algorithm_of(like))


def _same_content(seen: Seen, data: bytes) -> bool:
    if data == seen.content:
        return True
    # With a stat the content was taken from the disk and is exact. From a transcript it may have lost carriage
    # returns and the final newline.
    return seen.stat is None and seen.content is not None and _plain(seen.content) == _plain(data)


def _plain(content: bytes) -> bytes:
    return content.replace(b"\r\n", b"\n").removesuffix(b"\n")


def _forms(data: bytes) -> Iterator[bytes]:
    """What a transcript may have made of this content before it was hashed, the likeliest first."""
    yield data
    unix = data.replace(b"\r\n", b"\n")
    if unix != data:
        yield unix
        yield data.removesuffix(b"\r\n")
    yield unix.removesuffix(b"\n") if unix.endswith(b"\n") else unix + b"\n"


UNKNOWN = (-1, -1)
_BINARY_HEAD_BYTES = 8000


def line_counts(old: bytes, new: bytes) -> tuple[int, int]:
    """How many lines `new` has that `old` lacks, and the other way round. CRLF is LF here, and the last line may lack
    its end. Of binary content, and where lines only moved, nothing is known: -1.
    """
    if b"\0" in old[:_BINARY_HEAD_BYTES] or b"\0" in new[:_BINARY_HEAD_BYTES]:
        return UNKNOWN
    lines = [_plain(content).split(b"\n") if content else [] for content in (old, new)]
    before, after = map(Counter, lines)
    counts = (after - before).total(), (before - after).total()
    return counts if any(counts) or lines[0] == lines[1] else UNKNOWN
