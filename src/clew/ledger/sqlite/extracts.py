"""The tables of extracts: versions of what rules read off each session, which share the rows of their items."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, Final, NamedTuple

import apsw
import msgspec

from clew.core.state.extract import Extract
from clew.core.state.items import LETTERS, Item, Kind
from clew.ledger import codec
from clew.ledger.codec import UNSUMMED, checksum, is_whole
from clew.ledger.port import SessionExtent
from clew.ledger.redaction import is_purged, purge_origin
from clew.ledger.sqlite.connection import fetch_rows

_HEADER: Final = "row, session, task, worktree, last_time, origin, rules, extent, digest, since, items"
_LAST_TIME: Final = 3
_LAST_OF_KIND: Final = """
    SELECT inferred.row, session FROM inferred JOIN extract USING (session)
    WHERE inferred.id >= ? AND inferred.id < ? AND inferred.until IS NULL AND extract.until IS NULL AND rules >= 0
    ORDER BY last_time DESC, session DESC, inferred.row DESC LIMIT ?
"""
_HOLDING: Final = "SELECT session FROM inferred WHERE id IN (SELECT value FROM json_each(:holding)) AND until IS NULL"
_NOW: Final = "until IS NULL"
_THEN: Final = "since <= :upto AND (until IS NULL OR until > :upto)"


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
    rows: tuple[int, ...]
    ranks: tuple[int, ...]


class ExtractTables:
    """Reads and writes within whatever transaction the caller has open."""

    def __init__(self, connection: apsw.Connection, *, summed: bool = True) -> None:
        """`summed`: the rows have checksums; before the second step of the schema they had none."""
        self._connection = connection
        self._checksum = "checksum" if summed else repr(UNSUMMED)
        self._header = f"{_HEADER}, {self._checksum}"
        # Sessions of which something is not what was written: reading goes on without that.
        self.passed_over: set[str] = set()

    def read(
        self, task: str | None, session: str | None, upto: int | None, *, items: bool, holding: Collection[str] | None
    ) -> tuple[Extract, ...]:
        """As `Ledger.extracts`."""
        versions = list(self.versions(task, session, upto, holding))
        if not items:
            versions = [version._replace(rows=(), ranks=()) for version in versions]
        columns = self._items([row for version in versions for row in version.rows])
        return tuple(filter(None, (self._extract(version, columns) for version in versions)))

    def of_kinds(self, kinds: Collection[Kind], most: int) -> dict[str, tuple[Item, ...]]:
        """As `Ledger.read_off`. An id begins with the letter of its kind, and ids have an index."""
        found: dict[str, tuple[Item, ...]] = {}
        for kind in kinds:
            given = (f"{LETTERS[kind]}-", f"{LETTERS[kind]}.", most)  # the sign behind the dash
            rows: dict[int, str] = dict(self._connection.execute(_LAST_OF_KIND, given))
            columns = self._items(list(rows))
            for row, session in rows.items():
                item = _item(columns.get(row), 0)
                if item is not None:
                    found[session] = (*found.get(session, ()), item)
        return found

    def taken(self) -> dict[str, SessionExtent]:
        """As `Ledger.taken`."""
        names = "session, task, rules, extent"
        found = fetch_rows(self._connection, "SELECT {} FROM extract WHERE until IS NULL", (), key="row", columns=names)
        return {session: SessionExtent(*columns) for session, *columns in found.rows}

    def extract(self, version: ExtractVersion) -> Extract | None:
        """The extract of a version; None where it is not what was written."""
        return self._extract(version, self._items(version.rows))

    def versions(
        self, task: str | None, session: str | None, upto: int | None, holding: Collection[str] | None
    ) -> Iterator[ExtractVersion]:
        """The versions that count at the position `upto`, None: now."""
        which = (_NOW if upto is None else _THEN) + ("" if task is None else " AND task = :task")
        which += "" if session is None else " AND session = :session"
        which += "" if holding is None else f" AND session IN ({_HOLDING})"
        select = f"SELECT {{}} FROM extract WHERE {which} ORDER BY last_time, session"
        given = {"task": task, "session": session, "upto": upto}
        if holding is not None:
            given["holding"] = msgspec.json.encode(list(holding)).decode()
        return self._whole(self._fetched(select, given))

    def all(self) -> list[tuple[int, Extract]]:
        """As `Ledger.versions`."""
        rows = self._fetched("SELECT {} FROM extract ORDER BY since, session", ())
        found = ((version.since, self.extract(version)) for version in self._whole(rows))
        return [(since, extract) for since, extract in found if extract is not None]

    def now(self, session: str) -> ExtractVersion | None:
        """The version of a session that counts now."""
        rows = self._fetched("SELECT {} FROM extract WHERE session = ? AND until IS NULL", (session,))
        return next(self._whole(rows), None)

    def retire(self, session: str) -> None:
        """Let the version of a session that counts now, and is not what was written, count no more. It stays."""
        self._connection.execute("UPDATE extract SET until = since WHERE session = ? AND until IS NULL", (session,))

    def damaged(self) -> tuple[str, ...]:
        """The sessions of which something is not what was written. Reads every row."""
        self.all()
        return tuple(sorted(self.passed_over))

    def replace(self, before: ExtractVersion | None, extract: Extract, *, since: int, checkpoint: int) -> None:
        """Let `extract` count from the position `since` on, in place of `before`.

        What counted when the newest checkpoint was taken (its position is `checkpoint`) is kept beside it.
        """
        columns = codec.extract_columns(extract)
        rows = self._share(before, extract, since=since, checkpoint=checkpoint)
        if before is not None:
            self._end("extract", [before.row], since=since, checkpoint=checkpoint)
        items = _items_column(rows, [item.rank for item in extract.items])
        self._connection.execute(
            """
            INSERT INTO extract
                (session, task, worktree, last_time, origin, rules, extent, digest, since, items, checksum)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            (*columns, since, items, checksum((*columns, since, items))),
        )

    def purge(self, item: str, values: Collection[str]) -> int:
        """Take an item, and all that hold any of `values`, out of every version: how many versions changed.

        By the rules 0 any reading is a better one: what was left of the words around is read again.
        """
        rows: list[Any] = [row for (row,) in self._connection.execute("SELECT row FROM inferred")]
        columns = self._items(rows)
        # What cannot be read any more goes as well: nobody can say that the words are not in it.
        found = ((row, _item(columns.get(row), 0)) for row in rows)
        gone = {row for row, one in found if one is None or is_purged(one, item, values)}
        changed = 0
        for version in self._whole(self._fetched("SELECT {} FROM extract", ())):
            left = purge_origin(codec.origin_of(version.origin), values)
            origin = codec.origin_column(left)
            if origin != version.origin or not gone.isdisjoint(version.rows):
                kept = [(row, rank) for row, rank in zip(version.rows, version.ranks, strict=True) if row not in gone]
                items = _items_column([row for row, _ in kept], [rank for _, rank in kept])
                rules = min(version.rules, 0)
                head = (version.session, version.task, version.worktree, left.last_time, origin, rules)
                sum_ = checksum((*head, version.extent, version.digest, version.since, items))
                update = "UPDATE extract SET origin = ?, items = ?, rules = ?, checksum = ? WHERE row = ?"
                self._connection.execute(update, (origin, items, rules, sum_, version.row))
                changed += 1
        self._connection.executemany("DELETE FROM inferred WHERE row = ?", [(row,) for row in gone])
        return changed

    def _share(self, before: ExtractVersion | None, extract: Extract, *, since: int, checkpoint: int) -> list[int]:
        """The rows of the items of `extract`: those that are there already, and new ones. The others end."""
        there: dict[str, list[int]] = {}
        for row, column in self._items(before.rows if before else ()).items():
            there.setdefault(column, []).append(row)
        rows = []
        insert = "INSERT INTO inferred (id, session, since, item, checksum) VALUES (?, ?, ?, ?, ?) RETURNING row"
        for item in extract.items:
            column = codec.item_column(item)
            if same := there.get(column):
                rows.append(same.pop())
            else:
                values = (item.id, extract.origin.session, since, column)
                rows.extend(row for (row,) in self._connection.execute(insert, (*values, checksum(values))))
        self._end("inferred", [row for left in there.values() for row in left], since=since, checkpoint=checkpoint)
        return rows

    def _end(self, table: str, rows: Sequence[int], *, since: int, checkpoint: int) -> None:
        """Close rows that a checkpoint saw, delete the others."""
        which = f"FROM json_each(?1) WHERE {table}.row = value"
        given = msgspec.json.encode(rows).decode()
        self._connection.execute(f"UPDATE {table} SET until = ?2 {which} AND since <= ?3", (given, since, checkpoint))
        self._connection.execute(
            f"DELETE FROM {table} WHERE row IN (SELECT value FROM json_each(?1)) AND since > ?2", (given, checkpoint)
        )

    def _items(self, rows: Sequence[int]) -> dict[int, str]:
        """The column of each row that is what was written."""
        names = f"row, {self._checksum}, id, session, since, item"
        select = "SELECT {} FROM inferred WHERE row IN (SELECT value FROM json_each(?))"
        given = (msgspec.json.encode(rows).decode(),)
        found = fetch_rows(self._connection, select, given, key="row", columns=names)
        return {row: columns[-1] for row, kept, *columns in found.rows if is_whole(columns, kept)}

    def _fetched(self, select: str, given: Sequence[Any] | Mapping[str, Any]) -> list[Any]:
        found = fetch_rows(self._connection, select, given, key="row", columns=self._header)
        self.passed_over.update(f"in row {row}" for row in found.unreadable)
        return found.rows

    def _whole(self, rows: Iterable[Sequence[Any]]) -> Iterator[ExtractVersion]:
        for row in rows:
            try:
                yield _version(row)
            except codec.DAMAGE:
                self.passed_over.add(str(row[1]))

    def _extract(self, version: ExtractVersion, items: dict[int, str]) -> Extract | None:
        try:
            origin = codec.origin_of(version.origin)
        except codec.DAMAGE:
            self.passed_over.add(version.session)
            return None
        pairs = zip(version.rows, version.ranks, strict=True)
        kept = [item for row, rank in pairs if (item := _item(items.get(row), rank)) is not None]
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


def _version(row: Sequence[Any]) -> ExtractVersion:
    key, *columns, kept = row
    if not is_whole(columns, kept):
        raise ValueError("the checksum is another one")
    steps, ranks = codec.unpack(columns.pop())
    del columns[_LAST_TIME]  # the origin has it as well
    return ExtractVersion._make((key, *columns, tuple(accumulate(steps)), tuple(ranks)))


def _items_column(rows: Sequence[int], ranks: Sequence[int]) -> codec.Packed:
    """Rows as differences from one to the next: mostly 1, which takes next to no space when compressed."""
    return codec.pack(
        [[row - before for row, before in zip(rows, [0, *rows], strict=False)], ranks], compressed_bytes_min=0
    )
