"""`clew resolve`: say that an item is over."""

from __future__ import annotations

from clew.interfaces.cli.here import here
from clew.interfaces.cli.options import recording_options
from clew.interfaces.cli.parser import Command, Parser
from clew.interfaces.cli.recorded import say, text_of


def _arguments(parser: Parser) -> None:
    parser.add_argument("item", metavar="ID")
    parser.add_argument("outcome", nargs="*", metavar="[OUTCOME…]")
    recording_options(parser)


def run(item: str, outcome: tuple[str, ...], dry_run: bool, as_json: bool) -> None:
    """Say that the item ID is over, and what came of it; OUTCOME - is read from stdin."""
    from clew import wiring
    from clew.app import item as items

    done = items.resolve(wiring.ports(), item, text_of(outcome), folder=here(), dry_run=dry_run)
    say(done, as_json=as_json)


command = Command("Say that an item is over: done, happened, no longer open.", run, _arguments)
