"""Keeping: whether what is kept is sound, private and has room, and when the client deletes what it keeps itself; and
`clew doctor --repair`.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final

from clew.app.archive.archiving import archive_of
from clew.app.cost.index import INDEX_NAME as USAGE
from clew.app.cost.prices import TABLE_NAME
from clew.app.egress.clean_texts import CACHE_NAME as CLEAN
from clew.app.health.finding import HealthFinding, ago, count, size_of
from clew.app.ports import Ports
from clew.app.project.cache_database import damage
from clew.app.project.gates import is_sound
from clew.app.project.location import SERVER_NAME, ProjectLocation, locate
from clew.app.project.opening import ProjectHandle
from clew.app.project.redaction import safe_errors
from clew.app.project.runtime_dirs import read_small
from clew.app.project.watch import KEPT
from clew.app.results import JsonResult
from clew.app.search.search import INDEX_NAME as SEARCHES
from clew.app.stack.counting import CACHE_NAME as COUNTS
from clew.app.stack.lock import store_of
from clew.clients.configured import Configuration
from clew.clients.port import Transcript
from clew.core.cost.budget import BUDGET
from clew.core.errors import ClewError, LedgerError, NotFound
from clew.core.runtime_dir import GATES
from clew.core.state.events import timestamp
from clew.ledger.port import Ledger
from clew.ledger.postgres.address import read_address, shown
from clew.ledger.sqlite.repair import repair
from clew.sessions.cache import FOLDER_NAME, torn
from clew.workspace.objects import DamagedObject

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


_GATES_BYTES_MAX: Final = 16 << 20
_NAMED_MAX: Final = 3
_CHECKPOINT: Final = "Any command that records something rewrites it, such as `clew checkpoint`."


def gates(places: Sequence[Path], position: int) -> Iterator[HealthFinding]:
    """Whether the rules that hooks read are what was written, and those of the ledger as it is now."""
    for live in places:
        try:
            text = read_small(str(live / GATES), most=_GATES_BYTES_MAX)
            behind = position - int(json.loads(text)["position"])
        except FileNotFoundError:
            continue
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            yield HealthFinding("gates", "wrong", f"{live / GATES} cannot be read: no gate holds", _CHECKPOINT)
            continue
        if not is_sound(text):
            said = f"{live / GATES} is not what was written: a gate may not hold"
            yield HealthFinding("gates", "wrong", said, _CHECKPOINT)
        elif behind > 0:
            told = f"the gates' rules are {count(behind, 'event')} behind the ledger"
            yield HealthFinding("gates", "warn", told, _CHECKPOINT)


def live(places: Sequence[Path]) -> Iterator[HealthFinding]:
    """Whether what hooks keep in the live folders is what was written: budgets, and what watched files held."""
    bad = []
    for place in places:
        bad += _unless_json([place / BUDGET])
        bad += [one for one in _files(place / KEPT, "?" * 64) if one.name != _digest(one)]
        bad += _unless_json(_files(place / KEPT, "*.json"))
    if bad:
        mend = "`clew gate restore` can no longer restore these; move them away: the next session saves them again."
        yield HealthFinding("live", "wrong", f"{_named(bad)} not what was written", mend)


def whole(ports: Ports, location: ProjectLocation) -> Iterator[HealthFinding]:
    """Archived sessions, texts of stacks, caches, trust and prices."""
    archive = archive_of(ports)
    sessions = archive.sessions()
    lost = [one.session for one in sessions if not _is_whole(lambda one=one: archive.content(one))]  # type: ignore[misc]
    unread = _unless_json(_files(archive.folder, "sessions/*/*.json"))
    if lost or unread:
        said = f"of {count(len(sessions) + len(unread), 'archived session')} {len(lost) + len(unread)} cannot be given"
        mend = "`clew archive` keeps them again as long as the client has them."
        yield HealthFinding("archive", "wrong", f"{said} back: {_listed([*lost, *map(str, unread)])}", mend)
    elif sessions:
        yield HealthFinding("archive", "fine", f"{count(len(sessions), 'archived session')}: each is what was kept")
    store, stacks = store_of(ports, location), []
    with suppress(OSError):  # of a folder that may not be entered the ledger's finding tells
        stacks = [store.path(one) for one in store.digests() if not _is_whole(lambda one=one: store.content(one))]  # type: ignore[misc]
    if stacks:
        mend = "Delete them; `clew stack build` rebuilds the texts from their sources."
        yield HealthFinding("stacks", "warn", f"{_named(stacks)} not what was kept", mend)
    yield from _caches(ports, location)
    table = ports.trust_store.parent / TABLE_NAME
    for path, mend in (
        (ports.trust_store, "Move it away, and trust what you use again: `clew trust`."),
        (table, "`clew cost --refresh-prices` gets it again."),
    ):
        if _unless_json([path]):
            yield HealthFinding("files", "wrong", f"{path} is not what was written", mend)


def _caches(ports: Ports, location: ProjectLocation) -> Iterator[HealthFinding]:
    bad = [path for name in (SEARCHES, USAGE, COUNTS, CLEAN) if damage(path := ports.cache_folder / name)]
    bad += torn(location.ledger.parent / FOLDER_NAME)
    if bad:
        mend = "Nothing: they are rebuilt when they are next used."
        yield HealthFinding("caches", "info", f"{_named(bad)} not what was written", mend)


def _is_whole(content: Callable[[], Iterable[bytes]]) -> bool:
    try:
        for _ in content():
            pass
    except (OSError, ClewError, DamagedObject):
        return False
    return True


def _unless_json(paths: Iterable[Path]) -> list[Path]:
    """Those of the files that are there and hold no JSON object."""
    bad = []
    for path in paths:
        try:
            if not isinstance(json.loads(path.read_bytes()), dict):
                bad.append(path)
        except (OSError, ValueError, RecursionError):
            if not os.path.lexists(path):
                continue
            bad.append(path)
    return bad


def _files(folder: Path, pattern: str) -> list[Path]:
    return sorted(folder.glob(pattern)) if os.path.isdir(folder) else []  # noqa: PTH112


def _digest(path: Path) -> str:
    with suppress(OSError):
        return sha256(path.read_bytes()).hexdigest()
    return ""


def _named(paths: Sequence[Path]) -> str:
    return f"{_listed(list(map(str, paths)))} {'is' if len(paths) == 1 else 'are'}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMED_MAX]) + (f" and {len(names) - _NAMED_MAX} more" if len(names) > _NAMED_MAX else "")


class Repair(JsonResult, frozen=True):
    """What was done to the ledger at `path`. `damage` is what was wrong ("" nothing: then nothing was done).

    `kept` is where the old file is, None where nothing was done. `events` and `sessions` count what was saved, `lost`
    names what could not be.
    """

    ledger: Path
    damage: str
    kept: Path | str = ""
    events: int = 0
    sessions: int = 0
    lost: tuple[str, ...] = ()


def repair_ledger(project: ProjectHandle) -> Repair:
    """Put what is whole of the ledger of the project that `folder` is in into a new file; the old one is kept.

    Nothing is done to a ledger without damage, or in a dry run. Raises `NotFound` where no ledger is kept, and
    `LedgerError` where nothing of it can be read or another process holds it.
    """
    with safe_errors(project.ports.redact):
        location = locate(project.folder)
        if not location.has_ledger:
            raise NotFound(f"{location.root} is not initialised", code="E-no-ledger", hint="Nothing to repair.")
        if location.is_remote:
            raise LedgerError(
                "a server keeps the ledger of this project: it is not repaired from here",
                code="E-ledger-server",
                hint="Restore the database from a backup; `clew doctor` tells what cannot be read.",
            )
        damage = _damage(project.ports, location.ledger)
        if not damage or project.dry_run:
            return Repair(location.ledger, damage)
        stamp = timestamp(project.ports.now_ms())[:19].replace(":", "-")
        done = repair(location.ledger, stamp=stamp)
        return Repair(location.ledger, damage, done.kept or "", done.events, done.sessions, done.lost)


def _damage(ports: Ports, path: Path) -> str:
    try:
        ledger = ports.open_ledger(path, project="", write=False)
        try:
            return ledger.damage()
        finally:
            ledger.close()
    except LedgerError as error:
        if error.code != "E-ledger-corrupt":
            raise
        return error.message
