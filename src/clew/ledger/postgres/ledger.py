"""A ledger in a PostgreSQL database that others may share. The schema is in `migrations/`, the promises in `port.py`.

Whoever changes a ledger locks its row in `clew.ledger` first: one at a time, and what is read under the lock holds.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cache
from typing import Any, Final

import msgspec
import psycopg

from clew.core.errors import InputError, LedgerError
from clew.core.state.events import KINDS, Event, Recorded, checked, is_activity
from clew.core.state.fold import FOLD_VERSION, FOLDED_KINDS, Change, Entity, fold
from clew.core.state.ids import PREFIX_CHARS_MIN
from clew.ledger import codec
from clew.ledger.codec import about
from clew.ledger.port import IDS_MAX, Folded
from clew.ledger.postgres.address import shown
from clew.ledger.postgres.connection import Connection, connect, guarded, migrate, migrations, readonly, version
from clew.ledger.redaction import REDACTION, purge_event, search_forms
from clew.ledger.stored import BEHIND, ExtractTables, ExtractVersion, StoredLedger, as_json

_COLUMNS: Final = (*Event._fields, "about")
_SELECT: Final = f"SELECT seq, {', '.join(Event._fields)} FROM event WHERE ledger = :ledger"
_LOCK: Final = "SELECT FROM ledger WHERE id = :ledger FOR NO KEY UPDATE"
# Behind the newest one, unless its key is there.
_INSERT: Final = f"""
    {{}} INSERT INTO event (ledger, seq, {", ".join(_COLUMNS)})
    SELECT :ledger, (SELECT coalesce(max(seq), 0) + 1 FROM event WHERE ledger = :ledger),
        {", ".join(f":{name}" for name in _COLUMNS)} {{}}
    ON CONFLICT (ledger, key) DO NOTHING RETURNING seq
"""
_KEYS: Final = "SELECT key, seq FROM event WHERE ledger = :ledger AND key = ANY (:keys){}"
_OUTDATED: Final = f"""EXISTS (
    SELECT FROM event WHERE ledger = :ledger AND kind = '{REDACTION}' AND seq > :redacted
)"""
# Looked at before anything of the batch is there, which may hold a redaction itself; known until the transaction ends.
_LOOK: Final = f"SELECT set_config('clew.outdated', {_OUTDATED}::text, true)"
# One event by itself takes the lock in the same statement, if nobody has it just now. Who had it until now may have
# taken the position that this one saw as free: then its key refuses this one, which does it again.
_IF_FREE: Final = f"WITH free AS MATERIALIZED ({_LOCK} SKIP LOCKED)"
_UNLESS_OUTDATED: Final = "current_setting('clew.outdated') = 'false'"
_POSITION: Final = "SELECT coalesce(max(seq), 0) FROM event WHERE ledger = :ledger"
_LAST: Final = f"{_POSITION} AND kind = :kind"
_HEAD: Final = f"""
    SELECT ({_POSITION}), purges, coalesce(snapshot.seq, 0) FROM ledger
    LEFT JOIN snapshot ON snapshot.ledger = id AND task = :task AND fold = {FOLD_VERSION} WHERE id = :ledger
"""
# Nobody waits for it, and nothing that somebody purged meanwhile gets in.
_SAVE: Final = f"""
    INSERT INTO snapshot (ledger, task, seq, fold, entities)
    SELECT id, :task, :seq, {FOLD_VERSION}, :entities FROM ledger
    WHERE id = :ledger AND purges = :purges FOR SHARE SKIP LOCKED
    ON CONFLICT (ledger, task) DO UPDATE SET seq = excluded.seq, fold = excluded.fold, entities = excluded.entities
    WHERE snapshot.seq < excluded.seq OR snapshot.fold <> excluded.fold
"""
_SAID: Final = "event WHERE ledger = :ledger AND about <> '' AND about"
_READ: Final = "inferred WHERE ledger = :ledger AND id"

_BEGINNING: Final = f"""
    (SELECT DISTINCT about FROM {_SAID} >= :start AND about < :end ORDER BY about LIMIT {IDS_MAX})
    UNION (SELECT DISTINCT id FROM {_READ} >= :start AND id < :end ORDER BY id LIMIT {IDS_MAX})
    ORDER BY 1 LIMIT {IDS_MAX}
"""
# The neighbours of ids in the order of all, where they share its shortest allowed prefix: a longer one is needed then.
_NEIGHBOURS: Final = f"""
    SELECT name,
        (SELECT max(about) FROM {_SAID} < name AND about >= start),
        (SELECT min(about) FROM {_SAID} > name AND about < start || '{BEHIND}'),
        (SELECT max(id) FROM {_READ} < name AND id >= start),
        (SELECT min(id) FROM {_READ} > name AND id < start || '{BEHIND}')
    FROM (SELECT name, left(name, position('-' IN name) + {PREFIX_CHARS_MIN}) AS start
        FROM unnest(:names::text[]) AS asked (name)) AS asked
"""
# What is said of an item tells its task, by its worth: a person's statement 3, a person's word 2, another's statement
# 1, another's word 0. Anybody may speak of it from elsewhere.
_TASK_SAID: Final = f"""
    SELECT task, (provenance = 'human')::int * 2 + (kind = 'item.stated')::int AS worth
    FROM {_SAID} = :name ORDER BY worth DESC, seq LIMIT 1
"""
_SCOPE: Final = "ledger = :ledger"
_ROWS: Final = "IN (SELECT value::bigint FROM jsonb_array_elements_text(:rows::jsonb))"
_NAMES: Final = "IN (SELECT value FROM jsonb_array_elements_text(:names::jsonb))"
_HEADER: Final = "row, session, task, worktree, origin, rules, extent, digest, since, items, ranks"
_INSERT_EXTRACT: Final = """
    INSERT INTO extract
        (ledger, session, task, worktree, last_time, origin, rules, extent, digest, since, items, ranks)
    VALUES (:ledger, :session, :task, :worktree, :last_time, :origin, :rules, :extent, :digest, :since,
        :items::bigint[], :ranks::bigint[])
"""
_INSERT_COLUMNS: Final = ("session", "task", "worktree", "last_time", "origin", "rules", "extent", "digest")
_INSERT_ITEMS: Final = """
    INSERT INTO inferred (ledger, id, session, since, item)
    SELECT :ledger, id, :session, :since, item
    FROM unnest(:ids::text[], :items::text[]) WITH ORDINALITY AS one (id, item, n) ORDER BY n
    RETURNING row
"""
_NAME: Final = re.compile(r"(?<!:):(?=[a-z])(\w+)")
_ROWS_AT_ONCE: Final = 500
# A snapshot is brought up to date when so many events are behind it; so many tasks are kept folded in memory.
_SNAPSHOT_EVENTS_MIN: Final = 256
_FOLDED_MAX: Final = 16
_LISTED_MAX: Final = 10


@cache
def _translate(sql: str) -> str:
    """A statement as the driver takes it, in which `:name` stands for a value."""
    return _NAME.sub(r"%(\1)s", sql.format(scope=_SCOPE, rows=_ROWS, names=_NAMES))


class _Extracts(ExtractTables):
    """See `ExtractTables`."""

    header = _HEADER

    def __init__(self, execute: Callable[..., Any]) -> None:
        super().__init__()
        self._execute = execute

    def query(self, sql: str, **given: Any) -> list[Any]:
        done = self._execute(sql, **given)
        return done.fetchall() if done.description else []

    def fetch(self, columns: str, which: str, **given: Any) -> list[Any]:
        return self.query(f"SELECT {columns} FROM extract WHERE {{scope}} AND {which}", **given)

    def version(self, row: Sequence[Any]) -> ExtractVersion:
        return ExtractVersion._make(row)

    def columns(self, rows: Sequence[int]) -> dict[int, str]:
        select = "SELECT row, item FROM inferred WHERE {scope} AND row {rows}"
        return dict(self.query(select, rows=as_json(rows)) if rows else ())

    def add(self, columns: Sequence[str | int], since: int, rows: Sequence[int], ranks: Sequence[int]) -> None:
        given = dict(zip(_INSERT_COLUMNS, columns, strict=True))
        self.query(_INSERT_EXTRACT, **given, since=since, items=list(rows), ranks=list(ranks))

    def add_items(self, session: str, since: int, items: Sequence[tuple[str, str]]) -> list[int]:
        ids, columns = [name for name, _ in items], [column for _, column in items]
        found = self.query(_INSERT_ITEMS, session=session, since=since, ids=ids, items=columns)
        return [row for (row,) in found]

    def change(self, version: ExtractVersion) -> None:
        update = """UPDATE extract SET origin = :origin, rules = :rules, items = :rows::bigint[],
            ranks = :ranks::bigint[] WHERE row = :row"""
        self.query(update, **version._asdict() | {"rows": list(version.rows), "ranks": list(version.ranks)})


class PostgresLedger(StoredLedger):
    """One project's ledger. Any number of processes and machines may have it open; one object is used by one thread at
    a time. A connection that broke is made anew by the next call.
    """

    BEGINNING, NEIGHBOURS, TASK_SAID = _BEGINNING, _NEIGHBOURS, _TASK_SAID

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
        """`connection` is set up and of the newest schema (`open_ledger`); closing the ledger closes it. `ledger` is
        the row of `project` and its `key`, `place` what errors call it.
        """
        self._open = connection
        self._connect = connect
        self._ledger = ledger
        self.project = project
        self.key = key
        self.writable = writable
        self._place = place
        self._passed_over: set[int] = set()
        self._extracts: _Extracts = _Extracts(self._query)
        # By task what events up to a position come to, with how often somebody had purged: a command asks often.
        self._folded: dict[str, tuple[int, Folded]] = {}

    def append(self, events: Sequence[Event], *, unless_redacted_after: int | None = None) -> tuple[int, ...]:
        """One round trip if nobody is in the way, and on the server's disk when this returns."""
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
        with guarded(self._place):
            return int(self._query(_POSITION).fetchall()[0][0])

    def events(
        self, *, task: str | None = None, kinds: Collection[str] | None = None, after: int = 0, upto: int | None = None
    ) -> Iterator[Recorded]:
        """What counts is fixed by the call; rows are read on the way."""
        newest = self.position()
        which = ("" if task is None else " AND task = :task") + ("" if kinds is None else " AND kind = ANY (:kinds)")
        given = {"task": task, "kinds": list(kinds or ())}
        return self._read(which, given, after=after, upto=newest if upto is None else min(upto, newest))

    def fold(self, task: str, *, upto: int | None = None) -> Folded:
        with guarded(self._place):
            ((newest, purges, base),) = self._query(_HEAD, task=task).fetchall()
            end = newest if upto is None else min(upto, newest)
            known = self._folded.get(task)
            if known is not None and known[0] == purges and known[1].seq <= end:
                start, before = known[1]
            else:
                start, before = self._snapshot(task) if 0 < base <= end else (0, {})
            which, given = (" AND task = :task AND kind = ANY (:kinds)", {"task": task, "kinds": list(FOLDED_KINDS)})
            events = [event for _, event in self._read(which, given, after=start, upto=end)]
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
        which, given = (
            " AND about = ANY (:names) AND about <> '' AND task = :task",
            {"names": list(names), "task": task},
        )
        found = self._read(which, given, after=0, upto=self.position())
        return {name: one for name, one in fold(event for _, event in found).items() if name in names}

    def purge(self, item: str, values: Collection[str]) -> int:
        """The server's tables are written anew; its write-ahead log, its replicas and its backups
        are its keeper's. Raises `LedgerError` also when the words are gone and the tables could not be written anew.
        """
        values = search_forms(values)
        with self._changing():
            changed = 0
            for seq, event in self._read("", {}, after=0, upto=self.position()):
                new = purge_event(event, item, values)
                if new is not event:
                    self._query(
                        "UPDATE event SET data = :data WHERE ledger = :ledger AND seq = :seq", seq=seq, data=_data(new)
                    )
                    changed += 1
            # Of what is not what was written nothing is left: nobody can say what it holds.
            self._query(
                "UPDATE event SET data = '' WHERE ledger = :ledger AND seq = ANY (:seqs)", seqs=list(self._passed_over)
            )
            changed += self._extracts.purge(item, values)
            self._query("DELETE FROM snapshot WHERE ledger = :ledger")
            self._query("UPDATE ledger SET purges = purges + 1 WHERE id = :ledger")
        self._rewrite_tables()
        return changed

    def prune(self, before: str) -> int:
        with self._changing():
            return self._query(
                "DELETE FROM event WHERE ledger = :ledger AND kind = ANY (:kinds) "
                "AND recorded_at < :before AND seq < :newest",
                kinds=[kind for kind in KINDS if is_activity(kind)],
                before=before,
                newest=self.position(),
            ).rowcount

    def damage(self) -> str:
        """The pages of the disk are the server's business (`data_checksums`, `amcheck`)."""
        for _ in self._read("", {}, after=0, upto=self.position()):
            pass
        with guarded(self._place):
            self._extracts.every()
        return "; ".join(f"{one} cannot be read" for one in self.passed_over()[:_LISTED_MAX])

    def close(self) -> None:
        self._open.close()

    def _query(self, query: str, **given: Any) -> psycopg.Cursor[tuple[Any, ...]]:
        return self._live().execute(_translate(query), {"ledger": self._ledger, **given})

    def _live(self) -> Connection:
        if self._open.broken:
            self._open = self._connect()
        return self._open

    def _named(self, sql: str, **given: Any) -> list[Any]:
        return self._query(sql, **given).fetchall()

    def _events_passed_over(self) -> Collection[int]:
        return self._passed_over

    def _reading(self) -> AbstractContextManager[None]:
        return guarded(self._place)

    @contextmanager
    def _changing(self) -> Iterator[None]:
        self._check_writable()
        with guarded(self._place), self._live().transaction():
            self._query(_LOCK)
            yield

    def _check_writable(self) -> None:
        if not self.writable:
            raise readonly(self._place)

    def _last(self, kind: str) -> int:
        return int(self._query(_LAST, kind=kind).fetchall()[0][0])

    def _read(self, which: str, given: Mapping[str, Any], *, after: int, upto: int) -> Iterator[Recorded]:
        """Events as they were written, by arrival. Those that are not what was written are noted and left out."""
        page = f"{_SELECT}{which} AND seq > :after AND seq <= :upto ORDER BY seq LIMIT {_ROWS_AT_ONCE}"
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
        select = "SELECT seq, entities FROM snapshot WHERE ledger = :ledger AND task = :task"
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
                self._query("VACUUM (FULL) event, extract, inferred, snapshot")
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


_KEY_BYTES: Final = 32
_LEDGER: Final = """
    SELECT id, key, NOT pg_is_in_recovery() AND has_table_privilege('clew.event', 'INSERT') FROM clew.ledger
    WHERE project = %s
"""


def open_ledger(
    address: str,
    *,
    project: str,
    write: bool,
    make: bool = False,
    chance: Callable[[int], bytes] = os.urandom,
    steps: Sequence[str] | None = None,
) -> PostgresLedger:
    """The ledger of `project` (a ULID) in the database at `address`. Without `write` nothing of it is changed.

    With `make` one that is not there is made, and a schema of an older clew is brought to the newest of `steps` (None:
    those of this clew): other clews that use the database have to know it. `chance(n)` gives the n random bytes of a
    new ledger's key.

    Raises `LedgerError`: E-ledger-address, E-ledger-away, E-ledger-login, E-ledger-server, E-ledger-missing,
    E-ledger-older, E-ledger-newer, E-ledger-readonly (only with `write`), E-ledger-busy, E-ledger-corrupt.
    """
    place = shown(address)
    connection = connect(address, "clew")
    try:
        with guarded(place):
            _prepare(connection, place, migrations() if steps is None else steps, make=make)
            if make:
                insert = "INSERT INTO clew.ledger (project, key) VALUES (%s, %s) ON CONFLICT DO NOTHING"
                connection.execute(insert, (project, chance(_KEY_BYTES)))
            row = connection.execute(_LEDGER, (project,)).fetchone()
        if row is None:
            raise _missing(f"{place} keeps no ledger of the project {project}")
        if write and not row[2]:
            raise readonly(place)
        return PostgresLedger(
            connection,
            lambda: connect(address, "clew"),
            ledger=row[0],
            project=project,
            key=row[1],
            writable=write,
            place=place,
        )
    except BaseException:
        connection.close()
        raise


def _prepare(connection: Connection, place: str, steps: Sequence[str], *, make: bool) -> None:
    """See that the schema is the newest one, or make it so."""
    found = version(connection)
    if found > len(steps):
        raise LedgerError(
            f"the ledger {place} was written by a newer clew (schema {found}; this one knows up to {len(steps)})",
            code="E-ledger-newer",
            hint="It was left as it is. Update clew here.",
        )
    if found < len(steps):
        if make:
            migrate(connection, steps)
        elif found:
            raise LedgerError(
                f"the ledger {place} was made by an older clew (schema {found}; this one needs {len(steps)})",
                code="E-ledger-older",
                hint="It was left as it is. When all who share it have this clew, one of them brings it on: "
                "`clew init --ledger ADDRESS`.",
            )
        else:
            raise _missing(f"the database {place} keeps no ledger")


def _missing(message: str) -> LedgerError:
    hint = "Run `clew init --ledger ADDRESS` in the project; nothing is kept before."
    return LedgerError(message, code="E-ledger-missing", hint=hint)
