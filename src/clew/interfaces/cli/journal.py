"""`clew journal`: what was decided, what failed and what ended, day by day."""

from __future__ import annotations

import click

from clew.app.journal.note import add as note
from clew.app.journal.note import read
from clew.interfaces.cli.encode import json_of
from clew.interfaces.cli.group import Group
from clew.interfaces.cli.here import find_project, remark, say, text_of
from clew.interfaces.cli.options import json_option, recording_options


@click.group("journal", cls=Group)
@click.option("--day", metavar="DAY", default="", help="Only this day: 2026-11-25, or `today`.")
@json_option()
@click.pass_context
def command(ctx: click.Context, day: str, as_json: bool) -> None:
    """Print the journal of the last days: what was decided, what failed, what was finished, and what people added.

    It is generated from the ledger, one page a day in `.clew/journal`; two people's pages merge in git line by line.
    """
    if ctx.invoked_subcommand is not None:
        return
    found = read(find_project(), day=day)
    if as_json:
        print(json_of({"days": found}))
        return
    for one in found:
        print(one.day)
        for line in one.lines:
            print(line.row)
    if not any(one.lines for one in found):
        remark('note: The journal is empty; `clew journal add "…"` writes into it.')


@command.command("add", short_help="Add a line to today's page.")
@click.argument("text", metavar="TEXT…", nargs=-1, required=True)
@recording_options
def add(text: tuple[str, ...], dry_run: bool, as_json: bool) -> None:
    """Add TEXT to today's page of the journal."""
    say(note(find_project(dry_run=dry_run), text_of(text)), as_json=as_json)
