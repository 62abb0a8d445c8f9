"""Snapshots of the fold, one a task: what the events up to a position come to, so that only newer ones are folded.

A snapshot is a convenience. One of another version of the fold, a damaged one, one from a longer life of the file: each
is as good as none, and is replaced.
"""

from __future__ import annotations

from functools import cache
from typing import Final
from zlib import crc32

import apsw
import msgspec

from clew.core.state.fold import FOLD_VERSION, Change, Entity

# A snapshot is written again when the events behind it have grown to this many, and to this part of what it holds.
_EVENTS_MIN: Final = 64
_ENTITIES_EACH: Final = 10


class Snapshots:
    """Reads and writes within whatever transaction the caller has open."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def load(self, task: str, upto: int) -> tuple[int, dict[str, Entity]]:
        """Position and entities of the snapshot of a task, if one can be used up to `upto`; else 0 and nothing."""
        select = "SELECT seq, fold, checksum, entities FROM snapshot WHERE task = ?"
        row = self._connection.execute(select, (task,)).fetchone()
        if row is None or row[0] > upto or row[1] != FOLD_VERSION or crc32(row[3]) != row[2]:
            return 0, {}
        try:
            return row[0], _decoder().decode(row[3])
        except msgspec.MsgspecError:
            return 0, {}

    def save(self, task: str, seq: int, entities: dict[str, Entity]) -> None:
        """Keep a snapshot of a task, unless there is a newer one by now that can be used."""
        encoded = msgspec.msgpack.encode(entities)
        self._connection.execute(
            """
            INSERT INTO snapshot (task, seq, fold, checksum, entities) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (task) DO UPDATE SET
                seq = excluded.seq, fold = excluded.fold, checksum = excluded.checksum, entities = excluded.entities
            WHERE excluded.seq >= snapshot.seq OR excluded.fold <> snapshot.fold
                OR snapshot.seq > (SELECT max(seq) FROM event)
            """,
            (task, seq, FOLD_VERSION, crc32(encoded), encoded),
        )

    def drop(self) -> None:
        """Forget all snapshots."""
        self._connection.execute("DELETE FROM snapshot")


def worth_it(events: int, entities: int) -> bool:
    """Whether so many events that had to be folded are enough to write so many entities."""
    return events >= max(_EVENTS_MIN, entities // _ENTITIES_EACH)


@cache
def _decoder() -> msgspec.msgpack.Decoder[dict[str, tuple[Change, ...]]]:
    return msgspec.msgpack.Decoder(dict[str, tuple[Change, ...]])
