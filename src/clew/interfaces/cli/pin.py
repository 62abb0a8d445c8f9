"""`clew pin`: never leave an item out."""

from __future__ import annotations

import click

from clew.interfaces.cli.here import here
from clew.interfaces.cli.recorded import recording_options, say


@click.command("pin", short_help="Pin an item: no document shortens it or leaves it out.")
@click.argument("item", metavar="ID")
@recording_options
def command(item: str, dry_run: bool, as_json: bool) -> None:
    """Pin the item ID: no document shortens it or leaves it out. Only a person takes a pin off."""
    from clew import wiring
    from clew.app import item as items

    say(items.pin(wiring.ports(), item, folder=here(), dry_run=dry_run), as_json=as_json)
