"""Snapshots of the fold, one a task: what the events up to a position come to, so that only newer ones are folded.

A snapshot is a row for each entity, and a head that says up to where they were folded. It is a convenience: one of
another version of the fold, a damaged one, one from a longer life of the file is as good as none, and is replaced.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any, Final
from zlib import crc32

import apsw
import msgspec

from clew.core.state.crowd import Room, Selected, Sort, parse_sort, said_of, select, sort_of, write_sort
from clew.core.state.events import Event
from clew.core.state.fold import FOLD_VERSION, Change, Entity, fold

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
    """Reads and writes within whatever transaction the caller has open."""

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
