"""The table of events: adding, and reading by arrival, task and kind."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import apsw
import msgspec

from clew.core.state.events import Event, Recorded
from clew.ledger import codec
from clew.ledger.codec import UNSUMMED, about, checksum
from clew.ledger.sqlite.connection import fetch_rows

# The tail: an index that is kept up with every append is paid for with every append, a page more to write and to sync.
# So the newest few events are found by reading them (about a millisecond for these), and filed into the indexes at
# once. An event with `filed` = 0 lies behind the position that `meta` calls `filed`; that only grows, so an old value
# of it still finds all of the tail.
TAIL_EVENTS_MAX: Final = 512
# A batch of so many is filed as it is appended: the pages of the indexes are written once for many of them.
BATCH_FILED_MIN: Final = 32
# Rows that are read at a time, so that no statement stays open while the caller does something else.
_ROWS_AT_ONCE: Final = 500
COLUMNS: Final = (
    "id, key, project, task, session, worktree, actor, provenance, visibility, said_at, recorded_at, kind, v, data"
)
_DATA: Final = Event._fields.index("data")
_INSERT: Final = f"""
    INSERT INTO event ({COLUMNS}, about, filed, checksum)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (key) DO NOTHING
"""
# The index on task and kind, with the position behind them, finds events of all kinds of a task, or of a kind of all
# tasks, when it is told which kinds and tasks there are. These two walk from one to the next, in as many steps; they
# end (`UNION`) also where the index is damaged and leads back. What is in the tail is in no index: it is
# looked through.
_TASKS: Final = """
    WITH RECURSIVE task_of (name) AS (
        SELECT min(task) FROM event WHERE filed = 1
        UNION
        SELECT (SELECT min(task) FROM event WHERE filed = 1 AND task > name) FROM task_of WHERE name IS NOT NULL
    )
    SELECT name FROM task_of WHERE name IS NOT NULL
    UNION SELECT task FROM event WHERE filed = 0 AND seq > :filed
"""
_KINDS: Final = """
    WITH RECURSIVE kind_of (name) AS (
        SELECT min(kind) FROM event WHERE filed = 1 AND task = :task
        UNION
        SELECT (SELECT min(kind) FROM event WHERE filed = 1 AND task = :task AND kind > name)
        FROM kind_of WHERE name IS NOT NULL
    )
    SELECT name FROM kind_of WHERE name IS NOT NULL
    UNION SELECT kind FROM event WHERE filed = 0 AND seq > :filed AND task = :task
"""
_WANTED: Final = """
    task IN (SELECT value FROM json_each(:tasks)) AND kind IN (SELECT value FROM json_each(:kinds))
    AND seq > :after AND seq <= :upto
"""
_SELECT: Final = f"""
    SELECT {{}} FROM event WHERE filed = 1 AND {_WANTED}
    UNION ALL SELECT {{}} FROM event WHERE filed = 0 AND seq > :filed AND {_WANTED}
"""
_ABOUT: Final = """
    SELECT {} FROM event
    WHERE filed = 1 AND about <> '' AND about IN (SELECT value FROM json_each(:names)) AND +task = :task
    UNION ALL SELECT {} FROM event
    WHERE filed = 0 AND seq > :filed AND about IN (SELECT value FROM json_each(:names)) AND task = :task
"""
_BETWEEN: Final = "SELECT {} FROM event WHERE seq > ? AND seq <= ? ORDER BY seq"
_THESE: Final = "SELECT {} FROM event WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq"


class EventTable:
    """Reads and adds within whatever transaction the caller has open."""

    def __init__(self, connection: apsw.Connection, *, summed: bool = True) -> None:
        """`summed`: the rows have checksums; before the second step of the schema they had none."""
        self._connection = connection
        self._row = f"seq, {COLUMNS}, about, {'checksum' if summed else repr(UNSUMMED)}"
        # Positions of rows that are not what was written: reading goes on without them.
        self.passed_over: set[int] = set()

    def append(self, event: Event, *, file: bool = False) -> int:
        """Add one `checked` event: its position, or that of the event that has its key already. `file`: also into
        the indexes that can wait.
        """
        columns = _columns(event, filed=file)
        while True:
            self._connection.execute(_INSERT, columns)
            if self._connection.changes():
                return self._connection.last_insert_rowid()
            for (seq,) in self._connection.execute("SELECT seq FROM event WHERE key = ?", (event.key,)):
                return int(seq)
            # It was there, and somebody has dropped it since (activity, by age).

    def put(self, seq: int, event: Event) -> bool:
        """Add an event at a position of its own, behind all others: whether its key was new. For a repair."""
        columns = (seq, *_columns(event, filed=True))
        holes = ", ".join("?" * len(columns))
        names = f"seq, {COLUMNS}, about, filed, checksum"
        self._connection.execute(f"INSERT INTO event ({names}) VALUES ({holes}) ON CONFLICT (key) DO NOTHING", columns)
        return bool(self._connection.changes())

    def row(self, seq: int) -> Sequence[Any] | None:
        """The row at a position as it stands there, None without one: for a repair."""
        return self._connection.execute(f"SELECT {self._row} FROM event WHERE seq = ?", (seq,)).fetchone()

    def event(self, row: Sequence[Any]) -> Event | None:
        """The event of a row; None where that is not what was written."""
        return codec.event_if_whole(row[1:-2], row[-2], row[-1])

    def position(self) -> int:
        """The position of the newest event, 0 if there is none."""
        ((seq,),) = self._connection.execute("SELECT ifnull(max(seq), 0) FROM event")
        return int(seq)

    def last(self, kind: str) -> int:
        """The position of the newest event of a kind, 0 if there is none."""
        tail = "SELECT max(seq) FROM event WHERE filed = 0 AND seq > ? AND kind = ?"
        found: list[Any] = [seq for (seq,) in self._connection.execute(tail, (filed(self._connection), kind))]
        greatest = "SELECT max(seq) FROM event WHERE filed = 1 AND task = ? AND kind = ?"
        for task in self._tasks():
            found.extend(seq for (seq,) in self._connection.execute(greatest, (task, kind)))
        return max((seq for seq in found if seq is not None), default=0)

    def holds(self, kind: str, *, after: int) -> bool:
        """Whether there is an event of a kind behind a position. Looks at all that came since: quick for a new one."""
        select = "SELECT 1 FROM event WHERE seq > ? AND kind = ? LIMIT 1"
        return self._connection.execute(select, (after, kind)).fetchone() is not None

    def read(
        self, *, task: str | None, kinds: Collection[str] | None, after: int, upto: int | None
    ) -> Iterator[Recorded]:
        """As `Ledger.events`; what counts is fixed by this call, the rows are read on the way."""
        end = self.position() if upto is None else min(upto, self.position())
        if task is None and kinds is None:
            return self._range(after, end)
        return self._rows(sorted(self.positions(task=task, kinds=kinds, after=after, upto=end)))

    def damaged(self) -> tuple[int, ...]:
        """The positions of all events that are not what was written. Reads every row."""
        for _ in self._range(0, self.position()):
            pass
        return tuple(sorted(self.passed_over))

    def positions(self, *, task: str | None, kinds: Collection[str] | None, after: int, upto: int) -> list[int]:
        """Where events of a task and of some kinds are, in any order. One of both must be given."""
        tasks = self._tasks() if task is None else [task]
        if kinds is None:
            assert task is not None
            given = {"task": task, "filed": filed(self._connection)}
            kinds = [str(name) for (name,) in self._connection.execute(_KINDS, given)]
        given = self._given(tasks, kinds, after=after, upto=upto)
        return [seq for (seq,) in self._connection.execute(_SELECT.replace("{}", "seq"), given)]

    def of_task(self, task: str, kinds: Collection[str], *, after: int, upto: int) -> list[Event]:
        """Events of one task and of some kinds, in any order."""
        given = self._given([task], kinds, after=after, upto=upto)
        return [one.event for one in self._whole(self._fetched(_SELECT, given))]

    def about(self, task: str, names: Collection[str]) -> list[Event]:
        """Events of one task that are about some items or tasks, in any order."""
        given = {"task": task, "names": _json(sorted(names)), "filed": filed(self._connection)}
        return [one.event for one in self._whole(self._fetched(_ABOUT, given))]

    def _given(self, tasks: Collection[str], kinds: Collection[str], *, after: int, upto: int) -> dict[str, Any]:
        wanted = {"tasks": _json(tasks), "kinds": _json(kinds)}
        return {**wanted, "after": after, "upto": upto, "filed": filed(self._connection)}

    def _fetched(self, select: str, given: Sequence[Any] | Mapping[str, Any]) -> list[Any]:
        found = fetch_rows(self._connection, select, given, key="seq", columns=self._row)
        self.passed_over.update(found.unreadable)
        return found.rows

    def rewrite(self, change: Callable[[Event], Event]) -> int:
        """Let every event be what `change` makes of it, as it was written: how many changed. Only data may change. Of
        what is not what was written nothing is left: nobody can say what it holds.
        """
        changed = 0
        for seq, event in self._range(0, self.position()):
            new = change(event)
            if new is not event:
                columns = _columns(new, filed=False)
                given = (columns[_DATA], columns[-1], seq)
                self._connection.execute("UPDATE event SET data = ?, checksum = ? WHERE seq = ?", given)
                changed += 1
        empty = "UPDATE event SET data = x'' WHERE seq = ?"
        self._connection.executemany(empty, [(seq,) for seq in sorted(self.passed_over)])
        return changed

    def drop(self, kinds: Collection[str], *, before: str) -> int:
        """Delete events of some kinds that were recorded before a time: how many. Never the newest of all."""
        newest = self.position()
        positions = self.positions(task=None, kinds=kinds, after=0, upto=newest - 1)
        self._connection.execute(
            "DELETE FROM event WHERE seq IN (SELECT value FROM json_each(?)) AND recorded_at < ?",
            (_json(positions), before),
        )
        return self._connection.changes()

    def _tasks(self) -> list[str]:
        found = self._connection.execute(_TASKS, {"filed": filed(self._connection)})
        return [str(name) for (name,) in found]

    def _range(self, after: int, end: int) -> Iterator[Recorded]:
        select = f"SELECT seq FROM event WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT {_ROWS_AT_ONCE}"
        while found := self._connection.execute(select, (after, end)).fetchall():
            positions: list[Any] = [seq for (seq,) in found]
            start = after
            for seq in positions:
                if seq <= after:  # the file is damaged: going on from here would never end
                    raise ValueError(f"behind the position {after} of an event is {seq}")
                after = seq
            yield from self._whole(self._fetched(_BETWEEN, (start, after)))

    def _rows(self, positions: Sequence[int]) -> Iterator[Recorded]:
        for start in range(0, len(positions), _ROWS_AT_ONCE):
            part = positions[start : start + _ROWS_AT_ONCE]
            yield from self._whole(self._fetched(_THESE, (_json(part),)))

    def _whole(self, rows: Iterable[Sequence[Any]]) -> Iterator[Recorded]:
        """The events of rows that are what was written; the positions of the others are kept."""
        for row in rows:
            event = self.event(row)
            if event is None:
                self.passed_over.add(row[0])
            else:
                yield Recorded(row[0], event)


def filed(connection: apsw.Connection) -> int:
    """The position up to which all events are in the indexes. Raises `ValueError` or `TypeError` if it is none."""
    ((position,),) = connection.execute("SELECT value FROM meta WHERE name = 'filed'")
    return int(position)


def file_tail(connection: apsw.Connection, newest: int) -> None:
    """Put the events up to the position `newest`, which is that of the newest one, into the indexes."""
    connection.execute("UPDATE event SET filed = 1 WHERE filed = 0 AND seq > ?", (filed(connection),))
    connection.execute("UPDATE meta SET value = ? WHERE name = 'filed'", (newest,))


def _columns(event: Event, *, filed: bool) -> tuple[Any, ...]:
    """The columns of an event's row behind its position: `COLUMNS`, `about`, `filed`, `checksum`."""
    columns, name = codec.event_columns(event), about(event)
    return (*columns, name, int(filed), checksum((*columns[:_DATA], name, columns[_DATA])))


def _json(values: Collection[str] | Collection[int]) -> str:
    return msgspec.json.encode(list(values)).decode()
