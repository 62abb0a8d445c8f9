"""A ledger in one SQLite file (write-ahead log). The schema is in `migrations/`, the promises are in `port.py`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cache, partial
from typing import Any, Final
from zlib import crc32

import apsw
import msgspec

from clew.core.state.crowd import Room, Selected, Sort, parse_sort, said_of, select, sort_of, write_sort
from clew.core.state.events import KINDS, Event, Recorded, checked, is_activity
from clew.core.state.extract import Extract
from clew.core.state.fold import FOLD_VERSION, FOLDED_KINDS, Change, Entity, fold
from clew.core.state.ids import PREFIX_CHARS_MIN
from clew.ledger.port import IDS_MAX, Folded, SessionExtent
from clew.ledger.redaction import REDACTION, purge_event, search_forms
from clew.ledger.sqlite.connection import (
    BUSY_TIMEOUT_MS,
    established,
    guarded,
    is_established,
    readonly,
    rewrite_file,
    transaction,
)
from clew.ledger.sqlite.events import BATCH_FILED_MIN, TAIL_EVENTS_MAX, EventTable, file_tail, filed
from clew.ledger.sqlite.extracts import SCOPE, SqliteExtracts
from clew.ledger.stored import BEHIND, StoredLedger, as_json

_BEGINNING: Final = f"""
    SELECT id FROM (
        SELECT DISTINCT about AS id FROM event
        WHERE filed = 1 AND about <> '' AND about >= :start AND about < :end ORDER BY about LIMIT {IDS_MAX}
    )
    UNION
    SELECT about FROM event WHERE filed = 0 AND seq > :filed AND about <> '' AND about >= :start AND about < :end
    UNION
    SELECT id FROM (
        SELECT DISTINCT id FROM inferred WHERE id >= :start AND id < :end ORDER BY id LIMIT {IDS_MAX}
    )
    ORDER BY id LIMIT {IDS_MAX}
"""
# The neighbours of ids in the order of all, where they share its shortest allowed prefix: a longer one is needed then.
_NEIGHBOURS: Final = f"""
    WITH asked (id, start) AS MATERIALIZED
        (SELECT value, substr(value, 1, instr(value, '-') + {PREFIX_CHARS_MIN}) FROM json_each(:names)),
    beside (id, one, two, three, four) AS MATERIALIZED (SELECT id,
        (SELECT about FROM event WHERE filed = 1 AND about <> '' AND about < asked.id AND about >= start
            ORDER BY about DESC LIMIT 1),
        (SELECT about FROM event WHERE filed = 1 AND about <> '' AND about > asked.id AND about < start || '{BEHIND}'
            ORDER BY about LIMIT 1),
        (SELECT id FROM inferred WHERE id < asked.id AND id >= start ORDER BY id DESC LIMIT 1),
        (SELECT id FROM inferred WHERE id > asked.id AND id < start || '{BEHIND}' ORDER BY id LIMIT 1)
        FROM asked)
    SELECT * FROM beside WHERE coalesce(one, two, three, four) IS NOT NULL
"""
_TAIL: Final = "SELECT DISTINCT about FROM event WHERE filed = 0 AND seq > :filed AND about <> ''"
# What is said of an item tells its task, by its worth: a person's statement 3, a person's word 2, another's statement
# 1, another's word 0. Anybody may speak of it from elsewhere.
_TASK_SAID: Final = """
    SELECT task, (provenance = 'human') * 2 + (kind = 'item.stated') AS worth FROM (
        SELECT seq, task, provenance, kind FROM event
        WHERE filed = 1 AND about <> '' AND about = :name
        UNION ALL
        SELECT seq, task, provenance, kind FROM event
        WHERE filed = 0 AND seq > :filed AND about <> '' AND about = :name
    ) ORDER BY worth DESC, seq LIMIT 1
"""
# A snapshot is brought up to date when so many events are behind it.
EVENTS_MIN: Final = 256

_SAVE: Final = """
    INSERT INTO entity (task, name, sort, said, checksum, changes) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (task, name) DO UPDATE SET
        sort = excluded.sort, said = excluded.said, checksum = excluded.checksum, changes = excluded.changes
"""
_HEAD: Final = """
    INSERT INTO snapshot (task, seq, fold, size) VALUES (?1, ?2, ?3, (SELECT count(*) FROM entity WHERE task = ?1))
    ON CONFLICT (task) DO UPDATE SET seq = excluded.seq, fold = excluded.fold, size = excluded.size
"""
# Two milliseconds for a hundred thousand.
_SORTS: Final = "SELECT sort, count(*) FROM entity WHERE task = ? AND sort > '' GROUP BY sort"
_ROW: Final = "name, checksum, changes"


class SnapshotDamage(Exception):
    """What is kept of a snapshot is not what was written."""


class SnapshotTable:
    """Snapshots of the fold, one a task: a row for each entity, and a head that says up to where they were folded.

    A snapshot is a convenience: one of another version of the fold, a damaged one, one from a longer life of the file
    is as good as none, and is replaced. Reads and writes within whatever transaction the caller has open.
    """

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def seq(self, task: str, upto: int) -> int:
        """The position of the snapshot of a task, if one can be used up to `upto`; else 0."""
        row: Any = self._connection.execute("SELECT seq, fold FROM snapshot WHERE task = ?", (task,)).fetchone()
        return int(row[0]) if row is not None and row[0] <= upto and row[1] == FOLD_VERSION else 0

    def load(self, task: str) -> dict[str, Entity] | None:
        """The entities of a snapshot that can be used; None where it is damaged."""
        try:
            found = self._entities(f"SELECT {_ROW} FROM entity WHERE task = ?", (task,))
        except SnapshotDamage:
            return None
        ((size,),) = self._connection.execute("SELECT size FROM snapshot WHERE task = ?", (task,))
        return found if size == len(found) else None

    def select(
        self, task: str, newer: Sequence[Event], room: Room, also: Collection[str], *, newest: bool = False
    ) -> Selected:
        """What `core.state.crowd.select` says of the entities of a snapshot that can be used, with the events that are
        `newer` on top. Raises `Damaged`.
        """
        touched = fold(newer)
        special = self._entities(f"SELECT {_ROW} FROM entity WHERE task = ? AND sort = ''", (task,))
        apart = {*touched, *also}
        given = (task, msgspec.json.encode(sorted(apart)).decode())
        of_these = "FROM entity WHERE task = ? AND name IN (SELECT value FROM json_each(?))"
        beside = self._entities(f"SELECT {_ROW} {of_these}", given)
        entities: dict[str, Entity] = {**special, **beside}
        counts: dict[Sort, int] = {}
        for (sort,) in self._connection.execute(f"SELECT sort {of_these} AND +sort > ''", given):
            counts[_sort(sort)] = counts.get(_sort(sort), 0) - 1  # they are counted as what they are now
        sorts: list[Any] = self._connection.execute(_SORTS, (task,)).fetchall()
        for text, count in sorts:
            sort = _sort(text)
            counts[sort] = count + counts.get(sort, 0)
            most = room(sort)
            if most != 0:
                order = "said DESC" if newest else "said"
                first = f"SELECT {_ROW} FROM entity WHERE task = ? AND sort = ? ORDER BY {order} LIMIT ?"
                limit = -1 if most is None else most + len(beside)
                crowd = self._entities(first, (task, text, limit))
                kept = [name for name in crowd if name not in apart][:most]
                entities.update((name, crowd[name]) for name in kept)
                counts[sort] -= len(kept)
        entities |= fold(newer, {name: beside[name] for name in touched if name in beside})
        found = select(0, entities, room, also, newest=newest)
        more = {sort: counts.get(sort, 0) + found.more.get(sort, 0) for sort in {*counts, *found.more}}
        return found._replace(more={sort: count for sort, count in more.items() if count})

    def save(self, task: str, seq: int, entities: Mapping[str, Entity], *, base: int) -> None:
        """Bring the snapshot of a task to the position `seq`, unless somebody else changed it since it was read.

        `base` is the position of the snapshot that was read, and `entities` are those that are others since; with 0
        there was none that could be used, and they are all.
        """
        ((newest,),) = self._connection.execute("SELECT ifnull(max(seq), 0) FROM event")
        there = self.seq(task, int(newest))
        if base and there != base:
            return
        if not base:
            if there >= seq and self.load(task) is not None:
                return  # somebody else was quicker
            self._connection.execute("DELETE FROM entity WHERE task = ?", (task,))
        self._connection.executemany(_SAVE, [_row(task, name, entity) for name, entity in entities.items()])
        self._connection.execute(_HEAD, (task, seq, FOLD_VERSION))

    def drop(self) -> None:
        """Forget all snapshots."""
        self._connection.execute("DELETE FROM snapshot")
        self._connection.execute("DELETE FROM entity")

    def _entities(self, query: str, given: Sequence[Any]) -> dict[str, Entity]:
        decode = _decoder().decode
        found: dict[str, Entity] = {}
        try:
            for name, kept, changes in self._connection.execute(query, given):
                if crc32(changes) != kept:
                    raise SnapshotDamage
                found[name] = decode(changes)
        except (msgspec.MsgspecError, UnicodeDecodeError, TypeError):
            raise SnapshotDamage from None
        return found


def _row(task: str, name: str, entity: Entity) -> tuple[Any, ...]:
    sort, changes = sort_of(name, entity), msgspec.msgpack.encode(entity)
    return task, name, "" if sort is None else write_sort(sort), said_of(name, entity), crc32(changes), changes


@cache
def _sort(text: str) -> Sort:
    try:
        return parse_sort(text)
    except (LookupError, ValueError):
        raise SnapshotDamage from None


@cache
def _decoder() -> msgspec.msgpack.Decoder[tuple[Change, ...]]:
    return msgspec.msgpack.Decoder(tuple[Change, ...])


# Of so many tasks at once.
_FOLDED_MAX: Final = 16


class SqliteLedger(StoredLedger):
    """One project's ledger. Several processes may have it open; one object is used by one thread at a time."""

    BEGINNING, NEIGHBOURS, TASK_SAID = _BEGINNING, _NEIGHBOURS, _TASK_SAID

    def __init__(self, connection: apsw.Connection, *, writable: bool, place: str = "") -> None:
        """`connection` is open, set up and of the newest schema (`opening.py`); closing the ledger closes it.

        `place` is what errors call it, where that is not the connection's own file.
        """
        self._connection = connection
        self.writable = writable
        self._wrote = False
        self._durable = True
        self._place = place or connection.filename
        self._guard = partial(guarded, self._place)
        self._events = EventTable(connection)
        self._extracts: SqliteExtracts = SqliteExtracts(connection)
        self._snapshots = SnapshotTable(connection)
        with self._guard():
            self.project, self.key = established(connection)
            # All events up to here are in the indexes; others may come further.
            self._filed = filed(connection)
        # By task what events up to a position come to, with SQLite's version of what was read: a command asks often.
        self._folded: dict[str, tuple[object, Folded]] = {}
        # The extracts that were read last, with what was asked: a start asks twice for all of a task's.
        self._read: tuple[object, tuple[Extract, ...]] | None = None
        self._taken: tuple[object, Mapping[str, SessionExtent]] | None = None
        self._changes = 0

    def append(self, events: Sequence[Event], *, unless_redacted_after: int | None = None) -> tuple[int, ...]:
        """State is on the disk when this returns; activity alone is with the system."""
        durable = not events
        for event in events:
            durable |= not is_activity(checked(event).kind)
        with self._guard():
            if len(events) == 1 and unless_redacted_after is None:  # a statement by itself is a transaction
                self._prepare(durable=durable)
                positions = [self._events.append(events[0])]
            else:
                many = len(events) >= BATCH_FILED_MIN
                with self._change(durable=durable):
                    if unless_redacted_after is not None and self._events.holds(REDACTION, after=unless_redacted_after):
                        return ()
                    positions = [self._events.append(event, file=many) for event in events]
            if positions and positions[-1] - self._filed >= TAIL_EVENTS_MAX:
                self._in_passing(self._file)
        return tuple(positions)

    def position(self) -> int:
        with self._guard():
            return self._events.position()

    def events(
        self, *, task: str | None = None, kinds: Collection[str] | None = None, after: int = 0, upto: int | None = None
    ) -> Iterator[Recorded]:
        """What counts is fixed by the call; rows are read on the way."""
        with self._guard():
            found = self._events.read(task=task, kinds=kinds, after=after, upto=upto)
        return self._guarded(found)

    def fold(self, task: str, *, upto: int | None = None) -> Folded:
        with self._guard():
            with transaction(self._connection, write=False):
                newest = self._events.position()
                end = newest if upto is None else min(upto, newest)
                read = self._connection.pragma("data_version")
                known = self._folded.get(task)
                base = self._snapshots.seq(task, end)
                if known is not None and known[0] == read and base <= known[1].seq <= end:
                    start, before = known[1]
                    if start == end and end - base < EVENTS_MIN:
                        return known[1]
                else:
                    kept = self._snapshots.load(task) if base else None
                    start, before = (0, {}) if kept is None else (base, kept)
                    base = start  # with a damaged snapshot as without one
                events = self._events.of_task(task, FOLDED_KINDS, after=start, upto=end)
            found = Folded(end, fold(events, before) if events else before)
            if end == newest and self.writable and end - base >= EVENTS_MIN:
                self._in_passing(lambda: self._save_snapshot(task, found, base, read))
        if len(self._folded) >= _FOLDED_MAX:
            self._folded.clear()
        self._folded[task] = read, found
        return found

    def fold_of(self, task: str, names: Collection[str]) -> Mapping[str, Entity]:
        with self._guard():
            return {name: one for name, one in fold(self._events.about(task, names)).items() if name in names}

    def select(self, task: str, room: Room, also: Collection[str] = (), *, newest: bool = False) -> Selected:
        with self._guard(), suppress(SnapshotDamage), transaction(self._connection, write=False):
            end = self._events.position()
            base = self._snapshots.seq(task, end)
            newer = self._events.of_task(task, FOLDED_KINDS, after=base, upto=end) if base else []
            if base and len(newer) < EVENTS_MIN:
                return self._snapshots.select(task, newer, room, also, newest=newest)._replace(seq=end)
        return super().select(task, room, also, newest=newest)

    def taken(self) -> Mapping[str, SessionExtent]:
        with self._guard():
            now = self._state()
        if self._taken is None or self._taken[0] != now:
            self._taken = now, super().taken()
        return self._taken[1]

    def extracts(
        self,
        *,
        task: str | None = None,
        session: str | None = None,
        upto: int | None = None,
        items: bool = True,
        holding: Collection[str] | None = None,
    ) -> tuple[Extract, ...]:
        with self._reading():
            if holding is not None:
                return self._extracts.holding(holding, task)
            asked = task, session, upto, items, self._state()
            if self._read is None or self._read[0] != asked:
                self._read = asked, self._extracts.read(task, session, upto, items=items)
            return self._read[1]

    def purge(self, item: str, values: Collection[str]) -> int:
        """Raises `LedgerError` also when the words are gone from the ledger, and another process
        keeps the bytes of the file from going: purging again finishes it.
        """
        values = search_forms(values)
        with self._changing():
            changed = self._events.rewrite(lambda event: purge_event(event, item, values))
            changed += self._extracts.purge(item, values)
            self._snapshots.drop()
            self._folded.clear()
        with self._guard():
            rewrite_file(self._connection)
        return changed

    def prune(self, before: str) -> int:
        with self._guard(), self._change(durable=False):
            return self._events.drop([kind for kind in KINDS if is_activity(kind)], before=before)

    def damage(self) -> str:
        with self._guard():
            # It also holds every index against its table: what is in no checksum is in two places.
            said = [str(row[0]) for row in self._connection.execute("PRAGMA integrity_check(3)") if row[0] != "ok"]
            said += [] if is_established(self._connection) else ["the project's id or the ledger's key is another one"]
            self._extracts.every()
            events, sessions = self._events.damaged(), sorted(self._extracts.passed_over)
        said += [f"{len(events)} of the events cannot be read ({_listed(events)})"] if events else []
        said += [f"what was read off {len(sessions)} sessions cannot ({_listed(sessions)})"] if sessions else []
        return "; ".join(said)

    def close(self) -> None:
        """Whoever wrote leaves an empty write-ahead log behind, unless somebody else reads it."""
        with self._guard():
            if self._wrote:
                self._wrote = False
                self._connection.set_busy_timeout(0)
                with suppress(apsw.Error):  # somebody reads, or the disk is full: all is kept in the log as well
                    self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._connection.close()

    def _state(self) -> tuple[object, int]:
        """What is another one after every change, by this object or any other process."""
        return self._connection.pragma("data_version"), self._changes

    @contextmanager
    def _reading(self) -> Iterator[None]:
        with self._guard(), transaction(self._connection, write=False):
            yield

    @contextmanager
    def _changing(self) -> Iterator[None]:
        with self._guard(), self._change(durable=True):
            yield

    def _named(self, sql: str, **given: Any) -> list[Any]:
        told = {name: as_json(value) if isinstance(value, list) else value for name, value in given.items()}
        told["filed"] = filed(self._connection)
        return self._connection.execute(sql.format(scope=SCOPE), told).fetchall()

    def _unfiled(self) -> list[str]:
        return [str(name) for (name,) in self._named(_TAIL)]

    def _last(self, kind: str) -> int:
        return self._events.last(kind)

    def _events_passed_over(self) -> Collection[int]:
        return self._events.passed_over

    def _change(self, *, durable: bool) -> AbstractContextManager[None]:
        """A transaction that writes. Raises `LedgerError` where this ledger may only be read."""
        self._prepare(durable=durable)
        return transaction(self._connection, write=True)

    def _prepare(self, *, durable: bool) -> None:
        if not self.writable:
            raise readonly(self._place)
        if durable is not self._durable:
            self._durable = durable
            self._connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
        self._wrote = True
        self._changes += 1

    def _save_snapshot(self, task: str, found: Folded, base: int, read: object) -> None:
        # `read` is SQLite's version of what was folded: another process may have purged a word that is in it.
        if self._connection.pragma("data_version") != read:
            return
        changed = found.entities
        if base:
            newer = fold(self._events.of_task(task, FOLDED_KINDS, after=base, upto=found.seq))
            changed = {name: found.entities[name] for name in newer}
        self._snapshots.save(task, found.seq, changed, base=base)

    def _file(self) -> None:
        self._filed, newest = filed(self._connection), self._events.position()
        if newest - self._filed >= TAIL_EVENTS_MAX:
            file_tail(self._connection, newest)
            self._filed = newest

    def _in_passing(self, change: Callable[[], None]) -> None:
        """Make a change that only saves work, unless somebody is writing just now or the disk is full: then later."""
        self._connection.set_busy_timeout(0)
        try:
            with self._change(durable=False):
                change()
        except (apsw.BusyError, apsw.FullError, apsw.IOError, apsw.ReadOnlyError):
            pass
        finally:
            self._connection.set_busy_timeout(BUSY_TIMEOUT_MS)

    def _guarded(self, found: Iterator[Recorded]) -> Iterator[Recorded]:
        with self._guard():
            yield from found


_LISTED_MAX: Final = 10


def _listed(names: Sequence[object]) -> str:
    more = ", …" if len(names) > _LISTED_MAX else ""
    return ", ".join(map(str, names[:_LISTED_MAX])) + more
