"""A ledger in one SQLite file (write-ahead log). The schema is in `migrations/`, the promises are in `port.py`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

import apsw

from clew.core.state.crowd import Room, Selected
from clew.core.state.events import KINDS, Event, Recorded, checked, is_activity
from clew.core.state.extract import Extract
from clew.core.state.fold import FOLDED_KINDS, Entity, fold
from clew.core.state.ids import PREFIX_CHARS_MIN
from clew.ledger.port import IDS_MAX, Folded
from clew.ledger.redaction import REDACTION, purge_event, search_forms
from clew.ledger.sqlite.connection import BUSY_TIMEOUT_MS, ErrorGuard, Transaction, readonly, rewrite_file
from clew.ledger.sqlite.events import BATCH_FILED_MIN, TAIL_EVENTS_MAX, EventTable, file_tail, filed
from clew.ledger.sqlite.extracts import SCOPE, SqliteExtracts
from clew.ledger.sqlite.migrate import established, is_established
from clew.ledger.sqlite.snapshots import EVENTS_MIN, SnapshotDamage, SnapshotTable
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
        self._guard = ErrorGuard(self._place)
        self._events = EventTable(connection)
        self._extracts: SqliteExtracts = SqliteExtracts(connection)
        self._snapshots = SnapshotTable(connection)
        with self._guard:
            self.project, self.key = established(connection)
            # All events up to here are in the indexes; others may come further.
            self._filed = filed(connection)
        # By task what events up to a position come to, with SQLite's version of what was read: a command asks often.
        self._folded: dict[str, tuple[object, Folded]] = {}
        # The extracts that were read last, with what was asked: a start asks twice for all of a task's.
        self._read: tuple[object, tuple[Extract, ...]] | None = None
        self._changes = 0

    def append(self, events: Sequence[Event], *, unless_redacted_after: int | None = None) -> tuple[int, ...]:
        """State is on the disk when this returns; activity alone is with the system."""
        durable = not events
        for event in events:
            durable |= not is_activity(checked(event).kind)
        with self._guard:
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
        with self._guard:
            return self._events.position()

    def events(
        self, *, task: str | None = None, kinds: Collection[str] | None = None, after: int = 0, upto: int | None = None
    ) -> Iterator[Recorded]:
        """What counts is fixed by the call; rows are read on the way."""
        with self._guard:
            found = self._events.read(task=task, kinds=kinds, after=after, upto=upto)
        return self._guarded(found)

    def fold(self, task: str, *, upto: int | None = None) -> Folded:
        with self._guard:
            with Transaction(self._connection, write=False):
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
        with self._guard:
            return {name: one for name, one in fold(self._events.about(task, names)).items() if name in names}

    def select(self, task: str, room: Room, also: Collection[str] = (), *, newest: bool = False) -> Selected:
        with self._guard, suppress(SnapshotDamage), Transaction(self._connection, write=False):
            end = self._events.position()
            base = self._snapshots.seq(task, end)
            newer = self._events.of_task(task, FOLDED_KINDS, after=base, upto=end) if base else []
            if base and len(newer) < EVENTS_MIN:
                return self._snapshots.select(task, newer, room, also, newest=newest)._replace(seq=end)
        return super().select(task, room, also, newest=newest)

    def extracts(
        self, *, task: str | None = None, session: str | None = None, upto: int | None = None, items: bool = True
    ) -> tuple[Extract, ...]:
        with self._reading():
            asked = task, session, upto, items, self._connection.pragma("data_version"), self._changes
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
        with self._guard:
            rewrite_file(self._connection)
        return changed

    def prune(self, before: str) -> int:
        with self._guard, self._change(durable=False):
            return self._events.drop([kind for kind in KINDS if is_activity(kind)], before=before)

    def damage(self) -> str:
        with self._guard:
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
        with self._guard:
            if self._wrote:
                self._wrote = False
                self._connection.set_busy_timeout(0)
                with suppress(apsw.Error):  # somebody reads, or the disk is full: all is kept in the log as well
                    self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._connection.close()

    @contextmanager
    def _reading(self) -> Iterator[None]:
        with self._guard, Transaction(self._connection, write=False):
            yield

    @contextmanager
    def _changing(self) -> Iterator[None]:
        with self._guard, self._change(durable=True):
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

    def _change(self, *, durable: bool) -> Transaction:
        """A transaction that writes. Raises `LedgerError` where this ledger may only be read."""
        self._prepare(durable=durable)
        return Transaction(self._connection, write=True)

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
        with self._guard:
            yield from found


_LISTED_MAX: Final = 10


def _listed(names: Sequence[object]) -> str:
    more = ", …" if len(names) > _LISTED_MAX else ""
    return ", ".join(map(str, names[:_LISTED_MAX])) + more
