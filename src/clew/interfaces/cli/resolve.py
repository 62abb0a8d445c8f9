"""`clew resolve`: say that an item is over."""

from __future__ import annotations

import click

from clew import wiring
from clew.app.record import item as items
from clew.interfaces.cli.group import Command
from clew.interfaces.cli.here import here
from clew.interfaces.cli.options import recording_options
from clew.interfaces.cli.recorded import say, text_of


@click.command("resolve", cls=Command)
@click.argument("item", metavar="ID")
@click.argument("outcome", metavar="[OUTCOME…]", nargs=-1)
@recording_options
def command(item: str, outcome: tuple[str, ...], dry_run: bool, as_json: bool) -> None:
    """Say that the item ID is over, and what came of it; OUTCOME - is read from stdin."""
    done = items.resolve(wiring.ports(), item, text_of(outcome), folder=here(), dry_run=dry_run)
    say(done, as_json=as_json)
