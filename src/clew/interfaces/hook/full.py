"""The hooks that need the whole program: a session's start and end, a compaction, a prompt with something to say.

Nothing is caught here: the shim ends every hook in silence and leaves word of what failed (`clewhook.py`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any

from clew.core.hooks import SILENCE, Answer, HookEvent


def run(name: str, event: Mapping[str, Any], live: str, data: str) -> None:
    """Answer the event `name` of Claude Code on stdout. `event` is its input as it came.

    `live` is the live folder of the place where the client was started (at a session's start it may still have to be
    made), `data` the user's data folder.
    """
    import gc

    gc.disable()  # it would look through all that is made a dozen times, and the process is soon over
    from clew.clients.claude_code.hooks import answer, parse

    given = {**event, "hook_event_name": name}
    told = answer(given, _answered(parse(given, os.environ), live, data))
    if told and sys.stdout is not None:
        sys.stdout.write(told)
        sys.stdout.flush()


def _answered(event: HookEvent, live: str, data: str) -> Answer:
    from clew import wiring
    from clew.core.authority import Authority

    ports = wiring.ports(os.environ)._replace(
        asking_session=event.session, channel=lambda: Authority("agent", "a hook of the client recorded it")
    )
    if event.name == "session_start":
        from clew.app.hooking.session_start import session_start

        return session_start(ports, event, data)
    if event.name in ("prompt", "after_tool"):
        from clew.app.hooking.prompt import during

        return during(ports, event, live, data)
    from clew.app.hooking.ended import ended

    ended(ports, event, live)
    return SILENCE
