"""`clew confirm`: an agent says what its goal and next action are, and its edits go ahead."""

from __future__ import annotations

import click

from clew import wiring
from clew.app.hooks.confirm import confirm
from clew.core.text.cleaning import clean, one_line
from clew.interfaces.cli.encode import encoded
from clew.interfaces.cli.group import Command
from clew.interfaces.cli.options import json_option
from clew.interfaces.cli.recorded import text_of


@click.command("confirm", cls=Command)
@click.argument("text", metavar="TEXT…", nargs=-1, required=True)
@json_option()
def command(text: tuple[str, ...], as_json: bool) -> None:
    """Say in TEXT what the goal and the next action are, as the start of this session told them.

    With the gate `gate.confirm` on, edits wait for this. It has to name the file of the next action (or its id) and
    what only this goal is about; after two misses the gate gives in. TEXT - is read from stdin.
    """
    found = confirm(wiring.ports(), text_of(text))
    if as_json:
        print(encoded("confirm", found))
        return
    print(one_line(clean(found.said)))
