"""`clew export`: the whole ledger as one bundle."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from clew.core.text.cleaning import clean, one_line
from clew.interfaces.cli.group import Command
from clew.interfaces.cli.here import aside, count, here
from clew.interfaces.cli.options import json_option


@click.command("export", cls=Command, doing="Writing the ledger out")
@click.argument("file", metavar="[FILE|-]", type=click.Path(path_type=Path), required=False, default="-")
@click.option("--force", is_flag=True, help="Replace FILE if it is there.")
@click.option("--allow", metavar="DIGITS", multiple=True, help="Let this finding pass (only a person may; repeatable).")
@click.option("--dry-run", is_flag=True, help="Scan and count; write nothing.")
@json_option("What was written, as JSON (docs/reference/json.md); not with stdout.")
def command(file: Path, force: bool, allow: tuple[str, ...], dry_run: bool, as_json: bool) -> None:
    """Write all events and all that was read off sessions into FILE, or to stdout.

    The bundle is for a backup or another machine: `clew import` takes it in. It holds private things, too: what was
    asked, what was read. Before it is written it is scanned for secrets, and refused if there is one.
    """
    from clew import wiring
    from clew.app.keeping.bundle import export

    to_stdout = str(file) == "-"
    if to_stdout and as_json and not dry_run:
        raise click.UsageError("--json tells about a file: name one")
    target = None if to_stdout else here() / file
    stdout = sys.stdout.buffer
    done = export(wiring.ports(), here(), target, write=stdout.write, allow=allow, force=force, dry_run=dry_run)
    if as_json:
        from clew.interfaces.cli.encode import encoded

        print(encoded("export", done, dry_run=dry_run))
        return
    where = "stdout" if target is None else one_line(clean(str(file)))
    verb = "Would write" if dry_run else "Wrote"
    size = f"{count(done.events, 'event')}, {count(done.extracts, 'extract')}, {count(done.bytes, 'byte')}"
    (aside if target is None else print)(f"{verb} {size} to {where}.")
    for secret in done.allowed:
        aside(f"note: it holds what looks like a secret: {secret.rule} {secret.digits}, as allowed")
