"""One job of a client in a process of its own, which can be killed: CLIENT PROGRAM FOLDER COMMAND."""

from __future__ import annotations

import sys

from clew import wiring
from clew.app.launching.worker import work
from clew.clients.launching import Job, Permissions
from tests.live.test_headless_work import MODELS

if __name__ == "__main__":
    client, program, folder, command = sys.argv[1:]
    work(
        wiring.ports(),
        wiring.launchers()[client],
        Job("Work.", folder, MODELS.get(client, ""), allow=Permissions(edit=True, commands=(command,))),
        on=lambda _: None,
        until=lambda: "",
        find_program=lambda _: program,
    )
