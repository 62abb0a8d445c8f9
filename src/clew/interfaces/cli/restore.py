"""`clew restore`: bring an item back."""

from __future__ import annotations

import click

from clew import wiring
from clew.app.record import item as items
from clew.interfaces.cli.group import Command
from clew.interfaces.cli.here import here
from clew.interfaces.cli.options import recording_options
from clew.interfaces.cli.recorded import say


@click.command("restore", cls=Command)
@click.argument("item", metavar="ID")
@recording_options
def command(item: str, dry_run: bool, as_json: bool) -> None:
    """Bring back the item ID, which was retracted, superseded or resolved."""
    say(items.restore(wiring.ports(), item, folder=here(), dry_run=dry_run), as_json=as_json)
