"""What an agent says of its own session: `clew confirm` and `clew fresh`."""

from __future__ import annotations

import os

import click

from clew import wiring
from clew.app.hooks.confirm import confirm
from clew.app.hooks.session_task import set_aside
from clew.core.state.ids import short_session
from clew.core.text.cleaning import clean, one_line
from clew.interfaces.cli.group import CliCommand
from clew.interfaces.cli.here import find_project, present, text_of
from clew.interfaces.cli.options import json_option


@click.command("confirm", cls=CliCommand)
@click.argument("text", metavar="TEXT…", nargs=-1, required=True)
@json_option()
def confirm_command(text: tuple[str, ...]) -> None:
    """State in TEXT the goal and the next action, as this session was told them at its start.

    With the gate `gate.confirm` on, edits wait for this. TEXT must name the next action's file (or its id) and
    something specific to this goal; after two failed attempts the gate lets edits through. TEXT - is read from stdin.
    """
    found = confirm(wiring.ports(), text_of(text))
    present(found, lambda one: print(one_line(clean(one.said))))


@click.command("fresh", cls=CliCommand)
def fresh_command() -> None:
    """Mark the session that runs this command (`/clew-fresh`): from now on hooks give it nothing of earlier work, not
    even after a compaction or when it is resumed. What it does is imported as usual, but belongs to no task unless this
    work tree and branch are bound to one later. Other sessions are not affected.
    """
    session = set_aside(find_project(), str(wiring.user_folder(os.environ, "data")))
    print(f"Session {short_session(session)} is given nothing of earlier work from now on.")
    print("Set aside what it was given so far.")


COMMANDS = {"confirm": confirm_command, "fresh": fresh_command}
