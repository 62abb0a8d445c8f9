"""`clew confirm`: an agent says what its goal and next action are, and its edits go ahead."""

from __future__ import annotations

import click

from clew.core.text import clean, one_line
from clew.interfaces.cli.recorded import text_of


@click.command("confirm", short_help="Say goal and next action, so that edits go ahead (an agent).")
@click.argument("text", metavar="TEXT…", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="As JSON (docs/json.md).")
def command(text: tuple[str, ...], as_json: bool) -> None:
    """Say in TEXT what the goal and the next action are, as the start of this session told them.

    With the gate `gate.confirm` on, edits wait for this. It has to name the file of the next action (or its id) and
    what only this goal is about; after two misses the gate gives in. TEXT - is read from stdin.
    """
    from clew import wiring
    from clew.app.confirm import confirm

    found = confirm(wiring.ports(), text_of(text))
    if as_json:
        from clew.interfaces.cli.shapes.confirm import confirmed

        click.echo(confirmed(found))
        return
    click.echo(one_line(clean(found.said)))
