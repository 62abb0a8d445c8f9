"""`clew mcp`: from the first line of a client to its last. What is imported here is imported before the handshake."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from clew import __version__, wiring
from clew.core.errors import Unavailable
from clew.interfaces.mcp.handshake import Opening
from clew.interfaces.mcp.interactive import is_attended
from clew.interfaces.mcp.pipe import Pipe
from clew.interfaces.mcp.place import is_opted_in, started_in
from clew.interfaces.mcp.tools import INSTRUCTIONS, listing


def check() -> None:
    """Raise `Unavailable` where the SDK is not installed."""
    if not wiring.serves():
        raise Unavailable(
            "the MCP server needs the package `mcp` (version 2), which is not installed",
            code="E-no-mcp",
            hint="Install clew with it, from its checkout: `pipx install '.[mcp]'`, `uv tool install '.[mcp]'`.",
        )


def run(environment: Mapping[str, str] = os.environ) -> None:
    """Serve the client on stdin and stdout until it is gone. Without the SDK it is offered nothing, but is answered:
    a client may refuse to start without a server that stands in its settings.

    Raises `Unavailable`: there is no stdin.
    """
    if sys.stdin is None:
        raise Unavailable("there is no stdin to read from", code="E-no-mcp", hint="Clients start it.")
    parent, folder, data = os.getppid(), started_in(environment), wiring.user_folder(environment, "data")
    is_wanted, has_sdk = cache(lambda: _is_wanted(environment)), wiring.serves()

    def acts_in(project: Path | None) -> bool:
        return is_opted_in(data, project) and is_wanted()

    offers = has_sdk and acts_in(folder)
    pipe = Pipe()
    # Clients interrupt a server to end it. Python's own way would wait for the thread that waits for the client.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    opening = Opening(
        version=__version__,
        tools=listing() if offers else (),
        instructions=INSTRUCTIONS if offers else "",
        alone=not has_sdk,
    )
    while (line := pipe.line()) is not None and not pipe.gone:
        answer = opening.answer(line)
        if answer is None:
            from clew.interfaces.mcp import server  # with the SDK

            server.quiet()
            ports = wiring.ports(environment)
            here = server.Standing(ports, data, folder, acts_in, parent, __version__)
            server.serve(pipe, opening, line, here)
            return
        pipe.write(answer)


def _is_wanted(environment: Mapping[str, str]) -> bool:
    """Whether somebody sits at the client, or said which task a run without anybody is for."""
    from clew.app.ports import TASK_VARIABLE
    from clew.clients.launching import ASKED
    from clew.interfaces.hook.full import Near

    if environment.get(ASKED):  # clew itself runs the client
        return False
    if environment.get(TASK_VARIABLE, "").strip():
        return True
    return is_attended(Near(environment))
