"""Ids of a ledger: of the items, tasks and checkpoints that its events speak of, and of the items in its extracts."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

import apsw
import msgspec

from clew.core.state.ids import PREFIX_CHARS_MIN, canonical, shortest_prefix, shortest_prefixes
from clew.ledger.port import IDS_MAX
from clew.ledger.sqlite.events import filed

# Behind every character that an id can go on with.
_BEHIND: Final = "\U0010ffff"

_BEGINNING: Final = f"""
    SELECT id FROM (
        SELECT DISTINCT about AS id FROM event
        WHERE filed = 1 AND about <> '' AND about >= :start AND about < :end ORDER BY about LIMIT {IDS_MAX}
    )
    UNION
    SELECT about FROM event WHERE filed = 0 AND seq > :filed AND about <> '' AND about >= :start AND about < :end
    UNION
    SELECT id FROM (
        SELECT DISTINCT id FROM inferred WHERE id >= :start AND id < :end ORDER BY id LIMIT {IDS_MAX}
    )
    ORDER BY id LIMIT {IDS_MAX}
"""
# The neighbours of ids in the order of all, where they share its shortest allowed prefix: a longer one is needed then.
_NEIGHBOURS: Final = f"""
    WITH asked (id, start) AS MATERIALIZED
        (SELECT value, substr(value, 1, instr(value, '-') + {PREFIX_CHARS_MIN}) FROM json_each(?)),
    beside (id, one, two, three, four) AS MATERIALIZED (SELECT id,
        (SELECT about FROM event WHERE filed = 1 AND about <> '' AND about < asked.id AND about >= start
            ORDER BY about DESC LIMIT 1),
        (SELECT about FROM event WHERE filed = 1 AND about <> '' AND about > asked.id AND about < start || '{_BEHIND}'
            ORDER BY about LIMIT 1),
        (SELECT id FROM inferred WHERE id < asked.id AND id >= start ORDER BY id DESC LIMIT 1),
        (SELECT id FROM inferred WHERE id > asked.id AND id < start || '{_BEHIND}' ORDER BY id LIMIT 1)
        FROM asked)
    SELECT * FROM beside WHERE coalesce(one, two, three, four) IS NOT NULL
"""
_TAIL: Final = "SELECT DISTINCT about FROM event WHERE filed = 0 AND seq > ? AND about <> ''"
# What is said of an item tells its task, by its worth: a person's statement 3, a person's word 2, another's statement
# 1, another's word 0. Anybody may speak of it from elsewhere.
_TASK_SAID: Final = """
    SELECT task, (provenance = 'human') * 2 + (kind = 'item.stated') AS worth FROM (
        SELECT seq, task, provenance, kind FROM event
        WHERE filed = 1 AND about <> '' AND about = :id
        UNION ALL
        SELECT seq, task, provenance, kind FROM event
        WHERE filed = 0 AND seq > :filed AND about <> '' AND about = :id
    ) ORDER BY worth DESC, seq LIMIT 1
"""
_TASK_NOW: Final = """
    SELECT extract.task, extract.rules < 0
    FROM inferred JOIN extract ON extract.session = inferred.session AND extract.until IS NULL
    WHERE inferred.id = :id AND inferred.until IS NULL
    ORDER BY min(extract.rules, 1) DESC, extract.last_time, extract.session LIMIT 1
"""
_TASK_THEN: Final = """
    SELECT extract.task FROM inferred JOIN extract
        ON extract.session = inferred.session AND extract.until IS NOT NULL AND extract.since < inferred.until
    WHERE inferred.id = :id
    ORDER BY extract.until DESC, extract.session LIMIT 1
"""


class Names:
    """Looks up ids within whatever transaction the caller has open."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def beginning(self, prefix: str) -> tuple[str, ...]:
        """As `Ledger.ids`."""
        start = canonical(prefix)
        given = {"start": start, "end": start + _BEHIND, "filed": filed(self._connection)}
        return tuple(str(name) for (name,) in self._connection.execute(_BEGINNING, given))

    def shortest(self, ids: Collection[str]) -> dict[str, str]:
        """As `Ledger.shortest`."""
        tail = [str(name) for (name,) in self._connection.execute(_TAIL, (filed(self._connection),))]
        # Among themselves and the tail: what is asked for need not be in the ledger yet.
        shown = shortest_prefixes(ids, tail)
        rows: list[Any] = self._connection.execute(_NEIGHBOURS, (msgspec.json.encode(list(shown)).decode(),)).fetchall()
        for name, *neighbours in rows:
            longer = shortest_prefix(name, filter(None, neighbours))
            shown[name] = max(shown[name], longer, key=len)
        return shown

    def task_of(self, name: str) -> str | None:
        """As `Ledger.task_of`."""
        said: Any = self._connection.execute(_TASK_SAID, {"id": name, "filed": filed(self._connection)}).fetchone()
        worth = said[1] if said else 0
        now: Any = None if worth == 3 else self._connection.execute(_TASK_NOW, {"id": name}).fetchone()
        if now and not (now[1] and worth):
            return str(now[0])
        found: Any = said or self._connection.execute(_TASK_THEN, {"id": name}).fetchone()
        return str(found[0]) if found else None
