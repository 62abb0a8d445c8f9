"""`clew rebuild`: write the files beside the work again, as the ledger has them."""

from __future__ import annotations

from collections import Counter

import click

from clew.app.handoff.files import Rebuild, rebuilt
from clew.core.text.cleaning import clean, one_line
from clew.interfaces.cli.group import CliCommand
from clew.interfaces.cli.here import aside, count, find_project, present
from clew.interfaces.cli.options import json_option
from clew.interfaces.cli.waiting import Waiting


@click.command("rebuild", cls=CliCommand)
@click.option("--dry-run", is_flag=True, help="Show what would be written; write nothing.")
@json_option()
def command(dry_run: bool) -> None:
    """Rewrite all files in `.clew` that are generated from the ledger: hand-offs, session pages, summaries, state,
    journal,
    memory.

    They are views: deleted ones come back with the same bytes. A file that somebody changed is first moved to
    `.clew/edited`.
    """
    with Waiting("Writing the files in .clew"):
        done = Rebuild(dry_run, tuple(rebuilt(find_project(dry_run=dry_run))))
    present(done, _tell)


def _tell(done: Rebuild) -> None:
    did = Counter(one.did for one in done.files)
    for one in done.files:
        if one.did != "same":
            aside_told = f"; the text that was there is in {one.aside}" if one.aside else ""
            print(one_line(clean(f"{one.did:<8} {one.path}{aside_told}")))
    would = "would be " if done.dry_run else ""
    aside(f"{count(len(done.files) - did['same'], 'file')} {would}written or removed, {did['same']} as they were.")
