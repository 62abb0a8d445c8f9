"""The tables of extracts: versions of what rules read off each session, which share the rows of their items."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any, Final, NamedTuple

import apsw
import msgspec

from clew.core.state.extract import Extract
from clew.core.state.items import Item
from clew.ledger import codec
from clew.ledger.port import Taken
from clew.ledger.redaction import must_go, origin_without

_HEADER: Final = "row, session, task, worktree, origin, rules, extent, digest, since, items"
_NOW: Final = "until IS NULL"
_THEN: Final = "since <= :upto AND (until IS NULL OR until > :upto)"


class Version(NamedTuple):
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

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        # Sessions of which something is not what was written: reading goes on without that.
        self.passed_over: set[str] = set()

    def read(self, task: str | None, session: str | None, upto: int | None) -> tuple[Extract, ...]:
        """As `Ledger.extracts`."""
        versions = list(self.versions(task, session, upto))
        items = self._items([row for version in versions for row in version.rows])
        return tuple(filter(None, (self._extract(version, items) for version in versions)))

    def taken(self) -> dict[str, Taken]:
        """As `Ledger.taken`."""
        rows = self._connection.execute("SELECT session, task, rules, extent FROM extract WHERE until IS NULL")
        return {session: Taken(*columns) for session, *columns in rows}

    def extract(self, version: Version) -> Extract | None:
        """The extract of a version; None where it is not what was written."""
        return self._extract(version, self._items(version.rows))

    def versions(self, task: str | None, session: str | None, upto: int | None) -> Iterator[Version]:
        """The versions that count at the position `upto`, None: now."""
        which = (_NOW if upto is None else _THEN) + ("" if task is None else " AND task = :task")
        which += "" if session is None else " AND session = :session"
        select = f"SELECT {_HEADER} FROM extract WHERE {which} ORDER BY last_time, session"
        rows = self._connection.execute(select, {"task": task, "session": session, "upto": upto})
        return self._whole(rows.fetchall())

    def all(self) -> list[tuple[int, Extract]]:
        """As `Ledger.versions`."""
        rows = self._connection.execute(f"SELECT {_HEADER} FROM extract ORDER BY since, session").fetchall()
        found = ((version.since, self.extract(version)) for version in self._whole(rows))
        return [(since, extract) for since, extract in found if extract is not None]

    def now(self, session: str) -> Version | None:
        """The version of a session that counts now."""
        select = f"SELECT {_HEADER} FROM extract WHERE session = ? AND until IS NULL"
        row = self._connection.execute(select, (session,)).fetchone()
        return next(self._whole([row]), None) if row is not None else None

    def retire(self, session: str) -> None:
        """Let the version of a session that counts now, and is not what was written, count no more. It stays."""
        self._connection.execute("UPDATE extract SET until = since WHERE session = ? AND until IS NULL", (session,))

    def damaged(self) -> tuple[str, ...]:
        """The sessions of which something is not what was written. Reads every row."""
        self.all()
        return tuple(sorted(self.passed_over))

    def replace(self, before: Version | None, extract: Extract, *, since: int, checkpoint: int) -> None:
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
                (session, task, worktree, last_time, origin, rules, extent, digest, since, items)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            (*columns, since, items),
        )

    def purge(self, item: str, values: Collection[str]) -> int:
        """Take an item, and all that hold any of `values`, out of every version: how many versions changed.

        By the rules 0 any reading is a better one: what was left of the words around is read again.
        """
        columns = self._connection.execute("SELECT row, item FROM inferred").fetchall()
        # What cannot be read any more goes as well: nobody can say that the words are not in it.
        gone = {row for row, column in columns if (one := _item(column, 0)) is None or must_go(one, item, values)}
        changed = 0
        for version in self._whole(self._connection.execute(f"SELECT {_HEADER} FROM extract").fetchall()):
            origin = codec.origin_column(origin_without(codec.origin_of(version.origin), values))
            if origin != version.origin or not gone.isdisjoint(version.rows):
                kept = [(row, rank) for row, rank in zip(version.rows, version.ranks, strict=True) if row not in gone]
                items = _items_column([row for row, _ in kept], [rank for _, rank in kept])
                update = "UPDATE extract SET origin = ?, items = ?, rules = min(rules, 0) WHERE row = ?"
                self._connection.execute(update, (origin, items, version.row))
                changed += 1
        self._connection.executemany("DELETE FROM inferred WHERE row = ?", [(row,) for row in gone])
        return changed

    def _share(self, before: Version | None, extract: Extract, *, since: int, checkpoint: int) -> list[int]:
        """The rows of the items of `extract`: those that are there already, and new ones. The others end."""
        there: dict[str, list[int]] = {}
        for row, column in self._items(before.rows if before else ()).items():
            there.setdefault(column, []).append(row)
        rows = []
        insert = "INSERT INTO inferred (id, session, since, item) VALUES (?, ?, ?, ?) RETURNING row"
        for item in extract.items:
            column = codec.item_column(item)
            if same := there.get(column):
                rows.append(same.pop())
            else:
                values = (item.id, extract.origin.session, since, column)
                rows.extend(row for (row,) in self._connection.execute(insert, values))
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
        """The column of each row."""
        select = "SELECT row, item FROM inferred WHERE row IN (SELECT value FROM json_each(?))"
        found: list[Any] = self._connection.execute(select, (msgspec.json.encode(rows).decode(),)).fetchall()
        return dict(found)

    def _whole(self, rows: Iterable[Sequence[Any]]) -> Iterator[Version]:
        for row in rows:
            try:
                yield _version(row)
            except codec.DAMAGE:
                self.passed_over.add(str(row[1]))

    def _extract(self, version: Version, items: dict[int, str]) -> Extract | None:
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


def _version(row: Sequence[Any]) -> Version:
    steps, ranks = codec.unpacked(row[-1])
    return Version._make((*row[:-1], tuple(accumulate(steps)), tuple(ranks)))


def _items_column(rows: Sequence[int], ranks: Sequence[int]) -> codec.Packed:
    """Rows as differences from one to the next: mostly 1, which takes next to no space when compressed."""
    return codec.packed(
        [[row - before for row, before in zip(rows, [0, *rows], strict=False)], ranks], compressed_bytes_min=0
    )
