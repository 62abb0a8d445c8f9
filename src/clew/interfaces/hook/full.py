"""The hooks that need the whole program: a session's start and end, a compaction, a prompt with something to say.

Nothing is caught here: the shim ends every hook in silence and leaves word of what failed (`clewhook.py`).
"""

from __future__ import annotations

import os
import posix
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from clew import wiring
from clew.app.ports import Ports
from clew.app.project.session import AWAY
from clew.clients.hook_events import answer, parse, place_variable
from clew.core.cost.budget import SPENT
from clew.core.errors import LedgerError
from clew.core.records.hook_events import Answer, HookEvent
from clew.core.runtime_dir import CANONICAL, HEARD, PREPARED
from clew.core.state.authority import is_by_client
from clew.core.state.items import Authority
from clew.interfaces.hook import marks
from clew.interfaces.hook.wire import behind, dialect_of, parsed

_ENDS = ("Stop", "SessionEnd")
# What may stand between a client and its hook.
_SHELLS = frozenset(("sh", "bash", "dash", "zsh", "ksh", "fish"))
# So much of a record's end holds a dialog that a person has just answered.
_RECORD_BYTES = 4 << 20
# So long may it take to prepare the next start, behind everybody's back.
_BEHIND_S = 120


def run(
    name: str,
    event: dict[str, Any],
    live: str,
    data: str,
    *,
    known: bool = False,
    told: Mapping[str, Any] | None = None,
    above: int = 0,
) -> None:
    """Answer the canonical event `name` on stdout. `event` is its input in the canonical form; `known`: its client told
    of the session before, and now of the end of a plan dialog.

    `live` is the live folder of the place where the client was started (where a session begins it may still have to be
    made), `data` the user's data folder. `told`: what the session was given already, as it was prepared; `above` is
    then the process that called the hook.
    """
    try:
        if name in _ENDS:
            _count(event, live, data)
    finally:
        prepare = _answer(name, event, live, data, known=known, told=told, above=above)
    if name == "Stop":  # clients write the last response down while they call this hook
        _count(event, live, data)
    if prepare is not None and (told or behind()):
        _end_in_time()
        prepare()


def _end_in_time() -> None:
    """Let this process end after some time, whatever it does then: nobody looks after it."""
    import signal

    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(_BEHIND_S)


def _count(event: dict[str, Any], live: str, data: str) -> None:
    """Count what was used behind the last tool call, where somebody set a budget."""
    if marks.is_there(f"{data}/{SPENT}"):
        from clew.interfaces.hook import budget

        budget.count(event, live, data)


def _answer(
    name: str, event: dict[str, Any], live: str, data: str, *, known: bool, told: Mapping[str, Any] | None, above: int
) -> Callable[[], None] | None:
    """Answer an event; what is to be done behind it, None for nothing."""
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
    is_heard = _is_told_by_client(name, folder, environment, above)
    if is_heard and marks.is_there(live):
        _hear(given, folder)  # first: what is imported now may hold the prompt
    heard = parse(client, given, environment)
    said = answer(given, _answered(heard, live, data, told))
    if is_heard and marks.is_there(live):
        _hear(given, folder)
    if said and sys.stdout is not None:
        turned = getattr(dialect, "told", None)
        sys.stdout.write(msgspec.json.encode(turned(said) if turned else said).decode())
        sys.stdout.flush()
    is_end = client == CANONICAL and name in ("Stop", "SessionEnd", "SessionStart")
    if not is_end or not heard.attended or not marks.is_there(live):  # where nobody sits nothing is prepared
        return None
    return lambda: _prepare(heard, live, data)


def prepare(event: dict[str, Any], live: str, data: str) -> None:
    """Import what sessions left, and prepare the next start, behind the prompt `event` of the canonical client."""
    _end_in_time()
    heard = parse(CANONICAL, {**event, "hook_event_name": "UserPromptSubmit"}, os.environ)
    if heard.attended:
        _prepare(heard, live, data)


def _prepare(event: HookEvent, live: str, data: str) -> None:
    """Prepare what the next session's start is given (`app/hooks/prepared.py`)."""
    from clew.app.hooks.prepared import prepared  # here: most events leave nothing to be prepared
    from clew.interfaces.hook.prepared import variables

    found = prepared(_ports(event), event, data)
    if found is None:
        return
    said = answer({"hook_event_name": "SessionStart"}, found.answer)
    kept = {**found.stamp, "out": msgspec.json.encode(said).decode() if said else "", "variables": variables()}
    marks.replace(f"{live}/{PREPARED}", msgspec.json.encode(kept))


class Near:
    """`pid` and `argv` are the client's (0 and () unknown), `at_terminal`: a terminal is its input. `tail(path, n)`
    gives the last n bytes of a file, `parse` the JSON object that some bytes hold; `environment` is the hook's.
    `is_clients`: the client itself started the hook, and no shell of its tools did. `above` is the process that called
    the hook, where this one goes on behind it.
    """

    def __init__(self, environment: Mapping[str, str], above: int = 0) -> None:
        from clew.clients.registry import agents  # here, as in `run`
        from clew.workspace.ancestry import channel  # here: it looks at processes, which most events need not

        seen = channel(environment, agents(), above)
        self.is_clients = is_by_client(seen)
        client = next((one for one in seen.processes[1:] if one.name not in _SHELLS), None)
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


def _is_told_by_client(name: str, folder: str, environment: Mapping[str, str], above: int) -> bool:
    """Whether this event tells of a session, of which nobody knew that it is one of a client's, and the client did."""
    if name not in ("SessionStart", "UserPromptSubmit") or not folder or marks.is_there(f"{folder}/{HEARD}"):
        return False
    return Near(environment, above).is_clients


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


def _ports(event: HookEvent) -> Ports:
    ports = wiring.ports(os.environ, plugins=False)
    return ports._replace(
        asking_session=event.session,
        channel=lambda: Authority("agent", "a hook of the client recorded it"),
        # One event is answered by what held when it came, and several use cases ask for the same.
        settings=cache(ports.settings),
        protected=cache(ports.protected),
        told_window=cache(ports.told_window),
    )


def _answered(event: HookEvent, live: str, data: str, told: Mapping[str, Any] | None) -> Answer:
    try:
        return _answered_by(_ports(event), event, live, data, told)
    except LedgerError as error:
        # Said where somebody counts on the ledger, not at every turn.
        if error.code != AWAY or not (event.plan or event.name == "session_start"):
            raise
        return Answer(message=f"clew: {error.message}; nothing is loaded from it or kept in it now.")


def _answered_by(ports: Ports, event: HookEvent, live: str, data: str, told: Mapping[str, Any] | None) -> Answer:
    if event.name == "session_start":
        from clew.app.hooks.receipts import InjectedText
        from clew.app.hooks.session_start import session_start

        given = InjectedText(told["text"], told["mark"], told["tokens"]) if told else None
        return session_start(ports, event, data, told=given)
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
    from clew.app.hooks.turn_end import ended

    return ended(ports, event, live)
