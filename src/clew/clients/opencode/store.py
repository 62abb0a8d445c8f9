"""OpenCode's database, read while the client may be writing to it. Nothing of it is changed or held, no file is made.

Tables and columns: docs/clients/opencode.md, "Where", seen in 1.18. Rows come as the client wrote them.
"""

import os
import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar
from urllib.parse import quote

import apsw

from clew.clients.places import is_within

_T = TypeVar("_T")

_TRIES: Final = 3
_BUSY_MS: Final = 500
_FLAGS: Final = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
# What another try can mend: the client was just making, folding in or throwing away its log.
_PASSING: Final = (apsw.BusyError, apsw.CantOpenError, apsw.ReadOnlyError, apsw.ProtocolError)

_TABLES: Final = "SELECT name FROM sqlite_schema WHERE type = 'table'"
_READ: Final = frozenset(("session", "message", "part"))
# Of later versions: a table of sessions with a number.
_LATER: Final = re.compile(r"session_v\d+")
_FOLDERS: Final = "SELECT DISTINCT directory FROM session WHERE parent_id IS NULL"
_ALL: Final = """
    SELECT id, max(time_updated, ifnull((SELECT max(time_updated) FROM message WHERE session_id = session.id), 0),
                   ifnull((SELECT max(time_updated) FROM part WHERE session_id = session.id), 0)),
           EXISTS (SELECT 1 FROM message WHERE session_id = session.id), ifnull(parent_id, '')
    FROM session
"""
_LISTED: Final = _ALL + "WHERE parent_id IS NULL AND directory = ?"
_SESSION: Final = "SELECT id, parent_id, directory, version, permission, revert FROM session WHERE id = ?"
_MESSAGES: Final = """
    SELECT id, CAST(data AS BLOB) FROM message WHERE session_id = ? ORDER BY time_created, id
"""
_PARTS: Final = "SELECT id, message_id, CAST(data AS BLOB) FROM part WHERE session_id = ? ORDER BY id"


class StoredSession(NamedTuple):
    """A session as the tables tell of it: when anything of it was last written, whether it has messages, and which one
    started it ("" it is no sub-agent's).
    """

    session: str
    modified_ms: int
    is_begun: bool
    parent: str = ""


class Stored(NamedTuple):
    """A session's rows. `messages` are (id, data) in their order, `parts` (id, message's id, data) in theirs."""

    session: dict[str, Any]
    messages: list[tuple[str, bytes]]
    parts: list[tuple[str, str, bytes]]


def listed(database: Path, folder: str) -> tuple[list[StoredSession], bool]:
    """Sessions that began in `folder` or below it, by whichever name of it, without those of sub-agents, or all with
    theirs (""); and whether there are tables of a later version of the client, whose sessions are not read. Raises
    `OSError`.
    """

    def rows(connection: apsw.Connection) -> tuple[list[Any], bool]:
        tables = {str(name) for (name,) in connection.execute(_TABLES)}
        if not tables >= _READ:
            return [], any(name.startswith("session") for name in tables)
        is_later = any(_LATER.fullmatch(name) for name in tables)
        if not folder:
            return list(connection.execute(_ALL)), is_later
        folders = [place for (place,) in connection.execute(_FOLDERS) if _is_below(str(place), folder)]
        return [row for place in folders for row in connection.execute(_LISTED, (place,))], is_later

    found, is_later = _read(database, rows)
    return [
        StoredSession(str(name), _count(modified), bool(begun), str(by)) for name, modified, begun, by in found
    ], is_later


def _is_below(place: str, folder: str) -> bool:
    """Whether the folder `place` is `folder` or below it. The client keeps `$PWD`, which may lead through links."""
    return is_within(place, folder) or (place.startswith("/") and is_within(os.path.realpath(place), folder))


def stored(database: Path, session: str) -> Stored:
    """One session. Raises `FileNotFoundError` if the database has none of this id, `OSError` if it cannot be read."""

    def rows(connection: apsw.Connection) -> tuple[list[Any], list[Any], list[Any]]:
        asked = (session,)
        return (
            list(connection.execute(_SESSION, asked)),
            list(connection.execute(_MESSAGES, asked)),
            list(connection.execute(_PARTS, asked)),
        )

    found, messages, parts = _read(database, rows)
    if not found:
        raise FileNotFoundError(2, "there is no such session in it", str(database))
    return Stored(
        dict(zip(("id", "parentID", "directory", "version", "permission", "revert"), found[0], strict=True)),
        [(str(name), data or b"") for name, data in messages],
        [(str(name), str(message), data or b"") for name, message, data in parts],
    )


def _read(database: Path, work: Callable[[apsw.Connection], _T]) -> _T:
    """What `work` reads, all of one moment, by the first way that leaves no trace. Raises `OSError`.

    The client keeps its last megabytes in the log beside the file (`-wal`), also after its end and when it was killed,
    so the file alone is not the session. A plain read-only connection would make or write the log's index (`-shm`).
    With `readonly_shm` SQLite takes that index as it is: of a client that runs, with a reader's lock, for which no
    writer waits; of one that is dead it makes its own in memory. Without a log the file is all there is, and it can be
    read without any lock, if nobody begins to write meanwhile. A log without its index (somebody copied the files) is
    not read.
    """
    refused = "somebody writes to it all the time"
    try:
        for _ in range(_TRIES):
            before = _marks(database)
            _, log, index = before
            shared = log is not None and index is not None
            try:
                connection = _connected(database, shared=shared, logged=bool(log and log[0]))
                with closing(connection), connection:  # the second is the transaction
                    found = work(connection)
            except _PASSING as error:
                refused = str(error)
                continue
            if shared or _marks(database) == before:
                return found
    except (apsw.Error, ValueError) as error:  # ValueError: a NUL in the path, text that is not UTF-8
        refused = str(error)
    raise OSError(5, f"the database cannot be read: {refused}", str(database))


def _connected(database: Path, *, shared: bool, logged: bool) -> apsw.Connection:
    if logged and not shared:
        raise OSError(5, "its log has no index; start OpenCode once, which makes one", str(database))
    how = "mode=ro&readonly_shm=1" if shared else "immutable=1"
    connection = apsw.Connection(f"file:{quote(os.fspath(database.absolute()))}?{how}", flags=_FLAGS)
    connection.set_busy_timeout(_BUSY_MS)
    return connection


def _marks(database: Path) -> tuple[tuple[int, int] | None, ...]:
    """By which it can be told that the file, its log or the log's index changed: size and time, None if not there."""
    found: list[tuple[int, int] | None] = []
    for name in (database, Path(f"{database}-wal"), Path(f"{database}-shm")):
        try:
            state = name.stat()
            found.append((state.st_size, state.st_mtime_ns))
        except FileNotFoundError:
            if name == database:
                raise
            found.append(None)
    return tuple(found)


def _count(value: object) -> int:
    return value if isinstance(value, int) and 0 < value < 1 << 60 else 0
