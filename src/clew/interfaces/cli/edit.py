"""`clew edit`: reword an item."""

from __future__ import annotations

from typing import Any

from clew.interfaces.cli.here import here
from clew.interfaces.cli.options import recording_options
from clew.interfaces.cli.parser import Command, Parser, UsageError
from clew.interfaces.cli.recorded import say, text_of


def _arguments(parser: Parser) -> None:
    parser.add_argument("item", metavar="ID")
    parser.add_argument("text", nargs="*", metavar="[TEXT…]")
    parser.add_argument("--why", metavar="TEXT", help="Another reason.")
    parser.add_argument("--owner", metavar="NAME", help="Another owner.")
    parser.add_argument("--until", metavar="WHEN", help="Put off until then.")
    parser.add_argument("--status", metavar="WORD", help="Of a file or a hypothesis: how it stands now.")
    parser.add_argument(
        "--blocking", dest="blocking", action="store_true", default=None, help="Work waits for the answer."
    )
    parser.add_argument(
        "--no-blocking", dest="blocking", action="store_false", default=None, help="Work does not wait for it."
    )
    parser.add_argument("--lock", dest="locked", action="store_true", default=None, help="Only a person may change it.")
    parser.add_argument(
        "--unlock", dest="locked", action="store_false", default=None, help="An agent may change it, too."
    )
    recording_options(parser)


def run(item: str, text: tuple[str, ...], dry_run: bool, as_json: bool, **fields: Any) -> None:
    """Let the item ID say TEXT, or hold what the options give. It stays the same item, and `clew log` tells both.

    When something else was decided, `clew supersede` is meant. TEXT - is read from stdin.
    """
    from clew import wiring
    from clew.app import item as items

    given = {name: value for name, value in fields.items() if value is not None}
    if text:
        given["text"] = text_of(text)
    if not given:
        raise UsageError("give TEXT or an option")
    say(items.edit(wiring.ports(), item, given, folder=here(), dry_run=dry_run), as_json=as_json)


command = Command("Reword an item, or lock or unlock it.", run, _arguments)
