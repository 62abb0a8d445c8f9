"""`clew mcp`: from the first line of a client to its last. What is imported here is imported before the handshake."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping
from functools import partial

from clew import __version__, wiring
from clew.core.errors import Unavailable
from clew.interfaces.mcp.attended import is_attended
from clew.interfaces.mcp.opening import Opening
from clew.interfaces.mcp.pipe import Pipe
from clew.interfaces.mcp.place import is_opted_in, started_in
from clew.interfaces.mcp.tools import INSTRUCTIONS, listing


def run(environment: Mapping[str, str] = os.environ) -> None:
    """Serve the client on stdin and stdout until it is gone.

    Raises `Unavailable`: the SDK is not installed, or there is no stdin.
    """
    if not wiring.serves():
        raise Unavailable(
            "the MCP server needs the package `mcp` (version 2), which is not installed",
            code="E-no-mcp",
            hint="Install clew with it: `uv tool install 'clew[mcp]'`, `pipx install 'clew[mcp]'`.",
        )
    if sys.stdin is None:
        raise Unavailable("there is no stdin to read from", code="E-no-mcp", hint="Clients start it: docs/mcp.md.")
    parent, folder, data = os.getppid(), started_in(environment), wiring.user_folder(environment, "data")
    offers = is_opted_in(data, folder) and _is_wanted(environment)
    pipe = Pipe()
    # Clients interrupt a server to end it. Python's own way would wait for the thread that waits for the client.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    opening = Opening(
        version=__version__, tools=listing() if offers else (), instructions=INSTRUCTIONS if offers else ""
    )
    while (line := pipe.line()) is not None and not pipe.gone:
        answer = opening.answer(line)
        if answer is None:
            from clew.interfaces.mcp import server  # with the SDK

            server.quiet()
            ports = wiring.ports(environment)
            here = server.Standing(ports, data, folder, partial(is_opted_in, data), parent, __version__)
            server.serve(pipe, opening, line, here)
            return
        pipe.write(answer)


def _is_wanted(environment: Mapping[str, str]) -> bool:
    """Whether somebody sits at the client, or said which task a run without anybody is for."""
    from clew.app.hooking.quiet import TASK_VARIABLE
    from clew.workspace.ancestry import channel

    if environment.get(TASK_VARIABLE, "").strip():
        return True
    above = channel(environment).processes[1:2]
    return is_attended(environment, above[0].argv if above else ())
