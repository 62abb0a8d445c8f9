"""`clew unpin`: take a pin off."""

from __future__ import annotations

from clew.interfaces.cli.here import here
from clew.interfaces.cli.options import recording_options
from clew.interfaces.cli.parser import Command, Parser
from clew.interfaces.cli.recorded import say


def _arguments(parser: Parser) -> None:
    parser.add_argument("item", metavar="ID")
    recording_options(parser)


def run(item: str, dry_run: bool, as_json: bool) -> None:
    """Take the pin off the item ID. Only a person may."""
    from clew import wiring
    from clew.app import item as items

    say(items.unpin(wiring.ports(), item, folder=here(), dry_run=dry_run), as_json=as_json)


command = Command("Take a pin off (a person).", run, _arguments)
