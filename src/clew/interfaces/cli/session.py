"""What an agent says of its own session: `clew confirm` and `clew fresh`."""

from __future__ import annotations

import os

import click

from clew import wiring
from clew.app.hooks.confirm import confirm
from clew.app.hooks.session_task import set_aside
from clew.core.state.ids import short_session
from clew.core.text.cleaning import clean, one_line
from clew.interfaces.cli.encode import encoded
from clew.interfaces.cli.group import CliCommand
from clew.interfaces.cli.here import find_project, text_of
from clew.interfaces.cli.options import json_option


@click.command("confirm", cls=CliCommand)
@click.argument("text", metavar="TEXT…", nargs=-1, required=True)
@json_option()
def confirm_command(text: tuple[str, ...], as_json: bool) -> None:
    """Say in TEXT what the goal and the next action are, as the start of this session told them.

    With the gate `gate.confirm` on, edits wait for this. It has to name the file of the next action (or its id) and
    what only this goal is about; after two misses the gate gives in. TEXT - is read from stdin.
    """
    found = confirm(wiring.ports(), text_of(text))
    print(encoded("confirm", found) if as_json else one_line(clean(found.said)))


@click.command("fresh", cls=CliCommand)
def fresh_command() -> None:
    """Mark the session that runs this command (`/clew-fresh`): from now on hooks give it nothing of earlier work, also
    after a compaction or when it is resumed. What it does is taken in as ever, but counts for no task unless the
    place is bound to one later. Other sessions are not touched.
    """
    session = set_aside(find_project(), str(wiring.user_folder(os.environ, "data")))
    print(f"Session {short_session(session)} is given nothing of earlier work from now on.")
    print("Set aside what it was given so far.")


COMMANDS = {"confirm": confirm_command, "fresh": fresh_command}
