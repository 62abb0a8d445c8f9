"""Keeping: whether what is kept is sound, private and has room, and when the client deletes what it keeps itself."""

from __future__ import annotations

import os
import shutil
import stat
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from clew.app.health.finding import HealthFinding, ago, count, size_of
from clew.app.project import SERVER_NAME
from clew.clients.configured import Configuration
from clew.clients.port import Transcript
from clew.ledger.port import Ledger
from clew.ledger.postgres.address import read_address, shown

_ROOM_WRONG: Final = 50 << 20
_ROOM_WARN: Final = 1 << 30
_DAY_S: Final = 86_400
_SOON_DAYS: Final = 7
ARCHIVE: Final = "`clew archive` keeps copies of what is there, `clew settings set archive.on on` of what is to come."
_BESIDE: Final = ("-wal", "-shm")


def sound(ledger: Ledger, path: Path) -> Iterator[HealthFinding]:
    """Whether the store of the ledger is whole; a server's (`path` says which) has no file. Raises `LedgerError`."""
    damage, place = ledger.damage(), str(path)
    size = size_of(_size(path) + _size(Path(f"{path}-wal")))
    mend = "`clew doctor --repair` saves what is whole into a new file and keeps the old one."
    if path.name == SERVER_NAME:
        place = shown(read_address(path).address)
        mend, size = "Restore the database from a backup.", "on a server"
    if damage:
        yield HealthFinding("ledger", "wrong", f"{place} is damaged: {damage}", mend)
    else:
        yield HealthFinding("ledger", "fine", f"{place} is whole: {count(ledger.position(), 'event')}, {size}")


def writable(places: Sequence[Path]) -> Iterator[HealthFinding]:
    """Whether what is kept can be written to: `places` are a ledger's file and the folders of the user's data.

    A file system that is mounted to be read, and a file that was made immutable, say no to everybody.
    """
    shut = []
    for place in places:
        facts = _facts(place)
        is_file = facts is not None and stat.S_ISREG(facts.st_mode)
        beside = (place, *(Path(f"{place}{end}") for end in _BESIDE), place.parent) if is_file else (place,)
        shut += [one for one in beside if _facts(one) and not os.access(one, os.W_OK)]
    if shut:
        mend = "Give yourself write permission, remove an attribute (`chattr -i`), or mount its disk for writing."
        names = ", ".join(map(str, dict.fromkeys(shut)))
        yield HealthFinding("writable", "wrong", f"{names} cannot be written, so nothing new is kept", mend)


def waiting(spool: Path) -> Iterator[HealthFinding]:
    """Whether something waits in the spool of a work tree, which no command could write to the ledger."""
    try:
        names = [entry.name for entry in os.scandir(spool)]
    except OSError:
        return
    batches = sum(name.endswith(".batch") for name in names)
    if batches:
        what = "record waits" if batches == 1 else "records wait"
        mend = "`clew checkpoint`, run where the ledger can be written, imports them (as an agent's words)."
        yield HealthFinding(
            "spool", "warn", f"{batches:,} {what} in {spool}, for the ledger could not be written", mend
        )


def private(places: Sequence[Path]) -> Iterator[HealthFinding]:
    """Whether others can read what is kept in these files and folders, as far as they are there."""
    if os.name != "posix":
        return
    open_to_others, foreign = [], []
    for place in places:
        try:
            facts = place.lstat()
        except OSError:
            continue
        if not stat.S_ISLNK(facts.st_mode) and facts.st_mode & 0o077:
            open_to_others.append(str(place))
        if facts.st_uid != os.getuid():
            foreign.append(str(place))
    if foreign:
        yield HealthFinding(
            "rights", "wrong", f"{', '.join(foreign)} belongs to another user", "Take it over, or move it away."
        )
    if open_to_others:
        mend = "Remove the permissions of others (`chmod go-rwx`)."
        yield HealthFinding("rights", "warn", f"others may read {', '.join(open_to_others)}", mend)
    if not foreign and not open_to_others:
        yield HealthFinding("rights", "fine", "the files are private to you")


def room(places: Sequence[Path]) -> Iterator[HealthFinding]:
    """Whether there is room where things are kept."""
    seen: set[int] = set()
    for place in places:
        there = next((one for one in (place, *place.parents) if _facts(one)), None)
        if there is None:
            continue
        device = there.stat().st_dev
        if device in seen:
            continue
        seen.add(device)
        free = shutil.disk_usage(there).free
        if free < _ROOM_WRONG:
            yield HealthFinding(
                "room", "wrong", f"{size_of(free)} are free at {there}", "Free some: nothing can be saved without."
            )
        elif free < _ROOM_WARN:
            yield HealthFinding("room", "warn", f"{size_of(free)} are free at {there}", "Free some before long.")
        else:
            yield HealthFinding("room", "fine", f"{size_of(free)} are free at {there}")


def retention(
    found: Sequence[Configuration],
    files: Sequence[Transcript],
    waiting: frozenset[str],
    *,
    now_s: float,
    archived: bool = False,
) -> Iterator[HealthFinding]:
    """When each client deletes session files. `files` are the project's, `waiting` the ids of sessions that hold more
    than was imported; `archived`: copies are kept (`archive.on`).
    """
    for one in found:
        if not one.retention_days:
            yield HealthFinding("retention", "fine", f"{one.client} deletes no session")
            continue
        own = [file for file in files if file.client == one.client and file.size]
        said = "" if one.retention_said else ", which is what it does unless told otherwise"
        words = f"{one.client} deletes a session {count(one.retention_days, 'day')} after it last wrote{said}"
        if not own:
            yield HealthFinding("retention", "info", words)
            continue
        oldest = min(file.modified_ns for file in own) / 1e9
        left = one.retention_days - int((now_s - oldest) // _DAY_S)
        day = f"on {day_of_loss(one, own)}, in {count(left, 'day')}" if left > 0 else "at its next start"
        words += f"; the oldest of {len(own):,} here, written {ago(now_s - oldest)}, goes {day}"
        lost = [
            file
            for file in own
            if file.session in waiting and one.retention_days - (now_s - file.modified_ns / 1e9) / _DAY_S < _SOON_DAYS
        ]
        if lost:
            mend = "`clew checkpoint` imports them. `cleanupPeriodDays` in the client's settings keeps files longer."
            yield HealthFinding(
                "retention", "warn", f"{words}; {len(lost):,} of those that go soon were not imported", mend
            )
        else:
            yield HealthFinding("retention", "fine" if archived else "info", words, "" if archived else ARCHIVE)


def day_of_loss(one: Configuration, files: Sequence[Transcript]) -> str:
    """The day (UTC, YYYY-MM-DD) on which the client may delete the oldest of its session files; "" for never."""
    oldest = min((file.modified_ns for file in files if file.client == one.client and file.size), default=0)
    end_s = oldest / 1e9 + one.retention_days * _DAY_S
    return time.strftime("%Y-%m-%d", time.gmtime(end_s)) if oldest and one.retention_days else ""


def _size(path: Path) -> int:
    facts = _facts(path)
    return facts.st_size if facts else 0


def _facts(path: Path) -> os.stat_result | None:
    """What is at `path`; None where nothing is, or nobody lets us look (`Path.exists` would raise)."""
    try:
        return path.stat()
    except OSError:
        return None
