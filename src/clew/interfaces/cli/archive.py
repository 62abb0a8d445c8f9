"""`clew archive`: clients' own records, kept before the clients delete them."""

from __future__ import annotations

from pathlib import Path

import click

from clew import wiring
from clew.app.archive.archiving import ArchiveList, ArchiveResult, archive, archive_of, restore, told
from clew.app.health.finding import size_of
from clew.core.text.cleaning import clean, one_line
from clew.interfaces.cli.group import Group
from clew.interfaces.cli.here import count, find_project, here, present, say_notes
from clew.interfaces.cli.options import allow_options, json_option
from clew.interfaces.cli.waiting import Waiting


@click.group("archive", cls=Group)
@click.option("--all", "everywhere", is_flag=True, help="The sessions of all projects.")
@click.option("--dry-run", is_flag=True, help="Show what would be saved; save nothing.")
@json_option()
@click.pass_context
def command(ctx: click.Context, everywhere: bool, dry_run: bool) -> None:
    """Archive new records of this project's sessions, redacted and compressed.

    With `clew settings set archive.on on` this happens automatically when a session ends. `clew archive restore SESSION
    FILE` writes one out again.
    """
    if ctx.invoked_subcommand is not None:
        return
    with Waiting("Archiving") as waiting:
        done = archive(
            find_project(dry_run=dry_run), everywhere=everywhere, tell=lambda now, all_: waiting.at(f"{now} of {all_}")
        )
    present(done, _tell)


def _tell(done: ArchiveResult) -> None:
    for one in done.kept:
        print(told(one))
    verb = "Would keep" if done.dry_run else "Kept"
    print(f"{verb} {count(len(done.kept), 'session')}; the archive has {size_of(done.bytes)}.")
    notes = [f"{one_line(clean(str(path)))} cannot be read, so it was not archived." for path in done.unread]
    if done.dropped:
        verb = "would go" if done.dry_run else "went"
        notes.append(f"{count(len(done.dropped), 'older session')} {verb}, as archive.days and archive.most_mb say.")
    say_notes(notes)


@command.command("list")
@json_option()
def list_command() -> None:
    """List everything archived, of all projects, newest first."""
    found = ArchiveList(tuple(archive_of(wiring.ports()).sessions()))
    present(found, _list)


def _list(found: ArchiveList) -> None:
    for one in found.sessions:
        print(told(one))
    if not found.sessions:
        say_notes(["Nothing is archived. `clew archive` keeps the sessions of this project."])


@command.command("restore", short_help="Write an archived record into a file.")
@click.argument("session")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@allow_options
def restore_command(session: str, file: Path, force: bool, allow: tuple[str, ...], why: str) -> None:
    """Write the archived record of SESSION (the beginning of its id) into FILE.

    `clew resume --from FILE` goes on from it. It is first scanned for secrets by the current rules.
    """
    with Waiting("Scanning the record"):
        one, scanned = restore(find_project(), session, here() / file, force=force, allow=allow, why=why)
    say_notes(scanned.notes)
    where = one_line(clean(str(file)))
    print(f"Wrote the record of {one_line(clean(one.session))} ({count(one.bytes, 'byte')}) to {where}.")
