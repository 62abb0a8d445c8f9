"""The measured side of `benchmarks.drift.run`: load what was seen, compare all of it, print a count a status.

A program of its own, because a whole process is timed, started and left as a hook is: by `python -I -S -c "import …"`,
so that its bytecode is cached, too, and by `_exit`. `run.py` has the command; `source` is the folder that holds the
package. The product's `screen` looks first, and only if it has suspects is the rest of the product loaded and `drift`
asked about them. "drift" and "git" leave the shortcut out: the product's `drift` over all files, without or with git.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # the name that type checkers know, without importing `typing` for it
if TYPE_CHECKING:
    from collections.abc import Iterator

HEAD_BYTES = 64
_STAT_NUMBERS = 3


class Saved:
    """Columns of a saved look, read without importing anything: stats as flat numbers, then paths, then blob ids.

    `time_s` is when all of them were seen, in seconds since 1970.
    """

    def __init__(self, file: str) -> None:
        self._file = file
        with open(file, "rb", buffering=0) as source:  # noqa: PTH123 (pathlib would be a fifth of the measured time)
            self.time_s, count, names_bytes = map(int, source.read(HEAD_BYTES).split())
            self._numbers = memoryview(source.read(count * _STAT_NUMBERS * 8)).cast("q")
            self.paths = str(source.read(names_bytes), "utf-8").split("\0")
            self._blobs_at = source.tell()

    @property
    def stats(self) -> Iterator[tuple[int, int, int]]:
        """Size, time in nanoseconds and inode, made as they are asked for: fresh memory costs more than the numbers."""
        numbers = iter(self._numbers)
        return zip(numbers, numbers, numbers, strict=True)

    @property
    def blobs(self) -> list[str]:
        """Blob ids, wanted only for a closer look."""
        with open(self._file, encoding="utf-8") as source:  # noqa: PTH123
            source.seek(self._blobs_at)
            return source.read().split()


def save(file: str, *, time_s: int, paths: list[str], stats: list[tuple[int, int, int]], blobs: list[str]) -> None:
    """Write what `Saved` reads."""
    from array import array

    numbers = array("q", [number for one in stats for number in one])
    names = "\0".join(paths).encode()
    head = f"{time_s} {len(paths)} {len(names)}".ljust(HEAD_BYTES).encode()
    with open(file, "wb") as target:  # noqa: PTH123
        target.write(head + numbers.tobytes() + names + " ".join(blobs).encode())


def main(source: str, root: str, file: str, mode: str = "screen") -> None:
    """Compare and print."""
    sys.path.insert(0, source)
    saved = Saved(file)
    positions: list[int] | range = range(len(saved.paths))
    counts: dict[str, int] = {}
    if mode == "screen":
        from clew.workspace.fingerprint import suspects

        moments = [saved.time_s * 1_000_000_000] * len(saved.paths)
        positions = suspects(root, saved.paths, saved.stats, moments)
        counts["unchanged"] = len(saved.paths) - len(positions)
    if positions:
        for status in _statuses(root, saved, positions, with_git=mode == "git"):
            counts[status] = counts.get(status, 0) + 1
    print(counts, flush=True)
    import os

    os._exit(0)


def _statuses(root: str, saved: Saved, positions: list[int] | range, *, with_git: bool) -> list[str]:
    import os
    from pathlib import Path

    from clew.core.records.files import Seen, Stat
    from clew.workspace.drift import drift
    from clew.workspace.git import Git
    from clew.workspace.times import rfc3339

    time, blobs, stats = rfc3339(saved.time_s), saved.blobs, list(saved.stats)
    seen = [Seen(saved.paths[n], blobs[n], Stat(*stats[n]), None, time) for n in positions]
    found = drift(Path(root), seen, since=time, git=Git.at(Path(root), environment=os.environ) if with_git else None)
    return [file.status for file in found.files]
