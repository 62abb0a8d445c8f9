"""A ledger in a PostgreSQL database that others may share. The schema is in `migrations/`, the promises in `port.py`.

Whoever changes a ledger locks its row in `clew.ledger` first: one at a time, and what is read under the lock holds.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

import msgspec
import psycopg

from clew.core.errors import InputError, LedgerError
from clew.core.state.crowd import Room, Selected, select
from clew.core.state.events import KINDS, Event, Recorded, checked, is_activity
from clew.core.state.extract import Extract
from clew.core.state.fold import FOLD_VERSION, FOLDED_KINDS, Change, Entity, fold
from clew.core.state.ids import PREFIX_CHARS_MIN, canonical, shortest_prefix, shortest_prefixes
from clew.core.state.items import Item, Kind
from clew.core.state.upcast import upcast
from clew.ledger import codec
from clew.ledger.codec import about
from clew.ledger.port import IDS_MAX, Folded, SessionExtent
from clew.ledger.postgres.connection import Connection, guarded, readonly
from clew.ledger.postgres.extracts import ServerExtracts, ServerVersion
from clew.ledger.redaction import REDACTION, purge_event, search_forms

_COLUMNS: Final = (*Event._fields, "about")
_SELECT: Final = f"SELECT seq, {', '.join(Event._fields)} FROM clew.event WHERE ledger = %(ledger)s"
_LOCK: Final = "SELECT FROM clew.ledger WHERE id = %(ledger)s FOR NO KEY UPDATE"
# Behind the newest one, unless its key is there.
_INSERT: Final = f"""
    {{}} INSERT INTO clew.event (ledger, seq, {", ".join(_COLUMNS)})
    SELECT %(ledger)s, (SELECT coalesce(max(seq), 0) + 1 FROM clew.event WHERE ledger = %(ledger)s),
        {", ".join(f"%({name})s" for name in _COLUMNS)} {{}}
    ON CONFLICT (ledger, key) DO NOTHING RETURNING seq
"""
_KEYS: Final = "SELECT key, seq FROM clew.event WHERE ledger = %(ledger)s AND key = ANY (%(keys)s){}"
_OUTDATED: Final = f"""EXISTS (
    SELECT FROM clew.event WHERE ledger = %(ledger)s AND kind = '{REDACTION}' AND seq > %(redacted)s
)"""
# Looked at before anything of the batch is there, which may hold a redaction itself; known until the transaction ends.
_LOOK: Final = f"SELECT set_config('clew.outdated', {_OUTDATED}::text, true)"
# One event by itself takes the lock in the same statement, if nobody has it just now. Who had it until now may have
# taken the position that this one saw as free: then its key refuses this one, which does it again.
_IF_FREE: Final = f"WITH free AS MATERIALIZED ({_LOCK} SKIP LOCKED)"
_UNLESS_OUTDATED: Final = "current_setting('clew.outdated') = 'false'"
_POSITION: Final = "SELECT coalesce(max(seq), 0) FROM clew.event WHERE ledger = %(ledger)s"
_LAST: Final = f"{_POSITION} AND kind = %(kind)s"
_HEAD: Final = f"""
    SELECT ({_POSITION}), purges, coalesce(snapshot.seq, 0) FROM clew.ledger
    LEFT JOIN clew.snapshot ON snapshot.ledger = id AND task = %(task)s AND fold = {FOLD_VERSION} WHERE id = %(ledger)s
"""
# Nobody waits for it, and nothing that somebody purged meanwhile gets in.
_SAVE: Final = f"""
    INSERT INTO clew.snapshot (ledger, task, seq, fold, entities)
    SELECT id, %(task)s, %(seq)s, {FOLD_VERSION}, %(entities)s FROM clew.ledger
    WHERE id = %(ledger)s AND purges = %(purges)s FOR SHARE SKIP LOCKED
    ON CONFLICT (ledger, task) DO UPDATE SET seq = excluded.seq, fold = excluded.fold, entities = excluded.entities
    WHERE snapshot.seq < excluded.seq OR snapshot.fold <> excluded.fold
"""
# Behind every character that an id can go on with.
_BEHIND: Final = "\U0010ffff"
_SAID: Final = "clew.event WHERE ledger = %(ledger)s AND about <> '' AND about"
_READ: Final = "clew.inferred WHERE ledger = %(ledger)s AND id"

_BEGINNING: Final = f"""
    (SELECT DISTINCT about FROM {_SAID} >= %(start)s AND about < %(end)s ORDER BY about LIMIT {IDS_MAX})
    UNION (SELECT DISTINCT id FROM {_READ} >= %(start)s AND id < %(end)s ORDER BY id LIMIT {IDS_MAX})
    ORDER BY 1 LIMIT {IDS_MAX}
"""
# The neighbours of ids in the order of all, where they share its shortest allowed prefix: a longer one is needed then.
_NEIGHBOURS: Final = f"""
    SELECT name,
        (SELECT max(about) FROM {_SAID} < name AND about >= start),
        (SELECT min(about) FROM {_SAID} > name AND about < start || '{_BEHIND}'),
        (SELECT max(id) FROM {_READ} < name AND id >= start),
        (SELECT min(id) FROM {_READ} > name AND id < start || '{_BEHIND}')
    FROM unnest(%(names)s::text[], %(starts)s::text[]) AS asked (name, start)
"""
# What is said of an item tells its task, by its worth: a person's statement 3, a person's word 2, another's statement
# 1, another's word 0. Anybody may speak of it from elsewhere.
_TASK_SAID: Final = f"""
    SELECT task, (provenance = 'human')::int * 2 + (kind = 'item.stated')::int AS worth
    FROM {_SAID} = %(name)s ORDER BY worth DESC, seq LIMIT 1
"""
_TASK_NOW: Final = """
    SELECT extract.task, extract.rules < 0
    FROM clew.inferred JOIN clew.extract USING (ledger, session)
    WHERE ledger = %(ledger)s AND inferred.id = %(name)s AND inferred.until IS NULL AND extract.until IS NULL
    ORDER BY least(extract.rules, 1) DESC, extract.last_time, extract.session LIMIT 1
"""
_TASK_THEN: Final = """
    SELECT extract.task FROM clew.inferred JOIN clew.extract USING (ledger, session)
    WHERE ledger = %(ledger)s AND inferred.id = %(name)s
    AND extract.until IS NOT NULL AND extract.since < inferred.until
    ORDER BY extract.until DESC, extract.session LIMIT 1
"""
_ROWS_AT_ONCE: Final = 500
# A snapshot is brought up to date when so many events are behind it; so many tasks are kept folded in memory.
_SNAPSHOT_EVENTS_MIN: Final = 256
_FOLDED_MAX: Final = 16
_LISTED_MAX: Final = 10


class PostgresLedger:
    """One project's ledger. Any number of processes and machines may have it open; one object is used by one thread at
    a time. A connection that broke is made anew by the next call.
    """

    def __init__(
        self,
        connection: Connection,
        connect: Callable[[], Connection],
        *,
        ledger: int,
        project: str,
        key: bytes,
        writable: bool,
        place: str,
    ) -> None:
        """`connection` is set up and of the newest schema (`opening.py`); closing the ledger closes it. `ledger` is the
        row of `project` and its `key`, `place` what errors call it.
        """
        self._open = connection
        self._connect = connect
        self._ledger = ledger
        self.project = project
        self.key = key
        self.writable = writable
        self._place = place
        self._passed_over: set[int] = set()
        self._extracts = ServerExtracts(self._query)
        # By task what events up to a position come to, with how often somebody had purged: a command asks often.
        self._folded: dict[str, tuple[int, Folded]] = {}

    def append(self, events: Sequence[Event], *, unless_redacted_after: int | None = None) -> tuple[int, ...]:
        """See `Ledger.append`. One round trip if nobody is in the way, and on the server's disk when this returns."""
        rows = [{**one._asdict(), "data": _data(one), "about": about(one)} for one in map(checked, events)]
        keys, redacted = [one.key for one in events], unless_redacted_after
        insert = _INSERT.format("", "" if redacted is None else f"WHERE {_UNLESS_OUTDATED}")
        select = _KEYS.format("" if redacted is None else f" AND {_UNLESS_OUTDATED}")
        self._check_writable()
        try:
            if len(rows) == 1:
                alone = _INSERT.format(_IF_FREE, "FROM free" + ("" if redacted is None else f" WHERE NOT {_OUTDATED}"))
                with guarded(self._place), suppress(psycopg.errors.UniqueViolation):
                    for (seq,) in self._query(alone, **rows[0], redacted=redacted):
                        return (int(seq),)
            # What goes through a pipeline up to the first answer that is waited for is one transaction.
            with guarded(self._place), self._live().pipeline():
                self._query(_LOCK)
                if redacted is not None:
                    self._query(_LOOK, redacted=redacted)
                for row in rows:
                    self._query(insert, **row)
                seqs = {key: int(seq) for key, seq in self._query(select, keys=keys)}
            return tuple(seqs[key] for key in keys) if seqs else ()
        except psycopg.errors.ProgramLimitExceeded:
            raise InputError(
                "an event cannot be kept: its key, its task or the id that it speaks of is longer than an index takes",
                code="E-event-invalid",
                hint="Nothing of it was kept; a ledger on a PostgreSQL server takes up to 2,600 bytes there.",
            ) from None

    def position(self) -> int:
        """See `Ledger.position`."""
        with guarded(self._place):
            return int(self._query(_POSITION).fetchall()[0][0])

    def events(
        self, *, task: str | None = None, kinds: Collection[str] | None = None, after: int = 0, upto: int | None = None
    ) -> Iterator[Recorded]:
        """See `Ledger.events`. What counts is fixed by the call; rows are read on the way."""
        newest = self.position()
        which = ("" if task is None else " AND task = %(task)s") + (
            "" if kinds is None else " AND kind = ANY (%(kinds)s)"
        )
        given = {"task": task, "kinds": list(kinds or ())}
        found = self._read(which, given, after=after, upto=newest if upto is None else min(upto, newest))
        return (Recorded(seq, upcast(event)) for seq, event in found)

    def fold(self, task: str, *, upto: int | None = None) -> Folded:
        """See `Ledger.fold`."""
        with guarded(self._place):
            ((newest, purges, base),) = self._query(_HEAD, task=task).fetchall()
            end = newest if upto is None else min(upto, newest)
            known = self._folded.get(task)
            if known is not None and known[0] == purges and known[1].seq <= end:
                start, before = known[1]
            else:
                start, before = self._snapshot(task) if 0 < base <= end else (0, {})
            which, given = (
                " AND task = %(task)s AND kind = ANY (%(kinds)s)",
                {"task": task, "kinds": list(FOLDED_KINDS)},
            )
            events = [upcast(event) for _, event in self._read(which, given, after=start, upto=end)]
            found = Folded(end, fold(events, before) if events else before)
            if end == newest and self.writable and end - base >= _SNAPSHOT_EVENTS_MIN:
                entities = msgspec.msgpack.encode(found.entities)
                with suppress(psycopg.Error):  # it only saves work
                    self._query(_SAVE, task=task, seq=end, entities=entities, purges=purges)
        if len(self._folded) >= _FOLDED_MAX:
            self._folded.clear()
        self._folded[task] = purges, found
        return found

    def fold_of(self, task: str, names: Collection[str]) -> Mapping[str, Entity]:
        """See `Ledger.fold_of`."""
        which, given = (
            " AND about = ANY (%(names)s) AND about <> '' AND task = %(task)s",
            {"names": list(names), "task": task},
        )
        found = self._read(which, given, after=0, upto=self.position())
        return {name: one for name, one in fold(upcast(event) for _, event in found).items() if name in names}

    def select(self, task: str, room: Room, also: Collection[str] = (), *, newest: bool = False) -> Selected:
        """See `Ledger.select`."""
        folded = self.fold(task)
        return select(folded.seq, folded.entities, room, also, newest=newest)

    def take_in(self, extract: Extract, *, unless_redacted_after: int | None = None) -> bool:
        """See `Ledger.take_in`."""
        with self._change():
            if unless_redacted_after is not None and self._last(REDACTION) > unless_redacted_after:
                return False
            before = self._extracts.now(extract.origin.session)
            better: Extract | None = extract
            if before is not None:
                better = extract.in_place_of(before.task, (before.rules, before.extent, before.digest))
            if better is not None:
                self._replace(before, better)
            return better is not None

    def taken(self) -> dict[str, SessionExtent]:
        """See `Ledger.taken`."""
        with guarded(self._place):
            return self._extracts.taken()

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
        with guarded(self._place):
            return self._extracts.read(task, session, upto, items=items, holding=holding)

    def read_off(self, kinds: Collection[Kind], most: int) -> Mapping[str, tuple[Item, ...]]:
        """See `Ledger.read_off`."""
        with guarded(self._place):
            return self._extracts.of_kinds(kinds, most)

    def versions(self) -> Iterator[tuple[int, Extract]]:
        """See `Ledger.versions`."""
        with guarded(self._place):
            return iter(self._extracts.every())

    def assign(self, session: str, task: str) -> bool:
        """See `Ledger.assign`."""
        with self._change():
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
        with guarded(self._place):
            start = canonical(prefix)
            return tuple(str(name) for (name,) in self._query(_BEGINNING, start=start, end=start + _BEHIND).fetchall())

    def shortest(self, ids: Collection[str]) -> dict[str, str]:
        """See `Ledger.shortest`."""
        with guarded(self._place):
            shown = shortest_prefixes(ids, ())  # among themselves: what is asked for need not be in the ledger yet
            names = list(shown)
            starts = [name[: name.find("-") + 1 + PREFIX_CHARS_MIN] for name in names]
            for name, *neighbours in self._query(_NEIGHBOURS, names=names, starts=starts).fetchall():
                shown[name] = max(shown[name], shortest_prefix(name, filter(None, neighbours)), key=len)
            return shown

    def task_of(self, entity: str) -> str | None:
        """See `Ledger.task_of`."""
        with guarded(self._place):
            said = self._query(_TASK_SAID, name=entity).fetchone()
            worth = said[1] if said else 0
            now = None if worth == 3 else self._query(_TASK_NOW, name=entity).fetchone()
            if now and not (now[1] and worth):
                return str(now[0])
            found = said or self._query(_TASK_THEN, name=entity).fetchone()
            return str(found[0]) if found else None

    def purge(self, item: str, values: Collection[str]) -> int:
        """See `Ledger.purge`. The server's tables are written anew; its write-ahead log, its replicas and its backups
        are its keeper's. Raises `LedgerError` also when the words are gone and the tables could not be written anew.
        """
        values = search_forms(values)
        with self._change():
            changed = 0
            for seq, event in self._read("", {}, after=0, upto=self.position()):
                new = purge_event(event, item, values)
                if new is not event:
                    self._query(
                        "UPDATE clew.event SET data = %(data)s WHERE ledger = %(ledger)s AND seq = %(seq)s",
                        seq=seq,
                        data=_data(new),
                    )
                    changed += 1
            # Of what is not what was written nothing is left: nobody can say what it holds.
            self._query(
                "UPDATE clew.event SET data = '' WHERE ledger = %(ledger)s AND seq = ANY (%(seqs)s)",
                seqs=list(self._passed_over),
            )
            changed += self._extracts.purge(item, values)
            self._query("DELETE FROM clew.snapshot WHERE ledger = %(ledger)s")
            self._query("UPDATE clew.ledger SET purges = purges + 1 WHERE id = %(ledger)s")
        self._rewrite_tables()
        return changed

    def prune(self, before: str) -> int:
        """See `Ledger.prune`."""
        with self._change():
            return self._query(
                "DELETE FROM clew.event WHERE ledger = %(ledger)s AND kind = ANY (%(kinds)s) "
                "AND recorded_at < %(before)s AND seq < %(newest)s",
                kinds=[kind for kind in KINDS if is_activity(kind)],
                before=before,
                newest=self.position(),
            ).rowcount

    def damage(self) -> str:
        """See `Ledger.damage`. The pages of the disk are the server's business (`data_checksums`, `amcheck`)."""
        for _ in self._read("", {}, after=0, upto=self.position()):
            pass
        with guarded(self._place):
            self._extracts.every()
        return "; ".join(f"{one} cannot be read" for one in self.passed_over()[:_LISTED_MAX])

    def passed_over(self) -> tuple[str, ...]:
        """See `Ledger.passed_over`."""
        events = (f"event {seq}" for seq in sorted(self._passed_over))
        return (*events, *(f"session {one}" for one in sorted(self._extracts.passed_over)))

    def close(self) -> None:
        """See `Ledger.close`."""
        self._open.close()

    def _query(self, query: str, **given: Any) -> psycopg.Cursor[tuple[Any, ...]]:
        return self._live().execute(query, {"ledger": self._ledger, **given})

    def _live(self) -> Connection:
        if self._open.broken:
            self._open = self._connect()
        return self._open

    @contextmanager
    def _change(self) -> Iterator[None]:
        """A transaction that has the ledger for itself. Raises `LedgerError` where it may only be read."""
        self._check_writable()
        with guarded(self._place), self._live().transaction():
            self._query(_LOCK)
            yield

    def _check_writable(self) -> None:
        if not self.writable:
            raise readonly(self._place)

    def _replace(self, before: ServerVersion | None, extract: Extract) -> None:
        since, checkpoint = self.position() + 1, self._last("checkpoint.taken")
        self._extracts.replace(before, extract, since=since, checkpoint=checkpoint)

    def _last(self, kind: str) -> int:
        return int(self._query(_LAST, kind=kind).fetchall()[0][0])

    def _read(self, which: str, given: Mapping[str, Any], *, after: int, upto: int) -> Iterator[Recorded]:
        """Events as they were written, by arrival. Those that are not what was written are noted and left out."""
        page = f"{_SELECT}{which} AND seq > %(after)s AND seq <= %(upto)s ORDER BY seq LIMIT {_ROWS_AT_ONCE}"
        while True:
            with guarded(self._place):
                rows = self._query(page, **given, after=after, upto=upto).fetchall()
            for seq, *columns in rows:
                try:
                    yield Recorded(seq, checked(codec.event_of(columns)))
                except codec.DAMAGE:
                    self._passed_over.add(seq)
            if len(rows) < _ROWS_AT_ONCE:
                return
            after = rows[-1][0]

    def _snapshot(self, task: str) -> tuple[int, Mapping[str, Entity]]:
        select = "SELECT seq, entities FROM clew.snapshot WHERE ledger = %(ledger)s AND task = %(task)s"
        for seq, entities in self._query(select, task=task).fetchall():
            with suppress(msgspec.MsgspecError):
                return seq, msgspec.msgpack.decode(entities, type=dict[str, tuple[Change, ...]])
        return 0, {}

    def _rewrite_tables(self) -> None:
        """Write the tables anew, so that no byte of what was overwritten is left in their files."""
        said: list[str] = []
        with guarded(self._place):
            self._live().add_notice_handler(lambda notice: said.append(notice.severity_nonlocalized or ""))
            try:
                self._query("VACUUM (FULL) clew.event, clew.extract, clew.inferred, clew.snapshot")
            except psycopg.errors.LockNotAvailable:
                said.append("WARNING")
        if "WARNING" in said:  # it passes over tables that the user does not own
            raise LedgerError(
                f"the words are gone from the ledger {self._place}, but the files of its tables still hold their "
                "bytes: somebody is using them, or this user may not VACUUM",
                code="E-ledger-busy",
                hint="Do it again as the owner of the tables, while nobody else uses them.",
            )


def _data(event: Event) -> str:
    column = codec.pack(event.data, compressed_bytes_min=sys.maxsize)  # the server compresses
    assert isinstance(column, str)
    return column
