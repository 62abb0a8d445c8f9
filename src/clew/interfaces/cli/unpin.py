"""`clew unpin`: take a pin off."""

from __future__ import annotations

import click

from clew import wiring
from clew.app.record import item as items
from clew.interfaces.cli.group import Command
from clew.interfaces.cli.here import here
from clew.interfaces.cli.options import recording_options
from clew.interfaces.cli.recorded import say


@click.command("unpin", cls=Command)
@click.argument("item", metavar="ID")
@recording_options
def command(item: str, dry_run: bool, as_json: bool) -> None:
    """Take the pin off the item ID. Only a person may."""
    say(items.unpin(wiring.ports(), item, folder=here(), dry_run=dry_run), as_json=as_json)
