"""The hooks that need the whole program: a session's start and end, a compaction, a prompt with something to say.

Nothing is caught here: the shim ends every hook in silence and leaves word of what failed (`clewhook.py`).
"""

from __future__ import annotations

import os
import posix
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from clew import wiring
from clew.app.ports import Ports
from clew.app.project import AWAY
from clew.clients.hook_events import answer, parse, place_variable
from clew.core.cost.budget import SPENT
from clew.core.errors import LedgerError
from clew.core.records.hook_events import Answer, HookEvent
from clew.core.runtime_dir import CANONICAL, HEARD
from clew.core.state.authority import is_by_client
from clew.core.state.items import Authority
from clew.interfaces.hook import marks
from clew.interfaces.hook.wire import dialect_of, parsed

_ENDS = ("Stop", "SessionEnd")
# What may stand between a client and its hook.
_SHELLS = frozenset(("sh", "bash", "dash", "zsh", "ksh", "fish"))
# So much of a record's end holds a dialog that a person has just answered.
_RECORD_BYTES = 4 << 20


def run(name: str, event: dict[str, Any], live: str, data: str, *, known: bool = False) -> None:
    """Answer the canonical event `name` on stdout. `event` is its input in the canonical form; `known`: its client told
    of the session before, and now of the end of a plan dialog.

    `live` is the live folder of the place where the client was started (where a session begins it may still have to be
    made), `data` the user's data folder.
    """
    try:
        if name in _ENDS:
            _count(event, live, data)
    finally:
        _answer(name, event, live, data, known=known)
    if name == "Stop":  # clients write the last response down while they call this hook
        _count(event, live, data)


def _count(event: dict[str, Any], live: str, data: str) -> None:
    """Count what was used behind the last tool call, where somebody set a budget."""
    if marks.is_there(f"{data}/{SPENT}"):
        from clew.interfaces.hook import budget

        budget.count(event, live, data)


def _answer(name: str, event: dict[str, Any], live: str, data: str, *, known: bool) -> None:
    client = event["client"]
    given = {**event, "hook_event_name": name}
    place = place_variable(client)
    environment = {**os.environ, place: os.environ.get(place) or str(Path.cwd())}
    dialect = None
    if client != CANONICAL:
        dialect = dialect_of(client)
        given["unseen"] = given.get("source") in getattr(dialect, "UNSEEN", ())
        _look_around(given, dialect, environment)
    folder = marks.folder_of(event, live)
    given["agreed"] = known and client == CANONICAL and _is_agreed(given, folder, environment)
    is_heard = _is_told_by_client(name, folder, environment)
    if is_heard and marks.is_there(live):
        _hear(given, folder)  # first: what is imported now may hold the prompt
    said = answer(given, _answered(parse(client, given, environment), live, data))
    if is_heard and marks.is_there(live):
        _hear(given, folder)
    if said and sys.stdout is not None:
        told = getattr(dialect, "told", None)
        sys.stdout.write(msgspec.json.encode(told(said) if told else said).decode())
        sys.stdout.flush()


class Near:
    """`pid` and `argv` are the client's (0 and () unknown), `at_terminal`: a terminal is its input. `tail(path, n)`
    gives the last n bytes of a file, `parse` the JSON object that some bytes hold; `environment` is the hook's.
    `is_clients`: the client itself started the hook, and no shell of its tools did.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        from clew.clients.registry import agents  # here, as in `run`
        from clew.workspace.ancestry import channel  # here: it looks at processes, which most events need not

        seen = channel(environment, agents())
        self.is_clients = is_by_client(seen)
        above = (one for one in seen.processes[1:] if one.name not in _SHELLS)
        client = next(above, None)
        self.pid = client.pid if client is not None else 0
        self.argv = client.argv if client is not None else ()
        self.at_terminal = client is not None and bool(client.terminal) and not client.fed
        self.environment = environment
        self.tail = marks.tail
        self.parse = parsed


def _look_around(given: dict[str, Any], dialect: Any, environment: Mapping[str, str]) -> None:
    """Add to an event what the client leaves to be seen: its process, and whether a person sits there. In doubt nobody
    does.
    """
    if "pid" in given and "attended" in given:
        return
    near = Near(environment)
    given.setdefault("pid", near.pid)
    attended = getattr(dialect, "attended", None)
    given.setdefault("attended", bool(attended and attended(given, near)))


def _is_told_by_client(name: str, folder: str, environment: Mapping[str, str]) -> bool:
    """Whether this event tells of a session, of which nobody knew that it is one of a client's, and the client did."""
    if name not in ("SessionStart", "UserPromptSubmit") or not folder or marks.is_there(f"{folder}/{HEARD}"):
        return False
    return Near(environment).is_clients


def _hear(given: dict[str, Any], folder: str) -> None:
    """Leave the mark of a session that its client told of; it holds the path of the session's record."""
    marks.write(f"{folder}/{HEARD}", os.fsencode(str(given.get("transcript_path") or "")), flags=posix.O_CREAT)


def _is_agreed(given: dict[str, Any], folder: str, environment: Mapping[str, str]) -> bool:
    """Whether the client itself tells that a person agreed to the plan of this event in its dialog, and the session's
    record has that dialog: the record that the client named when it first told of the session, so that an event cannot
    bring one of its own.
    """
    record = given.get("transcript_path")
    if not (isinstance(record, str) and record.startswith("/") and Near(environment).is_clients):
        return False
    if os.fsencode(record) != marks.read(f"{folder}/{HEARD}"):
        return False
    tail = marks.tail(record, _RECORD_BYTES)
    return bool(dialect_of(CANONICAL).is_agreed(tail, parsed, str(given.get("tool_use_id") or ""), str(given["plan"])))


def _answered(event: HookEvent, live: str, data: str) -> Answer:
    ports = wiring.ports(os.environ, plugins=False)
    ports = ports._replace(
        asking_session=event.session,
        channel=lambda: Authority("agent", "a hook of the client recorded it"),
        # One event is answered by what held when it came, and several use cases ask for the same.
        settings=cache(ports.settings),
        protected=cache(ports.protected),
        told_window=cache(ports.told_window),
    )
    try:
        return _answered_by(ports, event, live, data)
    except LedgerError as error:
        # Said where somebody counts on the ledger, not at every turn.
        if error.code != AWAY or not (event.plan or event.name == "session_start"):
            raise
        return Answer(message=f"clew: {error.message}; nothing is loaded from it or kept in it now.")


def _answered_by(ports: Ports, event: HookEvent, live: str, data: str) -> Answer:
    if event.name == "session_start":
        from clew.app.hooks.session_start import session_start

        return session_start(ports, event, data)
    if event.plan and event.name in ("after_tool", "stop"):
        from clew.app.hooks.plan_taken import plan_taken

        said = plan_taken(ports, event, live)
        if event.name == "after_tool":
            return said
    if event.began_ns:
        from clew.app.hooks.breach import breached

        return breached(ports, event, live)
    if event.name in ("prompt", "after_tool"):
        from clew.app.hooks.prompt import during

        return during(ports, event, live, data)
    from clew.app.hooks.ended import ended

    return ended(ports, event, live)
