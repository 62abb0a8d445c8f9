"""`clew fresh`: the session that runs it is given nothing of earlier work from now on."""

from __future__ import annotations

import click

from clew import wiring
from clew.app.hooks.session_task import set_aside
from clew.core.state.ids import short_session
from clew.interfaces.cli.group import Command
from clew.interfaces.cli.here import here


@click.command("fresh", cls=Command)
def command() -> None:
    """Mark the session that runs this command (`/clew-fresh`): from now on hooks give it nothing of earlier work, also
    after a compaction or when it is resumed. What it does is taken in as ever, but counts for no task unless the
    place is bound to one later. Other sessions are not touched.
    """
    import os

    session = set_aside(wiring.ports(), here(), str(wiring.user_folder(os.environ, "data")))
    print(f"Session {short_session(session)} is given nothing of earlier work from now on.")
    print("Set aside what it was given so far.")
