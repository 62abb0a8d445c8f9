"""Looks at a tree some time after a session, for the tests of drift: what the session saw, and what is found."""

from __future__ import annotations

import os
import time
from pathlib import Path

from clew.core.records.files import Drift, FileDrift, Seen, Stat
from clew.workspace.drift import drift
from clew.workspace.git import Git
from tests.workspace.repos import Repo, environment_with, rfc3339

NOW_S = int(time.time())
THEN_S = NOW_S - 7200
LONG_AGO_S = NOW_S - 86_400
THEN = rfc3339(THEN_S)
TEXT = "".join(f"line {number} of a file that is long enough\n" for number in range(20))


def aged(place: Path, seconds: int = LONG_AGO_S) -> Path:
    """Give a file an old time."""
    os.utime(place, (seconds, seconds))
    return place


def rewind(repo: Repo, seconds: int) -> None:
    """Make the last entry of HEAD's reflog one of that time."""
    log = repo.top / ".git/logs/HEAD"
    *lines, last = log.read_text().splitlines()
    facts, tab, words = last.partition("\t")
    *before, _, zone = facts.split(" ")
    log.write_text("\n".join([*lines, " ".join([*before, str(seconds), zone]) + tab + words]) + "\n")


def look(root: Path, *seen: Seen, since: str = THEN, git: bool = True) -> Drift:
    """Drift of these files with the repository that is there."""
    return drift(root, seen, since=since, git=Git.at(root, environment=environment_with()) if git else None)


def seen(
    path: str, content: str | bytes | None = None, *, blob: str = "", stat: Stat | None = None, time: str = THEN
) -> Seen:
    """What a session saw, in short."""
    return Seen(path, blob, stat, content.encode() if isinstance(content, str) else content, time)


def status(file: FileDrift) -> tuple[object, ...]:
    """What happened and how many lines."""
    return (file.status, file.added, file.removed)
