"""`clew why`: which session wrote a line, on what request."""

from __future__ import annotations

import click

from clew.app.look.why import LineHistory, why
from clew.interfaces.cli.group import CliCommand
from clew.interfaces.cli.here import find_project, present
from clew.interfaces.cli.options import json_option
from clew.interfaces.cli.waiting import Waiting
from clew.interfaces.show_text import why_lines


@click.command("why", cls=CliCommand)
@click.argument("place", metavar="PATH[:LINE]")
@json_option()
def command(place: str) -> None:
    """Show which session, request and decision wrote a line of a file, or each of its lines.

    Only where a session's own edit is proven to have put the text there; of all other lines it is not known.
    """
    with Waiting("Reading sessions") as waiting:
        found = why(find_project(), place, tell=waiting.at)
    present(found, _show)


def _show(found: LineHistory) -> None:
    for row in why_lines(found):
        print(row)
