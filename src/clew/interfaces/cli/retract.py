"""`clew retract`: take an item back."""

from __future__ import annotations

from clew.interfaces.cli.here import here
from clew.interfaces.cli.options import recording_options
from clew.interfaces.cli.parser import Command, Parser
from clew.interfaces.cli.recorded import say


def _arguments(parser: Parser) -> None:
    parser.add_argument("item", metavar="ID")
    parser.add_argument("--why", metavar="TEXT", default="", help="The reason.")
    recording_options(parser)


def run(item: str, why: str, dry_run: bool, as_json: bool) -> None:
    """Take the item ID back: it was wrong, or should not have been recorded. `clew log` still tells it.

    What must not be kept at all (a secret) goes by `clew redact`.
    """
    from clew import wiring
    from clew.app import item as items

    say(items.retract(wiring.ports(), item, why=why, folder=here(), dry_run=dry_run), as_json=as_json)


command = Command("Take an item back: it was wrong.", run, _arguments)
