"""Rows of which some may hold a text that is none any more: SQLite hands such bytes on, and then none of a query's rows
can be fetched.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import apsw


class Fetched(NamedTuple):
    """The rows of a query, and the keys of those that cannot be fetched."""

    rows: list[Any]
    unreadable: list[int]


def fetched(
    connection: apsw.Connection, select: str, given: Sequence[Any] | Mapping[str, Any], *, key: str, columns: str
) -> Fetched:
    """What `select` finds, in which `{}` stands for the `columns`, each row of a table with the `key`."""
    try:
        return Fetched(connection.execute(select.replace("{}", columns), given).fetchall(), [])
    except UnicodeDecodeError:
        found = Fetched([], [])
    keys: list[Any] = connection.execute(select.replace("{}", key), given).fetchall()
    for (one,) in keys:
        try:
            found.rows.extend(connection.execute(f"{select_one(select, columns)} WHERE {key} = ?", (one,)))
        except UnicodeDecodeError:
            found.unreadable.append(one)
    return found


def select_one(select: str, columns: str) -> str:
    """The beginning of a query for rows of the table that `select` names first."""
    table = select.partition(" FROM ")[2].split(maxsplit=1)[0]
    return f"SELECT {columns} FROM {table}"
