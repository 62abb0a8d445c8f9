"""`clew answer`: answer a question."""

from __future__ import annotations

import click

from clew import wiring
from clew.app.record import item as items
from clew.interfaces.cli.group import Command
from clew.interfaces.cli.here import here
from clew.interfaces.cli.options import recording_options
from clew.interfaces.cli.recorded import say, text_of


@click.command("answer", cls=Command)
@click.argument("item", metavar="ID")
@click.argument("text", metavar="TEXT…", nargs=-1, required=True)
@recording_options
def command(item: str, text: tuple[str, ...], dry_run: bool, as_json: bool) -> None:
    """Answer the question ID; TEXT - is read from stdin.

    An agent may answer what waits for no person; its answer is shown as a claim.
    """
    done = items.answer(wiring.ports(), item, text_of(text), folder=here(), dry_run=dry_run)
    say(done, as_json=as_json)
