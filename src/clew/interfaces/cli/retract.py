"""`clew retract`: take an item back."""

from __future__ import annotations

import click

from clew import wiring
from clew.app.record import item as items
from clew.interfaces.cli.group import Command
from clew.interfaces.cli.here import here
from clew.interfaces.cli.options import recording_options
from clew.interfaces.cli.recorded import say


@click.command("retract", cls=Command)
@click.argument("item", metavar="ID")
@click.option("--why", metavar="TEXT", default="", help="The reason.")
@recording_options
def command(item: str, why: str, dry_run: bool, as_json: bool) -> None:
    """Take the item ID back: it was wrong, or should not have been recorded. `clew log` still tells it.

    What must not be kept at all (a secret) goes by `clew redact`.
    """
    say(items.retract(wiring.ports(), item, why=why, folder=here(), dry_run=dry_run), as_json=as_json)
