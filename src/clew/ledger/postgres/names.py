"""Ids of a ledger: of the items, tasks and checkpoints that its events speak of, and of the items in its extracts."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Final

from clew.core.state.ids import PREFIX_CHARS_MIN, shortest_prefix, shortest_prefixes
from clew.ledger.names import IDS_MAX, canonical

# Behind every character that an id can go on with.
_BEHIND: Final = "\U0010ffff"
_SAID: Final = "clew.event WHERE ledger = %(ledger)s AND about <> '' AND about"
_READ: Final = "clew.inferred WHERE ledger = %(ledger)s AND id"

_BEGINNING: Final = f"""
    (SELECT DISTINCT about FROM {_SAID} >= %(start)s AND about < %(end)s ORDER BY about LIMIT {IDS_MAX})
    UNION (SELECT DISTINCT id FROM {_READ} >= %(start)s AND id < %(end)s ORDER BY id LIMIT {IDS_MAX})
    ORDER BY 1 LIMIT {IDS_MAX}
"""
# The neighbours of ids in the order of all, where they share its shortest allowed prefix: a longer one is needed then.
_NEIGHBOURS: Final = f"""
    SELECT name,
        (SELECT max(about) FROM {_SAID} < name AND about >= start),
        (SELECT min(about) FROM {_SAID} > name AND about < start || '{_BEHIND}'),
        (SELECT max(id) FROM {_READ} < name AND id >= start),
        (SELECT min(id) FROM {_READ} > name AND id < start || '{_BEHIND}')
    FROM unnest(%(names)s::text[], %(starts)s::text[]) AS asked (name, start)
"""
# What is said of an item tells its task, by its worth: a person's statement 3, a person's word 2, another's statement
# 1, another's word 0. Anybody may speak of it from elsewhere.
_TASK_SAID: Final = f"""
    SELECT task, (provenance = 'human')::int * 2 + (kind = 'item.stated')::int AS worth
    FROM {_SAID} = %(name)s ORDER BY worth DESC, seq LIMIT 1
"""
_TASK_NOW: Final = """
    SELECT extract.task, extract.rules < 0
    FROM clew.inferred JOIN clew.extract USING (ledger, session)
    WHERE ledger = %(ledger)s AND inferred.id = %(name)s AND inferred.until IS NULL AND extract.until IS NULL
    ORDER BY least(extract.rules, 1) DESC, extract.last_time, extract.session LIMIT 1
"""
_TASK_THEN: Final = """
    SELECT extract.task FROM clew.inferred JOIN clew.extract USING (ledger, session)
    WHERE ledger = %(ledger)s AND inferred.id = %(name)s
    AND extract.until IS NOT NULL AND extract.since < inferred.until
    ORDER BY extract.until DESC, extract.session LIMIT 1
"""


class Names:
    """Looks up ids within whatever transaction the caller has open."""

    def __init__(self, query: Callable[..., Any]) -> None:
        """`query` runs a statement with named values and that of the ledger."""
        self._query = query

    def beginning(self, prefix: str) -> tuple[str, ...]:
        """As `Ledger.ids`."""
        start = canonical(prefix)
        return tuple(str(name) for (name,) in self._query(_BEGINNING, start=start, end=start + _BEHIND).fetchall())

    def shortest(self, ids: Collection[str]) -> dict[str, str]:
        """As `Ledger.shortest`."""
        shown = shortest_prefixes(ids, ())  # among themselves: what is asked for need not be in the ledger yet
        names = list(shown)
        starts = [name[: name.find("-") + 1 + PREFIX_CHARS_MIN] for name in names]
        for name, *neighbours in self._query(_NEIGHBOURS, names=names, starts=starts).fetchall():
            longer = shortest_prefix(name, filter(None, neighbours))
            shown[name] = max(shown[name], longer, key=len)
        return shown

    def task_of(self, name: str) -> str | None:
        """As `Ledger.task_of`."""
        said = self._query(_TASK_SAID, name=name).fetchone()
        worth = said[1] if said else 0
        now = None if worth == 3 else self._query(_TASK_NOW, name=name).fetchone()
        if now and not (now[1] and worth):
            return str(now[0])
        found = said or self._query(_TASK_THEN, name=name).fetchone()
        return str(found[0]) if found else None
