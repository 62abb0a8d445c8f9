"""The tables of extracts in a file. Each row has a checksum of its columns."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, Final

import apsw

from clew.ledger import codec
from clew.ledger.codec import UNSUMMED, checksum, is_whole
from clew.ledger.sqlite.connection import fetch_rows
from clew.ledger.stored import ExtractTables, ExtractVersion, as_json

SCOPE: Final = "row IS NOT NULL"  # a file has one ledger
ROWS: Final = "IN (SELECT value FROM json_each(:rows))"
_LAST_TIME: Final = 3
_INSERT: Final = """
    INSERT INTO extract (session, task, worktree, last_time, origin, rules, extent, digest, since, items, checksum)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


class SqliteExtracts(ExtractTables):
    """See `ExtractTables`."""

    def __init__(self, connection: apsw.Connection, *, summed: bool = True) -> None:
        """`summed`: the rows have checksums; before the second step of the schema they had none."""
        super().__init__()
        self._connection = connection
        self._checksum = "checksum" if summed else repr(UNSUMMED)
        header = "row, session, task, worktree, last_time, origin, rules, extent, digest, since, items"
        self.header = f"{header}, {self._checksum}"

    def query(self, sql: str, **given: Any) -> list[Any]:
        names = ROWS.replace(":rows", ":names")
        return self._connection.execute(sql.format(scope=SCOPE, rows=ROWS, names=names), given).fetchall()

    def fetch(self, columns: str, which: str, **given: Any) -> list[Any]:
        found = fetch_rows(
            self._connection, f"SELECT {{}} FROM extract WHERE {which}", given, key="row", columns=columns
        )
        self.passed_over.update(f"in row {row}" for row in found.unreadable)
        return found.rows

    def version(self, row: Sequence[Any]) -> ExtractVersion:
        key, *columns, kept = row
        if not is_whole(columns, kept):
            raise ValueError("the checksum is another one")
        steps, ranks = codec.unpack(columns.pop())
        del columns[_LAST_TIME]  # the origin has it as well
        return ExtractVersion._make((key, *columns, tuple(accumulate(steps)), tuple(ranks)))

    def columns(self, rows: Sequence[int]) -> dict[int, str]:
        names, select = (
            f"row, {self._checksum}, id, session, since, item",
            f"SELECT {{}} FROM inferred WHERE row {ROWS}",
        )
        found = fetch_rows(self._connection, select, {"rows": as_json(rows)}, key="row", columns=names)
        return {row: columns[-1] for row, kept, *columns in found.rows if is_whole(columns, kept)}

    def add(self, columns: Sequence[str | int], since: int, rows: Sequence[int], ranks: Sequence[int]) -> None:
        given = (*columns, since, _items_column(rows, ranks))
        self._connection.execute(_INSERT, (*given, checksum(given)))

    def add_items(self, session: str, since: int, items: Sequence[tuple[str, str]]) -> list[int]:
        insert = "INSERT INTO inferred (id, session, since, item, checksum) VALUES (?, ?, ?, ?, ?) RETURNING row"
        rows: list[Any] = []
        for name, column in items:
            values = (name, session, since, column)
            rows += self._connection.execute(insert, (*values, checksum(values)))
        return [row for (row,) in rows]

    def change(self, version: ExtractVersion) -> None:
        items, origin = _items_column(version.rows, version.ranks), version.origin
        last_time = codec.origin_of(origin).last_time if origin else ""
        head = (version.session, version.task, version.worktree, last_time, origin, version.rules, version.extent)
        kept = checksum((*head, version.digest, version.since, items))
        update = "UPDATE extract SET origin = ?, items = ?, rules = ?, checksum = ? WHERE row = ?"
        self._connection.execute(update, (origin, items, version.rules, kept, version.row))


def _items_column(rows: Sequence[int], ranks: Sequence[int]) -> codec.Packed:
    """Rows as differences from one to the next: mostly 1, which takes next to no space when compressed."""
    steps = [row - before for row, before in zip(rows, [0, *rows], strict=False)]
    return codec.pack([steps, ranks], compressed_bytes_min=0)
