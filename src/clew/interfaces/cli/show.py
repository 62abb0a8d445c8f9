"""`clew show`: one item with its evidence, or the list of all."""

from __future__ import annotations

from pathlib import Path

import click

from clew.core.text import clean, one_line


@click.command("show", short_help="Show an item with its place in the record, or list all.")
@click.argument("item", metavar="[ID]", required=False)
@click.option(
    "--from", "transcript", metavar="FILE", type=click.Path(path_type=Path), help="Look in this session file."
)
@click.option("--json", "as_json", is_flag=True, help="As JSON (docs/json.md).")
def command(item: str | None, transcript: Path | None, as_json: bool) -> None:
    """Show what the record says about the item ID: all of its text, who said it, where, and the words there.

    ID is the id printed in a document, or any unique beginning of it. Without ID: a line for each item.
    """
    import clew
    from clew.interfaces.cli import as_json as json_shapes

    found = clew.show(item, transcript=transcript)
    if as_json:
        click.echo(json_shapes.showing(found))
    elif found.chosen is None:
        for shown, entry in zip(found.ids, found.items, strict=True):
            click.echo(f"{shown}  {entry.kind:<10}  {one_line(clean(entry.text))}")
    else:
        click.echo(found.report, nl=False)
