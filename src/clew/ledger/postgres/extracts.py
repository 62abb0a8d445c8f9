"""The tables of extracts: versions of what rules read off each session, which share the rows of their items."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, Final, NamedTuple

from clew.core.state.extract import Extract
from clew.core.state.items import LETTERS, Item, Kind
from clew.ledger import codec
from clew.ledger.port import SessionExtent
from clew.ledger.redaction import is_purged, purge_origin

_HEADER: Final = "row, session, task, worktree, origin, rules, extent, digest, since, items, ranks"
_ITEMS: Final = """ARRAY (
    SELECT item FROM unnest(items) WITH ORDINALITY AS one (row, n) LEFT JOIN clew.inferred USING (row) ORDER BY n
)"""
_SELECT: Final = "SELECT {}, {} FROM clew.extract WHERE ledger = %(ledger)s"
_LAST_OF_KIND: Final = """
    SELECT item, session FROM clew.inferred JOIN clew.extract USING (ledger, session)
    WHERE ledger = %(ledger)s AND inferred.id >= %(start)s AND inferred.id < %(end)s
    AND inferred.until IS NULL AND extract.until IS NULL AND rules >= 0
    ORDER BY last_time DESC, session DESC, inferred.row DESC LIMIT %(most)s
"""
_HOLDING: Final = """
    SELECT session FROM clew.inferred WHERE ledger = %(ledger)s AND id = ANY(%(holding)s) AND until IS NULL
"""
_INSERT: Final = """
    INSERT INTO clew.extract
        (ledger, session, task, worktree, last_time, origin, rules, extent, digest, since, items, ranks)
    VALUES (%(ledger)s, %(session)s, %(task)s, %(worktree)s, %(last_time)s, %(origin)s, %(rules)s, %(extent)s,
        %(digest)s, %(since)s, %(items)s::bigint[], %(ranks)s::bigint[])
"""
_INSERT_COLUMNS: Final = ("session", "task", "worktree", "last_time", "origin", "rules", "extent", "digest")
_INSERT_ITEMS: Final = """
    INSERT INTO clew.inferred (ledger, id, session, since, item)
    SELECT %(ledger)s, id, %(session)s, %(since)s, item
    FROM unnest(%(ids)s::text[], %(items)s::text[]) WITH ORDINALITY AS one (id, item, n) ORDER BY n
    RETURNING row
"""


class ServerVersion(NamedTuple):
    """A row of `extract`: `rows` and `ranks` are those of its items, in their order; `items` their columns, None for
    one that is not there.
    """

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
    items: Sequence[str | None]


class ServerExtracts:
    """Reads and writes within whatever transaction the caller has open."""

    def __init__(self, query: Callable[..., Any]) -> None:
        """`query` runs a statement with named values and that of the ledger."""
        self._query = query
        # Sessions of which something is not what was written: reading goes on without that.
        self.passed_over: set[str] = set()

    def read(
        self, task: str | None, session: str | None, upto: int | None, *, items: bool, holding: Collection[str] | None
    ) -> tuple[Extract, ...]:
        """As `Ledger.extracts`."""
        which = (
            " AND until IS NULL" if upto is None else " AND since <= %(upto)s AND (until IS NULL OR until > %(upto)s)"
        )
        which += "" if task is None else " AND task = %(task)s"
        which += "" if session is None else " AND session = %(session)s"
        which += "" if holding is None else f" AND session IN ({_HOLDING})"
        order, names = f"{which} ORDER BY last_time, session", list(holding or ())
        found = self._versions(order, items=items, task=task, session=session, upto=upto, holding=names)
        return tuple(filter(None, map(self.extract, found)))

    def of_kinds(self, kinds: Collection[Kind], most: int) -> dict[str, tuple[Item, ...]]:
        """As `Ledger.read_off`. An id begins with the letter of its kind, and ids have an index."""
        found: dict[str, tuple[Item, ...]] = {}
        for kind in kinds:
            given = {"start": f"{LETTERS[kind]}-", "end": f"{LETTERS[kind]}.", "most": most}  # the sign behind the dash
            for column, session in self._query(_LAST_OF_KIND, **given).fetchall():
                item = _item(column, 0)
                if item is not None:
                    found[session] = (*found.get(session, ()), item)
        return found

    def taken(self) -> dict[str, SessionExtent]:
        """As `Ledger.taken`."""
        select = "SELECT session, task, rules, extent FROM clew.extract WHERE ledger = %(ledger)s AND until IS NULL"
        return {session: SessionExtent(*columns) for session, *columns in self._query(select).fetchall()}

    def every(self) -> list[tuple[int, Extract]]:
        """As `Ledger.versions`."""
        found = ((one.since, self.extract(one)) for one in self._versions(" ORDER BY since, session"))
        return [(since, extract) for since, extract in found if extract is not None]

    def now(self, session: str) -> ServerVersion | None:
        """The version of a session that counts now."""
        return next(iter(self._versions(" AND session = %(session)s AND until IS NULL", session=session)), None)

    def replace(self, before: ServerVersion | None, extract: Extract, *, since: int, checkpoint: int) -> None:
        """Let `extract` count from the position `since` on, in place of `before`.

        What counted when the newest checkpoint was taken (its position is `checkpoint`) is kept beside it.
        """
        columns = dict(zip(_INSERT_COLUMNS, codec.extract_columns(extract), strict=True))
        rows = self._share(before, extract, since=since, checkpoint=checkpoint)
        if before is not None:
            self._end("extract", [before.row], since=since, checkpoint=checkpoint)
        self._query(_INSERT, **columns, since=since, items=rows, ranks=[item.rank for item in extract.items])

    def purge(self, item: str, values: Collection[str]) -> int:
        """Take an item, and all that hold any of `values`, out of every version: how many versions changed.

        By the rules 0 any reading is a better one: what was left of the words around is read again.
        """
        select = "SELECT row, item FROM clew.inferred WHERE ledger = %(ledger)s"
        found = ((row, _item(column, 0)) for row, column in self._query(select).fetchall())
        # What cannot be read any more goes as well: nobody can say that the words are not in it.
        gone = {row for row, one in found if one is None or is_purged(one, item, values)}
        changed = 0
        for version in self._versions("", items=False):
            try:
                origin = codec.origin_column(purge_origin(codec.origin_of(version.origin), values))
            except codec.DAMAGE:
                origin = ""
            if origin != version.origin or not gone.isdisjoint(version.rows):
                kept = [(row, rank) for row, rank in zip(version.rows, version.ranks, strict=True) if row not in gone]
                self._query(
                    "UPDATE clew.extract SET origin = %(origin)s, items = %(items)s::bigint[], "
                    "ranks = %(ranks)s::bigint[], rules = least(rules, 0) WHERE row = %(row)s",
                    origin=origin,
                    items=[row for row, _ in kept],
                    ranks=[rank for _, rank in kept],
                    row=version.row,
                )
                changed += 1
        self._query("DELETE FROM clew.inferred WHERE row = ANY (%(rows)s::bigint[])", rows=list(gone))
        return changed

    def _share(self, before: ServerVersion | None, extract: Extract, *, since: int, checkpoint: int) -> list[int]:
        """The rows of the items of `extract`: those that are there already, and new ones. The others end."""
        there: dict[str | None, list[int]] = {}
        for row, column in zip(before.rows, before.items, strict=True) if before else ():
            there.setdefault(column, []).append(row)
        columns = [codec.item_column(item) for item in extract.items]
        rows = [same.pop() if (same := there.get(column)) else 0 for column in columns]
        fresh = [at for at, row in enumerate(rows) if not row]
        ids, items = [extract.items[at].id for at in fresh], [columns[at] for at in fresh]
        given = {"session": extract.origin.session, "since": since, "ids": ids, "items": items}
        for at, (row,) in zip(fresh, self._query(_INSERT_ITEMS, **given).fetchall(), strict=True):
            rows[at] = row
        self._end("inferred", [row for left in there.values() for row in left], since=since, checkpoint=checkpoint)
        return rows

    def _end(self, table: str, rows: Sequence[int], *, since: int, checkpoint: int) -> None:
        """Close rows that a checkpoint saw, delete the others."""
        which = f"clew.{table} {{}} WHERE row = ANY (%(rows)s::bigint[]) AND since"
        given = {"rows": rows, "since": since, "checkpoint": checkpoint}
        self._query(f"UPDATE {which.format('SET until = %(since)s')} <= %(checkpoint)s", **given)
        self._query(f"DELETE FROM {which.format('')} > %(checkpoint)s", **given)

    def _versions(self, which: str, *, items: bool = True, **given: Any) -> list[ServerVersion]:
        select = _SELECT.format(_HEADER, _ITEMS if items else "NULL") + which
        return [ServerVersion._make(row) for row in self._query(select, **given).fetchall()]

    def extract(self, version: ServerVersion) -> Extract | None:
        """The extract of a version; None where it is not what was written."""
        try:
            origin = codec.origin_of(version.origin)
        except codec.DAMAGE:
            self.passed_over.add(version.session)
            return None
        columns = version.items or ()
        pairs = zip(columns, version.ranks, strict=False)
        kept = [item for column, rank in pairs if (item := _item(column, rank)) is not None]
        if len(kept) < len(columns):
            self.passed_over.add(version.session)
        task, worktree, rules, extent, digest = version.task, version.worktree, *version[5:8]
        return Extract(origin, task, worktree, rules, extent, digest, tuple(kept))


def _item(column: str | None, rank: int) -> Item | None:
    """The item of a column; None where it is not what was written, or not there."""
    try:
        return None if column is None else codec.item_of(column, rank)
    except codec.DAMAGE:
        return None
