"""`clew show`: one item with its evidence, or the list of all."""

from __future__ import annotations

import sys

import click

from clew.core.text import clean, one_line, shorten
from clew.interfaces.cli.options import session_option

# Narrower, an id would be all that is left of a line.
_COLUMNS_MIN = 40


@click.command("show", short_help="Show an item with its place in the record, or list all.")
@click.argument("item", metavar="[ID]", required=False)
@session_option("Look in this session file, or in the session with this id.")
@click.option("--json", "as_json", is_flag=True, help="As JSON (docs/json.md).")
def command(item: str | None, transcript: str | None, as_json: bool) -> None:
    """Show what is known about the item ID: all of its text, who said it, where, the words there, what became of it.

    ID is the id printed in a document, or any unique beginning of it; where a ledger is kept also that of a task or a
    checkpoint. Without ID: a line for each item.
    """
    import clew

    found = clew.show(item, transcript=transcript)
    if as_json:
        from clew.interfaces.cli.shapes.session import showing

        click.echo(showing(found))
    elif found.items and found.chosen is None:
        width = _columns()
        over = {one.item.id: f"({one.standing}) " for one in found.entries if one.standing != "live"}
        for shown, entry in zip(found.ids, found.items, strict=True):
            row = f"{shown}  {entry.kind:<10}  {over.get(entry.id, '')}{one_line(clean(entry.text))}"
            click.echo(shorten(row, width) if width else row)
    else:
        click.echo(found.report, nl=False)


def _columns() -> int:
    """How wide the terminal is; 0 where stdout is none: what reads a pipe wants all of a line."""
    if not sys.stdout.isatty():
        return 0
    import shutil

    return max(shutil.get_terminal_size().columns, _COLUMNS_MIN)
