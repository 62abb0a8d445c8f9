"""`clew export`: the whole ledger as one bundle."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import click

from clew.app.keeping.bundle import BundleExport, export
from clew.app.keeping.session_export import FORMS, Form, export_session
from clew.core.text.cleaning import clean, one_line
from clew.interfaces.cli.group import CliCommand
from clew.interfaces.cli.here import aside, count, find_project, here, present, say_notes
from clew.interfaces.cli.options import allow_options, json_option, wants_json


@click.command("export", cls=CliCommand, doing="Writing the ledger out")
@click.argument("file", metavar="[FILE|-]", type=click.Path(path_type=Path), required=False, default="-")
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@allow_options
@click.option(
    "--session", metavar="SESSION", default="", help="One session instead: a file, or the beginning of its id."
)
@click.option(
    "--task", metavar="TASK", default="", help="All sessions of one task: the beginning of its id, or its title."
)
@click.option("--as", "form", type=click.Choice(FORMS), help="The format; default: by FILE's extension, or md.")
@click.option("--dry-run", is_flag=True, help="Scan and count; write nothing.")
@json_option("What was written, as JSON (docs/reference/json.md); not with stdout.")
def command(
    file: Path, force: bool, allow: tuple[str, ...], why: str, session: str, task: str, form: Form | None, dry_run: bool
) -> None:
    """Write all events and everything read from sessions into FILE, or to stdout.

    The bundle is for a backup or another machine: `clew import` reads it. It contains private things, too, such as what
    was asked and read. It is first scanned for secrets, and refused if there is one.

    With --session: one session, redacted, as Markdown (md), one self-contained HTML page (html), or JSON Lines (jsonl).
    """
    if session and task:
        raise click.UsageError("--session cannot be combined with --task")
    if form and not session:
        raise click.UsageError("--as needs --session")
    to_stdout = str(file) == "-"
    if to_stdout and wants_json() and not dry_run:
        raise click.UsageError("--json reports on a file: name one")
    target = None if to_stdout else here() / file
    where = "stdout" if to_stdout else one_line(clean(str(file)))
    if session:
        by_ending: list[Form] = [one for one in FORMS if one == file.suffix.lower().lstrip(".")]
        chosen = form or (by_ending or ["md"])[0]
        written = None if dry_run else target
        made = export_session(find_project(), Path(session), written, chosen, force=force, allow=allow, why=why)
        say_notes(made.result.notes)
        if to_stdout and not dry_run:
            sys.stdout.write(made.text)
            return
        what = f"{count(made.result.records, 'record')} as {chosen}"
        present(made.result, lambda _: print(f"{'Would write' if dry_run else 'Wrote'} {what} to {where}."))
        return
    stdout = sys.stdout.buffer
    project = find_project(dry_run=dry_run)
    done = export(project, target, write=stdout.write, allow=allow, why=why, task=task, force=force)
    say_notes(done.notes)
    present(done, partial(_tell, where=where))


def _tell(done: BundleExport, *, where: str) -> None:
    size = f"{count(done.events, 'event')}, {count(done.extracts, 'extract')}, {count(done.bytes, 'byte')}"
    (print if done.file else aside)(f"{'Would write' if done.dry_run else 'Wrote'} {size} to {where}.")
