"""`clew edit`: reword an item."""

from __future__ import annotations

from typing import Any

import click

from clew import wiring
from clew.app.record import item as items
from clew.interfaces.cli.group import Command
from clew.interfaces.cli.here import here
from clew.interfaces.cli.options import recording_options
from clew.interfaces.cli.recorded import say, text_of


@click.command("edit", cls=Command)
@click.argument("item", metavar="ID")
@click.argument("text", metavar="[TEXT…]", nargs=-1)
@click.option("--why", metavar="TEXT", help="Another reason.")
@click.option("--owner", metavar="NAME", help="Another owner.")
@click.option("--until", metavar="WHEN", help="Put off until then.")
@click.option("--status", metavar="WORD", help="Of a file or a hypothesis: how it stands now.")
@click.option("--blocking/--no-blocking", default=None, help="Whether work waits for the answer.")
@click.option("--lock/--unlock", "locked", default=None, help="Whether only a person may change it.")
@recording_options
def command(item: str, text: tuple[str, ...], dry_run: bool, as_json: bool, **fields: Any) -> None:
    """Let the item ID say TEXT, or hold what the options give. It stays the same item, and `clew log` tells both.

    When something else was decided, `clew supersede` is meant. TEXT - is read from stdin.
    """
    given = {name: value for name, value in fields.items() if value is not None}
    if text:
        given["text"] = text_of(text)
    if not given:
        raise click.UsageError("give TEXT or an option")
    say(items.edit(wiring.ports(), item, given, folder=here(), dry_run=dry_run), as_json=as_json)
