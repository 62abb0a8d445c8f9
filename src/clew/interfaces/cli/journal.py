"""`clew journal`: what was decided, what failed and what ended, day by day."""

from __future__ import annotations

import click

from clew.app.journal.pages import Journal, read
from clew.app.journal.pages import add as note
from clew.app.project.opening import ProjectHandle
from clew.app.project.session import Outcome
from clew.interfaces.cli.group import Group
from clew.interfaces.cli.here import find_project, present, recording, remark, text_of
from clew.interfaces.cli.options import json_option


@click.group("journal", cls=Group)
@click.option("--day", metavar="DAY", default="", help="Only this day: 2026-11-25, or `today`.")
@json_option()
@click.pass_context
def command(ctx: click.Context, day: str) -> None:
    """Print the journal of the last days: what was decided, what failed, what was finished, and what people added.

    It is generated from the ledger, one page a day in `.clew/journal`; two people's pages merge in git line by line.
    """
    if ctx.invoked_subcommand is not None:
        return
    present(read(find_project(), day=day), _show)


def _show(found: Journal) -> None:
    for one in found.days:
        print(one.day)
        for line in one.lines:
            print(line.row)
    if not any(one.lines for one in found.days):
        remark('note: The journal is empty; `clew journal add "…"` writes into it.')


@command.command("add", short_help="Add a line to today's page.")
@click.argument("text", metavar="TEXT…", nargs=-1, required=True)
@recording
def add(project: ProjectHandle, text: tuple[str, ...]) -> Outcome:
    """Add TEXT to today's page of the journal."""
    return note(project, text_of(text))
