"""A ledger in one SQLite file (write-ahead log). The schema is in `migrations/`, the promises are in `port.py`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import apsw
import msgspec

from clew.core.state.crowd import Room, Selected, select
from clew.core.state.events import KINDS, Event, Recorded, checked, is_activity
from clew.core.state.extract import Extract
from clew.core.state.fold import FOLDED_KINDS, Entity, fold
from clew.core.state.ids import PREFIX_CHARS_MIN, canonical, shortest_prefix, shortest_prefixes
from clew.core.state.items import Item, Kind
from clew.ledger.port import IDS_MAX, Folded, SessionExtent
from clew.ledger.redaction import REDACTION, purge_event, search_forms
from clew.ledger.sqlite.connection import BUSY_TIMEOUT_MS, ErrorGuard, Transaction, readonly, rewrite_file
from clew.ledger.sqlite.events import BATCH_FILED_MIN, TAIL_EVENTS_MAX, EventTable, file_tail, filed
from clew.ledger.sqlite.extracts import ExtractTables, ExtractVersion
from clew.ledger.sqlite.migrate import established, is_established
from clew.ledger.sqlite.snapshots import EVENTS_MIN, SnapshotDamage, SnapshotTable

# Behind every character that an id can go on with.
_BEHIND: Final = "\U0010ffff"

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
        (SELECT value, substr(value, 1, instr(value, '-') + {PREFIX_CHARS_MIN}) FROM json_each(?)),
    beside (id, one, two, three, four) AS MATERIALIZED (SELECT id,
        (SELECT about FROM event WHERE filed = 1 AND about <> '' AND about < asked.id AND about >= start
            ORDER BY about DESC LIMIT 1),
        (SELECT about FROM event WHERE filed = 1 AND about <> '' AND about > asked.id AND about < start || '{_BEHIND}'
            ORDER BY about LIMIT 1),
        (SELECT id FROM inferred WHERE id < asked.id AND id >= start ORDER BY id DESC LIMIT 1),
        (SELECT id FROM inferred WHERE id > asked.id AND id < start || '{_BEHIND}' ORDER BY id LIMIT 1)
        FROM asked)
    SELECT * FROM beside WHERE coalesce(one, two, three, four) IS NOT NULL
"""
_TAIL: Final = "SELECT DISTINCT about FROM event WHERE filed = 0 AND seq > ? AND about <> ''"
# What is said of an item tells its task, by its worth: a person's statement 3, a person's word 2, another's statement
# 1, another's word 0. Anybody may speak of it from elsewhere.
_TASK_SAID: Final = """
    SELECT task, (provenance = 'human') * 2 + (kind = 'item.stated') AS worth FROM (
        SELECT seq, task, provenance, kind FROM event
        WHERE filed = 1 AND about <> '' AND about = :id
        UNION ALL
        SELECT seq, task, provenance, kind FROM event
        WHERE filed = 0 AND seq > :filed AND about <> '' AND about = :id
    ) ORDER BY worth DESC, seq LIMIT 1
"""
_TASK_NOW: Final = """
    SELECT extract.task, extract.rules < 0
    FROM inferred JOIN extract ON extract.session = inferred.session AND extract.until IS NULL
    WHERE inferred.id = :id AND inferred.until IS NULL
    ORDER BY min(extract.rules, 1) DESC, extract.last_time, extract.session LIMIT 1
"""
_TASK_THEN: Final = """
    SELECT extract.task FROM inferred JOIN extract
        ON extract.session = inferred.session AND extract.until IS NOT NULL AND extract.since < inferred.until
    WHERE inferred.id = :id
    ORDER BY extract.until DESC, extract.session LIMIT 1
"""


class Names:
    """Looks up ids within whatever transaction the caller has open."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def beginning(self, prefix: str) -> tuple[str, ...]:
        """As `Ledger.ids`."""
        start = canonical(prefix)
        given = {"start": start, "end": start + _BEHIND, "filed": filed(self._connection)}
        return tuple(str(name) for (name,) in self._connection.execute(_BEGINNING, given))

    def shortest(self, ids: Collection[str]) -> dict[str, str]:
        """As `Ledger.shortest`."""
        tail = [str(name) for (name,) in self._connection.execute(_TAIL, (filed(self._connection),))]
        # Among themselves and the tail: what is asked for need not be in the ledger yet.
        shown = shortest_prefixes(ids, tail)
        rows: list[Any] = self._connection.execute(_NEIGHBOURS, (msgspec.json.encode(list(shown)).decode(),)).fetchall()
        for name, *neighbours in rows:
            longer = shortest_prefix(name, filter(None, neighbours))
            shown[name] = max(shown[name], longer, key=len)
        return shown

    def task_of(self, name: str) -> str | None:
        """As `Ledger.task_of`."""
        said: Any = self._connection.execute(_TASK_SAID, {"id": name, "filed": filed(self._connection)}).fetchone()
        worth = said[1] if said else 0
        now: Any = None if worth == 3 else self._connection.execute(_TASK_NOW, {"id": name}).fetchone()
        if now and not (now[1] and worth):
            return str(now[0])
        found: Any = said or self._connection.execute(_TASK_THEN, {"id": name}).fetchone()
        return str(found[0]) if found else None


# Of so many tasks at once.
_FOLDED_MAX: Final = 16


class SqliteLedger:
    """One project's ledger. Several processes may have it open; one object is used by one thread at a time."""

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
        self._extracts = ExtractTables(connection)
        self._names = Names(connection)
        self._snapshots = SnapshotTable(connection)
        with self._guard:
            self.project, self.key = established(connection)
            # All events up to here are in the indexes; others may come further.
            self._filed = filed(connection)
        # By task what events up to a position come to, with SQLite's version of what was read: a command asks often.
        self._folded: dict[str, tuple[object, Folded]] = {}
        # The extracts that were read last, with what was asked: a start asks twice for all of a task's.
        self._read: tuple[object, tuple[Extract, ...]] | None = None
        self._taken: tuple[object, dict[str, SessionExtent]] | None = None
        self._changes = 0

    def append(self, events: Sequence[Event], *, unless_redacted_after: int | None = None) -> tuple[int, ...]:
        """See `Ledger.append`. State is on the disk when this returns; activity alone is with the system."""
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
        """See `Ledger.position`."""
        with self._guard:
            return self._events.position()

    def events(
        self, *, task: str | None = None, kinds: Collection[str] | None = None, after: int = 0, upto: int | None = None
    ) -> Iterator[Recorded]:
        """See `Ledger.events`. What counts is fixed by the call; rows are read on the way."""
        with self._guard:
            found = self._events.read(task=task, kinds=kinds, after=after, upto=upto)
        return self._guarded(found)

    def fold(self, task: str, *, upto: int | None = None) -> Folded:
        """See `Ledger.fold`."""
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
        """See `Ledger.fold_of`."""
        with self._guard:
            return {name: one for name, one in fold(self._events.about(task, names)).items() if name in names}

    def select(self, task: str, room: Room, also: Collection[str] = (), *, newest: bool = False) -> Selected:
        """See `Ledger.select`."""
        with self._guard, suppress(SnapshotDamage), Transaction(self._connection, write=False):
            end = self._events.position()
            base = self._snapshots.seq(task, end)
            newer = self._events.of_task(task, FOLDED_KINDS, after=base, upto=end) if base else []
            if base and len(newer) < EVENTS_MIN:
                return self._snapshots.select(task, newer, room, also, newest=newest)._replace(seq=end)
        folded = self.fold(task)
        return select(folded.seq, folded.entities, room, also, newest=newest)

    def take_in(self, extract: Extract, *, unless_redacted_after: int | None = None) -> bool:
        """See `Ledger.take_in`."""
        with self._guard, self._change(durable=True):
            if unless_redacted_after is not None and self._events.last(REDACTION) > unless_redacted_after:
                return False
            before = self._extracts.now(extract.origin.session)
            if before is None:
                self._extracts.retire(extract.origin.session)  # what is there is damaged, or nothing is
                better: Extract | None = extract
            else:
                better = extract.in_place_of(before.task, (before.rules, before.extent, before.digest))
            if better is not None:
                self._replace(before, better)
            return better is not None

    def taken(self) -> Mapping[str, SessionExtent]:
        """See `Ledger.taken`."""
        with self._guard, Transaction(self._connection, write=False):
            if self._taken is None or self._taken[0] != self._state():
                self._taken = self._state(), self._extracts.taken()
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
        """See `Ledger.extracts`."""
        with self._guard, Transaction(self._connection, write=False):
            asked = task, session, upto, items, holding, self._state()
            if self._read is None or self._read[0] != asked:
                self._read = asked, self._extracts.read(task, session, upto, items=items, holding=holding)
            return self._read[1]

    def read_off(self, kinds: Collection[Kind], most: int) -> Mapping[str, tuple[Item, ...]]:
        """See `Ledger.read_off`."""
        with self._guard, Transaction(self._connection, write=False):
            return self._extracts.of_kinds(kinds, most)

    def versions(self) -> Iterator[tuple[int, Extract]]:
        """See `Ledger.versions`."""
        with self._guard, Transaction(self._connection, write=False):
            return iter(self._extracts.all())

    def assign(self, session: str, task: str) -> bool:
        """See `Ledger.assign`."""
        with self._guard, self._change(durable=True):
            before = self._extracts.now(session)
            if before is None:
                return False
            if before.task != task or before.rules < 0:
                extract = self._extracts.extract(before)
                if extract is None:
                    return False
                self._replace(before, extract._replace(task=task, rules=max(before.rules, 0)))
            return True

    def ids(self, prefix: str = "") -> tuple[str, ...]:
        """See `Ledger.ids`."""
        with self._guard:
            return self._names.beginning(prefix)

    def shortest(self, ids: Collection[str]) -> dict[str, str]:
        """See `Ledger.shortest`."""
        with self._guard:
            return self._names.shortest(ids)

    def task_of(self, entity: str) -> str | None:
        """See `Ledger.task_of`."""
        with self._guard:
            return self._names.task_of(entity)

    def purge(self, item: str, values: Collection[str]) -> int:
        """See `Ledger.purge`. Raises `LedgerError` also when the words are gone from the ledger, and another process
        keeps the bytes of the file from going: purging again finishes it.
        """
        values = search_forms(values)
        with self._guard, self._change(durable=True):
            changed = self._events.rewrite(lambda event: purge_event(event, item, values))
            changed += self._extracts.purge(item, values)
            self._snapshots.drop()
            self._folded.clear()
        with self._guard:
            rewrite_file(self._connection)
        return changed

    def prune(self, before: str) -> int:
        """See `Ledger.prune`."""
        with self._guard, self._change(durable=False):
            return self._events.drop([kind for kind in KINDS if is_activity(kind)], before=before)

    def damage(self) -> str:
        """See `Ledger.damage`."""
        with self._guard:
            # It also holds every index against its table: what is in no checksum is in two places.
            said = [str(row[0]) for row in self._connection.execute("PRAGMA integrity_check(3)") if row[0] != "ok"]
            said += [] if is_established(self._connection) else ["the project's id or the ledger's key is another one"]
            events, sessions = self._events.damaged(), self._extracts.damaged()
        said += [f"{len(events)} of the events cannot be read ({_listed(events)})"] if events else []
        said += [f"what was read off {len(sessions)} sessions cannot ({_listed(sessions)})"] if sessions else []
        return "; ".join(said)

    def passed_over(self) -> tuple[str, ...]:
        """See `Ledger.passed_over`."""
        events = (f"event {seq}" for seq in sorted(self._events.passed_over))
        return (*events, *(f"session {one}" for one in sorted(self._extracts.passed_over)))

    def close(self) -> None:
        """See `Ledger.close`. Whoever wrote leaves an empty write-ahead log behind, unless somebody else reads it."""
        with self._guard:
            if self._wrote:
                self._wrote = False
                self._connection.set_busy_timeout(0)
                with suppress(apsw.Error):  # somebody reads, or the disk is full: all is kept in the log as well
                    self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._connection.close()

    def _state(self) -> tuple[object, int]:
        """What is another one after every change, by this object or any other process."""
        return self._connection.pragma("data_version"), self._changes

    def _replace(self, before: ExtractVersion | None, extract: Extract) -> None:
        since, checkpoint = self._events.position() + 1, self._events.last("checkpoint.taken")
        self._extracts.replace(before, extract, since=since, checkpoint=checkpoint)

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
