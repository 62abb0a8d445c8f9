"""`clew redact`: what slipped in goes, and does not come back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import click

from clew.core.text import clean, one_line, shorten
from clew.interfaces.cli.here import count, here, say_notes

if TYPE_CHECKING:
    from clew.app.purge import Left

_WORDS_CHARS: Final = 200


@click.command("redact", short_help="Take an item and its words out of everything that is kept.")
@click.argument("item", metavar="ID")
@click.option(
    "--value", metavar="-", default="", help="Look for a value, too: it is asked for, and never on the command line."
)
@click.option("--dry-run", is_flag=True, help="Say where it stands; change nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--json", "as_json", is_flag=True, help="As JSON (docs/json.md).")
def command(item: str, value: str, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Take the item ID out of the ledger, with its words wherever they stand, and keep them from coming back.

    Only a person may. This cannot be undone. Afterwards the bytes of all files of clew's are searched, and files of
    others that still hold it (your agent's own record, documents) are named.
    """
    from clew import wiring
    from clew.app.purge import in_words, purge

    if value not in ("", "-"):
        raise click.UsageError(
            "a value on the command line would stay in the shell's history: say --value - and type it when asked",
            click.get_current_context(),
        )
    sought = click.prompt("The value (it is not shown)", hide_input=True, err=True) if value else ""
    ports = wiring.ports()
    before = purge(ports, here(), item, value=sought, dry_run=True)
    if not dry_run and not yes:
        from clew.app.show import show

        item_there = show(ports, before.id, folder=here()).chosen
        words = one_line(clean(item_there.text)) if item_there else ""
        # What is typed where nobody sees it is not shown here either.
        words = shorten(words.replace(sought, "…") if sought else words, _WORDS_CHARS)
        click.echo(f"{before.shown}: {words}\nIts words stand in {count(len(before.before), 'file')}:", err=True)
        _list(before.before, err=True)
        if not click.confirm(f"Redact {before.shown} for ever?", err=True):
            click.echo("Nothing was changed.", err=True)
            click.get_current_context().exit(1)
    done = before if dry_run else purge(ports, here(), before.id, value=sought)
    if as_json:
        from clew.interfaces.cli.shapes.redact import redaction

        click.echo(redaction(done))
        return
    if dry_run:
        click.echo(f"Would redact {done.shown}. Its words stand in {count(len(done.before), 'file')}:")
        _list(done.before)
        return
    click.echo(f"Redacted {done.shown}: {count(done.changed, 'row')} of the ledger changed.")
    for path in done.dropped:
        click.echo(f"Deleted {one_line(clean(str(path)))}")
    click.echo("No file of clew's holds its words any more.")
    say_notes(in_words(left) for left in done.left)


def _list(files: Iterable[Left], *, err: bool = False) -> None:
    for left in files:
        click.echo(f"  {one_line(clean(str(left.path)))} ({left.role})", err=err)
