"""The recorded sessions, and databases made in their shape."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import apsw

FOLDER: Final = Path(__file__).parents[2] / "recordings" / "opencode"
DATABASE: Final = FOLDER / "1.18.33-story.db"
SESSION: Final = "ses_dfcfc24cbffeIOcMrWTjNoubpP"
HELPER: Final = "ses_dfcfb1af7ffeS8CJwQqCpja2B8"
STORY: Final = DATABASE / SESSION
EXPORT: Final = FOLDER / "1.18.33-export.json"
MADE: Final = "ses_made"
_T0: Final = 1_767_258_000_000

# A message: what is stored of it, and its parts.
Message = tuple[dict[str, Any], Sequence[dict[str, Any]]]


def user(text: str, **fields: Any) -> Message:
    return {"role": "user", "agent": "build"}, [{"type": "text", "text": text, **fields}]


def answer(*parts: dict[str, Any], **fields: Any) -> Message:
    return {"role": "assistant", "modelID": "m", "finish": "stop", **fields}, parts


def tool(name: str, given: dict[str, Any], status: str = "completed", **state: Any) -> dict[str, Any]:
    told = {"status": status, "input": given, "time": {"start": _T0 + 1, "end": _T0 + 2}, **state}
    return {"type": "tool", "tool": name, "callID": f"call_{name}", "state": told}


def tables_in(connection: apsw.Connection) -> None:
    """The client's own tables, as the recording has them."""
    with_tables = apsw.Connection(
        f"file:{DATABASE}?immutable=1", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    )
    for (sql,) in with_tables.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL").fetchall():
        connection.execute(str(sql))
    with_tables.close()


def stored(
    connection: apsw.Connection,
    messages: Sequence[Message],
    *,
    session: str = MADE,
    runs_in: str = "/repo",
    parent: str | None = None,
    permission: str | None = None,
    revert: str | None = None,
) -> None:
    """Put a session into a database that has the tables."""
    connection.execute(
        "INSERT INTO session (id, project_id, parent_id, slug, directory, title, version, permission, revert,"
        " time_created, time_updated) VALUES (?, 'p', ?, 's', ?, 't', '1.18.33', ?, ?, ?, ?)",
        (session, parent, runs_in, permission, revert, _T0, _T0),
    )
    (begun,) = connection.execute("SELECT count(*) FROM message").fetchone() or (0,)
    for at, (info, parts) in enumerate(messages, begun):
        told(connection, info, parts, session=session, at=at)


def told(
    connection: apsw.Connection, info: dict[str, Any], parts: Sequence[dict[str, Any]], *, session: str, at: int
) -> None:
    """Put one message behind those that a session has."""
    now = _T0 + 1000 * at
    data = json.dumps({"time": {"created": now}, **info})
    connection.execute("INSERT INTO message VALUES (?, ?, ?, ?, ?)", (f"msg_{at}", session, now, now, data))
    for place, part in enumerate(parts):
        row = (f"prt_{at}_{place}", f"msg_{at}", session, now, now, json.dumps(part))
        connection.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", row)


def made(folder: Path, *messages: Message, **session: Any) -> Path:
    """The address of a session in a database of its own, in the client's own mode of writing."""
    database = folder / "opencode.db"
    connection = apsw.Connection(str(database))
    connection.pragma("journal_mode", "wal")
    connection.pragma("foreign_keys", False)
    tables_in(connection)
    stored(connection, messages, **session)
    connection.close()
    return database / str(session.get("session", MADE))
