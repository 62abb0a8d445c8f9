"""The tail: events that were appended lately and are in no index but that of their keys.

An index that is kept up with every append is paid for with every append: a page more to write and to sync. So the
newest few events are found by reading them, and filed into the indexes many at a time. An event with `filed` = 0 lies
behind the position that `meta` calls `filed`; that only grows, so an old value of it still finds all of the tail.
"""

from __future__ import annotations

from typing import Final

import apsw

# So many events are read one by one at most (about a millisecond), and filed at once.
EVENTS_MAX: Final = 512
# A batch of so many is filed as it is appended: the pages of the indexes are written once for many of them.
BATCH_FILED_MIN: Final = 32


def filed(connection: apsw.Connection) -> int:
    """The position up to which all events are in the indexes. Raises `ValueError` or `TypeError` if it is no number."""
    ((position,),) = connection.execute("SELECT value FROM meta WHERE name = 'filed'")
    return int(position)


def file(connection: apsw.Connection, newest: int) -> None:
    """Put the events up to the position `newest`, which is that of the newest one, into the indexes."""
    connection.execute("UPDATE event SET filed = 1 WHERE filed = 0 AND seq > ?", (filed(connection),))
    connection.execute("UPDATE meta SET value = ? WHERE name = 'filed'", (newest,))
