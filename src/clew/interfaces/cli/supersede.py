"""`clew supersede`: let another item stand in place of this one."""

from __future__ import annotations

import click

from clew import wiring
from clew.app.record import item as items
from clew.interfaces.cli.group import Command
from clew.interfaces.cli.here import here
from clew.interfaces.cli.options import recording_options
from clew.interfaces.cli.recorded import say, text_of


@click.command("supersede", cls=Command)
@click.argument("item", metavar="ID")
@click.argument("text", metavar="[TEXT…]", nargs=-1)
@click.option("--by", metavar="ID", default="", help="The item that takes its place, instead of a new one.")
@click.option("--why", metavar="TEXT", default="", help="The reason.")
@recording_options
def command(item: str, text: tuple[str, ...], by: str, why: str, dry_run: bool, as_json: bool) -> None:
    """Put a new item of the same kind, TEXT, in the place of the item ID, or with --by one that is there.

    The new one takes over what the old one was about: its files, owner, lock and pin. TEXT - is read from stdin.
    """
    if bool(by) == bool(text):
        raise click.UsageError("give either TEXT or --by ID")
    new = text_of(text)
    done = items.supersede(wiring.ports(), item, by=by, text=new, why=why, folder=here(), dry_run=dry_run)
    say(done, as_json=as_json)
