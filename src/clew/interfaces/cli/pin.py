"""`clew pin`: never leave an item out."""

from __future__ import annotations

import click

from clew import wiring
from clew.app.record import item as items
from clew.interfaces.cli.group import Command
from clew.interfaces.cli.here import here
from clew.interfaces.cli.options import recording_options
from clew.interfaces.cli.recorded import say


@click.command("pin", cls=Command)
@click.argument("item", metavar="ID")
@recording_options
def command(item: str, dry_run: bool, as_json: bool) -> None:
    """Pin the item ID: no document shortens it or leaves it out. Only a person takes a pin off."""
    say(items.pin(wiring.ports(), item, folder=here(), dry_run=dry_run), as_json=as_json)
