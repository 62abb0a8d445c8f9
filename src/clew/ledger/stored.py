"""What the stores in a SQLite file and on a PostgreSQL server do alike: extracts as versions that share the rows of
their items, and what a ledger makes of them.

SQL that both understand is here: `:name` stands for a value, `{scope}` for belonging to this ledger, and `{rows}` for
being one of the numbers in the JSON array `:rows`, `{names}` for being one of the texts in `:names`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar, Final, NamedTuple

import msgspec

from clew.core.state.crowd import Room, Selected, select
from clew.core.state.extract import Extract
from clew.core.state.ids import canonical, shortest_prefix, shortest_prefixes
from clew.core.state.items import LETTERS, Item, Kind
from clew.ledger import codec
from clew.ledger.port import Folded, SessionExtent
from clew.ledger.redaction import REDACTION, is_purged, purge_origin

# Behind every character that an id can go on with.
BEHIND: Final = "\U0010ffff"

_LAST_OF_KIND: Final = """
    SELECT inferred.row, inferred.session FROM inferred JOIN extract ON extract.session = inferred.session
    WHERE inferred.{scope} AND extract.{scope} AND inferred.id >= :start AND inferred.id < :end
    AND inferred.until IS NULL AND extract.until IS NULL AND rules >= 0
    ORDER BY last_time DESC, inferred.session DESC, inferred.row DESC LIMIT :most
"""
# Of readings of an item what was read here comes before what waits to be read again (the rules 0), and that before what
# is foreign.
_TASK_NOW: Final = """
    SELECT extract.task, extract.rules < 0 FROM inferred JOIN extract ON extract.session = inferred.session
    WHERE inferred.{scope} AND extract.{scope} AND inferred.id = :name
    AND inferred.until IS NULL AND extract.until IS NULL
    ORDER BY CASE WHEN extract.rules > 1 THEN 1 ELSE extract.rules END DESC, extract.last_time, extract.session LIMIT 1
"""
_TASK_THEN: Final = """
    SELECT extract.task FROM inferred JOIN extract ON extract.session = inferred.session
    WHERE inferred.{scope} AND extract.{scope} AND inferred.id = :name
    AND extract.until IS NOT NULL AND extract.since < inferred.until
    ORDER BY extract.until DESC, extract.session LIMIT 1
"""


def as_json(values: Collection[object]) -> str:
    """A JSON array, as a query takes many values."""
    return msgspec.json.encode(list(values)).decode()


class ExtractVersion(NamedTuple):
    """A row of `extract`: `rows` and `ranks` are those of its items, in their order."""

    row: int
    session: str
    task: str
    worktree: str
    origin: str
    rules: int
    extent: int
    digest: str
    since: int
    rows: Sequence[int]
    ranks: Sequence[int]


class ExtractTables(ABC):
    """Reads and writes extracts within whatever transaction the caller has open.

    `passed_over` are sessions of which something is not what was written: reading goes on without that.
    """

    header: str

    def __init__(self) -> None:
        self.passed_over: set[str] = set()

    @abstractmethod
    def query(self, sql: str, **given: Any) -> list[Any]:
        """The rows that a statement gives."""

    @abstractmethod
    def fetch(self, columns: str, which: str, **given: Any) -> list[Any]:
        """These columns of the rows of `extract` that a condition allows, as far as they can be read."""

    @abstractmethod
    def version(self, row: Sequence[Any]) -> ExtractVersion:
        """What a row with the columns `header` is. Raises `codec.DAMAGE` for what was not written so."""

    @abstractmethod
    def columns(self, rows: Sequence[int]) -> dict[int, str]:
        """The column of each of these rows of `inferred` that is what was written."""

    @abstractmethod
    def add(self, columns: Sequence[str | int], since: int, rows: Sequence[int], ranks: Sequence[int]) -> None:
        """Let an extract with these columns (`codec.extract_columns`) and items count from the position `since` on."""

    @abstractmethod
    def add_items(self, session: str, since: int, items: Sequence[tuple[str, str]]) -> list[int]:
        """The new rows of `inferred` for these ids and columns."""

    @abstractmethod
    def change(self, version: ExtractVersion) -> None:
        """Put the origin, the rules and the items of `version` in the place of what its row has."""

    def read(self, task: str | None, session: str | None, upto: int | None, *, items: bool) -> tuple[Extract, ...]:
        """As `Ledger.extracts`, but for `holding`."""
        which = "until IS NULL" if upto is None else "since <= :upto AND (until IS NULL OR until > :upto)"
        which += ("" if task is None else " AND task = :task") + ("" if session is None else " AND session = :session")
        given = {"task": task, "session": session, "upto": upto}
        found = list(self._versions(f"{which} ORDER BY last_time, session", **given))
        if not items:
            found = [version._replace(rows=(), ranks=()) for version in found]
        columns = self.columns([row for version in found for row in version.rows])
        return tuple(filter(None, (self._extract(version, columns) for version in found)))

    def holding(self, names: Collection[str], task: str | None) -> tuple[Extract, ...]:
        """The extracts of a task that hold one of these items now."""
        held = "SELECT DISTINCT session FROM inferred WHERE {scope} AND until IS NULL AND id {names}"
        sessions = self.query(held, names=as_json(names))
        found = [one for (session,) in sessions for one in self.read(task, session, None, items=True)]
        return tuple(sorted(found, key=lambda one: (one.origin.last_time, one.origin.session)))

    def of_kinds(self, kinds: Collection[Kind], most: int) -> dict[str, tuple[Item, ...]]:
        """As `Ledger.read_off`. An id begins with the letter of its kind, and ids have an index."""
        found: dict[str, tuple[Item, ...]] = {}
        for kind in kinds:
            given = {"start": f"{LETTERS[kind]}-", "end": f"{LETTERS[kind]}.", "most": most}  # the sign behind the dash
            rows: dict[int, str] = dict(self.query(_LAST_OF_KIND, **given))
            columns = self.columns(list(rows))
            for row, session in rows.items():
                item = _item(columns.get(row), 0)
                if item is not None:
                    found[session] = (*found.get(session, ()), item)
        return found

    def every(self) -> list[tuple[int, Extract]]:
        """As `Ledger.versions`."""
        found = ((one.since, self.extract(one)) for one in self._versions("TRUE ORDER BY since, session"))
        return [(since, extract) for since, extract in found if extract is not None]

    def now(self, session: str) -> ExtractVersion | None:
        """The version of a session that counts now."""
        return next(self._versions("session = :session AND until IS NULL", session=session), None)

    def retire(self, session: str) -> None:
        """Let the version of a session that counts now, and is not what was written, count no more. It stays."""
        retire = "UPDATE extract SET until = since WHERE {scope} AND session = :session AND until IS NULL"
        self.query(retire, session=session)

    def extract(self, version: ExtractVersion) -> Extract | None:
        """The extract of a version; None where it is not what was written."""
        return self._extract(version, self.columns(version.rows))

    def replace(self, before: ExtractVersion | None, extract: Extract, *, since: int, checkpoint: int) -> None:
        """Let `extract` count from the position `since` on, in place of `before`.

        What counted when the newest checkpoint was taken (its position is `checkpoint`) is kept beside it.
        """
        head = codec.extract_columns(extract)
        there: dict[str, list[int]] = {}
        for row, column in self.columns(before.rows if before else ()).items():
            there.setdefault(column, []).append(row)
        columns = [codec.item_column(item) for item in extract.items]
        rows = [same.pop() if (same := there.get(column)) else 0 for column in columns]
        new = [at for at, row in enumerate(rows) if not row]
        items = [(extract.items[at].id, columns[at]) for at in new]
        for at, row in zip(new, self.add_items(extract.origin.session, since, items), strict=True):
            rows[at] = row
        self._end("inferred", [row for left in there.values() for row in left], since, checkpoint)
        if before is not None:
            self._end("extract", [before.row], since, checkpoint)
        self.add(head, since, rows, [item.rank for item in extract.items])

    def purge(self, item: str, values: Collection[str]) -> int:
        """Take an item, and all that hold any of `values`, out of every version: how many versions changed.

        By the rules 0 any reading is a better one: what was left of the words around is read again.
        """
        rows = [row for (row,) in self.query("SELECT row FROM inferred WHERE {scope}")]
        columns = self.columns(rows)
        # What cannot be read any more goes as well: nobody can say that the words are not in it.
        found = ((row, _item(columns.get(row), 0)) for row in rows)
        gone = {row for row, one in found if one is None or is_purged(one, item, values)}
        changed = 0
        for version in self._versions("TRUE"):
            try:
                origin = codec.origin_column(purge_origin(codec.origin_of(version.origin), values))
            except codec.DAMAGE:
                origin = ""
            if origin != version.origin or not gone.isdisjoint(version.rows):
                kept = [at for at, row in enumerate(version.rows) if row not in gone]
                left = [version.rows[at] for at in kept], [version.ranks[at] for at in kept]
                rules = min(version.rules, 0)
                self.change(version._replace(origin=origin, rules=rules, rows=left[0], ranks=left[1]))
                changed += 1
        self.query("DELETE FROM inferred WHERE {scope} AND row {rows}", rows=as_json(gone))
        return changed

    def _end(self, table: str, rows: Sequence[int], since: int, checkpoint: int) -> None:
        """Close rows that a checkpoint saw, delete the others."""
        which, given = "WHERE {scope} AND row {rows} AND since", {"rows": as_json(rows), "checkpoint": checkpoint}
        self.query(f"UPDATE {table} SET until = :since {which} <= :checkpoint", since=since, **given)
        self.query(f"DELETE FROM {table} {which} > :checkpoint", **given)

    def _versions(self, which: str, **given: Any) -> Iterator[ExtractVersion]:
        for row in self.fetch(self.header, which, **given):
            try:
                yield self.version(row)
            except codec.DAMAGE:
                self.passed_over.add(str(row[1]))

    def _extract(self, version: ExtractVersion, columns: Mapping[int, str]) -> Extract | None:
        try:
            origin = codec.origin_of(version.origin)
        except codec.DAMAGE:
            self.passed_over.add(version.session)
            return None
        pairs = zip(version.rows, version.ranks, strict=True)
        kept = [item for row, rank in pairs if (item := _item(columns.get(row), rank)) is not None]
        if len(kept) < len(version.rows):
            self.passed_over.add(version.session)
        task, worktree, rules, extent, digest = version.task, version.worktree, *version[5:8]
        return Extract(origin, task, worktree, rules, extent, digest, tuple(kept))


def _item(column: object, rank: int) -> Item | None:
    """The item of a column; None where it is not what was written, or not there."""
    try:
        return codec.item_of(column, rank) if isinstance(column, str) else None
    except codec.DAMAGE:
        return None


class StoredLedger(ABC):
    """What both ledgers answer alike. Each method: `Ledger`."""

    BEGINNING: ClassVar[str]
    NEIGHBOURS: ClassVar[str]
    TASK_SAID: ClassVar[str]
    _extracts: ExtractTables

    @abstractmethod
    def position(self) -> int:
        """See `Ledger`."""

    @abstractmethod
    def fold(self, task: str, *, upto: int | None = None) -> Folded:
        """See `Ledger`."""

    @abstractmethod
    def _reading(self) -> AbstractContextManager[None]:
        """All that is read in it is of one moment, and the store's errors are ours."""

    @abstractmethod
    def _changing(self) -> AbstractContextManager[None]:
        """A transaction that has the ledger for itself. Raises `LedgerError` where it may only be read."""

    @abstractmethod
    def _named(self, sql: str, **given: Any) -> list[Any]:
        """The rows that a query about ids gives."""

    @abstractmethod
    def _last(self, kind: str) -> int:
        """The position of the newest event of a kind, 0 if there is none."""

    @abstractmethod
    def _events_passed_over(self) -> Collection[int]:
        """The positions of events that are not what was written, as far as they were met."""

    def _unfiled(self) -> list[str]:
        """Ids that `NEIGHBOURS` does not find."""
        return []

    def select(self, task: str, room: Room, also: Collection[str] = (), *, newest: bool = False) -> Selected:
        folded = self.fold(task)
        return select(folded.seq, folded.entities, room, also, newest=newest)

    def take_in(self, extract: Extract, *, unless_redacted_after: int | None = None) -> bool:
        with self._changing():
            if unless_redacted_after is not None and self._last(REDACTION) > unless_redacted_after:
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
        with self._reading():
            found = self._extracts.fetch("session, task, rules, extent", "until IS NULL")
            return {session: SessionExtent(*columns) for session, *columns in found}

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
            return self._extracts.read(task, session, upto, items=items)

    def read_off(self, kinds: Collection[Kind], most: int) -> Mapping[str, tuple[Item, ...]]:
        with self._reading():
            return self._extracts.of_kinds(kinds, most)

    def versions(self) -> Iterator[tuple[int, Extract]]:
        with self._reading():
            return iter(self._extracts.every())

    def assign(self, session: str, task: str) -> bool:
        with self._changing():
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
        with self._reading():
            start = canonical(prefix)
            return tuple(str(name) for (name,) in self._named(self.BEGINNING, start=start, end=start + BEHIND))

    def shortest(self, ids: Collection[str]) -> dict[str, str]:
        with self._reading():
            # Among themselves, too: what is asked for need not be in the ledger yet.
            shown = shortest_prefixes(ids, self._unfiled())
            for name, *neighbours in self._named(self.NEIGHBOURS, names=list(shown)):
                shown[name] = max(shown[name], shortest_prefix(name, filter(None, neighbours)), key=len)
            return shown

    def task_of(self, entity: str) -> str | None:
        with self._reading():
            said = next(iter(self._named(self.TASK_SAID, name=entity)), None)
            worth = said[1] if said else 0
            now = next(iter(() if worth == 3 else self._named(_TASK_NOW, name=entity)), None)
            if now and not (now[1] and worth):
                return str(now[0])
            found = said or next(iter(self._named(_TASK_THEN, name=entity)), None)
            return str(found[0]) if found else None

    def passed_over(self) -> tuple[str, ...]:
        events = (f"event {seq}" for seq in sorted(self._events_passed_over()))
        return (*events, *(f"session {one}" for one in sorted(self._extracts.passed_over)))

    def _replace(self, before: ExtractVersion | None, extract: Extract) -> None:
        since, checkpoint = self.position() + 1, self._last("checkpoint.taken")
        self._extracts.replace(before, extract, since=since, checkpoint=checkpoint)
