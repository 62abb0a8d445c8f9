"""`clew redact`: what slipped in goes, and does not come back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import click

from clew import wiring
from clew.app.keeping.purge import Left, Purged, in_words, purge
from clew.app.look.show import show
from clew.app.project.authority import require_person
from clew.core.text.cleaning import clean, one_line, shorten
from clew.interfaces.cli.asking import confirmed, hidden
from clew.interfaces.cli.group import CliCommand
from clew.interfaces.cli.here import aside, count, find_project, present, say_notes
from clew.interfaces.cli.options import json_option

_WORDS_CHARS: Final = 200


@click.command("redact", cls=CliCommand)
@click.argument("item", metavar="ID")
@click.option(
    "--value",
    metavar="-",
    default="",
    help="Remove a value, too; you are asked for it, so that it is never on the command line.",
)
@click.option("--dry-run", is_flag=True, help="Show where it occurs; change nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option()
def command(item: str, value: str, dry_run: bool, yes: bool) -> None:
    """Remove the item ID from the ledger, and its words wherever they occur, and keep them from coming back.

    Only a person may. This cannot be undone. Afterwards all of clew's files are searched byte by byte, and other files
    that still contain it (your agent's own record, documents) are listed.
    """
    if value not in ("", "-"):
        raise click.UsageError(
            "a value on the command line would stay in the shell's history: say --value - and type it when asked"
        )
    ports = wiring.ports()
    require_person(ports.channel(), "redact", code=False)  # before a value is asked for
    sought = hidden("The value (it is not shown)") if value else ""
    before = purge(find_project(dry_run=True), item, value=sought)
    if not dry_run and not yes:
        item_there = show(find_project(), before.id).item
        words = one_line(clean(item_there.text)) if item_there else ""
        # What is typed where nobody sees it is not shown here either.
        words = shorten(words.replace(sought, "…") if sought else words, _WORDS_CHARS)
        aside(f"{before.short_id}: {words}\nIts words occur in {count(len(before.before), 'file')}:")
        _list(before.before, err=True)
        if not confirmed(f"Redact {before.short_id} for ever?"):
            aside("Nothing was changed.")
            raise SystemExit(1)
    done = before if dry_run else purge(find_project(), before.id, value=sought)
    present(done, _tell)


def _tell(done: Purged) -> None:
    if done.dry_run:
        print(f"Would redact {done.short_id}. Its words occur in {count(len(done.before), 'file')}:")
        _list(done.before)
        return
    print(f"Redacted {done.short_id}: {count(done.changed, 'row')} of the ledger changed.")
    for path in done.dropped:
        print(f"Deleted {one_line(clean(str(path)))}")
    unread = any(left.role == "unread" for left in done.left)
    print(f"No file of clew's {'that can be read ' if unread else ''}holds its words any more.")
    say_notes(in_words(left) for left in done.left)


def _list(files: Iterable[Left], *, err: bool = False) -> None:
    for left in files:
        (aside if err else print)(f"  {one_line(clean(str(left.path)))} ({left.role})")
