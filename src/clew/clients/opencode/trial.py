"""A made-up session, as our plugin would tell hooks of it: for `clew doctor`, which runs the installed ones. Pure.

The fields are those that `assets/clew.js` sends, the tables those of 1.18.33 (docs/clients/opencode.md, "Where").
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from clew.clients.configured import Trial

_FILE: Final = "trial.txt"
_BEGAN_MS: Final = 1_767_258_000_000  # 2026-01-01T09:00:00Z
_VARIABLES: Final = ("OPENCODE", "CLEW_", "AGENT")
_TABLES: Final = """
    CREATE TABLE `session` (id text PRIMARY KEY, parent_id text, directory text NOT NULL, version text NOT NULL,
        permission text, revert text, time_updated integer NOT NULL);
    CREATE TABLE `message` (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL,
        time_updated integer NOT NULL, data text NOT NULL);
    CREATE TABLE `part` (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL,
        time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
"""


def trial(event: str, *, session: str, place: Path, config: Path) -> Trial:
    """See `Configured.trial`."""
    told: dict[str, Any] = {
        "session_id": session,
        "transcript_path": str(_database(config) / session),
        "cwd": str(place),
        "hook_event_name": event,
        "attended": True,
        "pid": 0,
        "tokens": 20_400,
        "model": "opencode-trial",
        **_fields(event, place),
    }
    environment = {"OPENCODE": "1", "OPENCODE_DB": str(_database(config)), "CLEW_PLACE": str(place)}
    return Trial(json.dumps(told).encode(), environment)


def recorded(*, session: str, place: Path, config: Path) -> tuple[Path, bytes]:
    """See `Configured.recorded`: a database with that one session."""
    import apsw  # here: SQLite costs as much as the interpreter

    tokens = {"input": 20_400, "output": 10, "reasoning": 0, "cache": {"read": 0, "write": 0}}
    messages: tuple[tuple[dict[str, Any], list[dict[str, Any]]], ...] = (
        ({"role": "user"}, [{"type": "text", "text": "Try whether the hooks of clew run."}]),
        (
            {"role": "assistant", "modelID": "opencode-trial", "finish": "stop"},
            [{"type": "text", "text": "The trial is done."}, {"type": "step-finish", "tokens": tokens}],
        ),
    )
    connection = apsw.Connection(":memory:")
    try:
        connection.execute(_TABLES)
        row = (session, None, str(place), "0", None, None, _BEGAN_MS)
        connection.execute("INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        for at, (info, parts) in enumerate(messages):
            message, now = f"msg_trial{at}", _BEGAN_MS + 1000 * at
            data = json.dumps({**info, "time": {"created": now}})
            connection.execute("INSERT INTO message VALUES (?, ?, ?, ?, ?)", (message, session, now, now, data))
            for place_in, part in enumerate(parts):
                values = (f"prt_trial{at}{place_in}", message, session, now, now, json.dumps(part))
                connection.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", values)
        return _database(config), connection.serialize("main")
    finally:
        connection.close()


def is_own(variable: str) -> bool:
    """See `Configured.is_own`; clew's own settings among them."""
    return variable.startswith(_VARIABLES)


def _database(config: Path) -> Path:
    return config / "opencode.db"


def _fields(event: str, place: Path) -> dict[str, Any]:
    edit = {"filePath": str(place / _FILE), "oldString": "a", "newString": "b"}
    call = {"tool_name": "edit", "tool_input": edit}
    told: dict[str, dict[str, Any]] = {
        "SessionStart": {"source": "startup", "prompt": "Go on."},
        "UserPromptSubmit": {"prompt": "Go on."},
        "PreToolUse": call,
        "PostToolUse": {**call, "duration_ms": 5},
        "PreCompact": {"trigger": "auto"},
        "Stop": {"stop_hook_active": False},
        "SessionEnd": {"reason": "exit"},
    }
    return told.get(event, {})
