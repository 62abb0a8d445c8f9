"""`clew import`: what a bundle holds into the ledger."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from clew.interfaces.cli.here import count, here


@click.command("import", short_help="Take in a file that `clew export` wrote.")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--join", is_flag=True, help="The bundle's project and this one are one (only a person may say so).")
@click.option("--keep-authors", is_flag=True, help="Believe who said what in it (only a person may say so).")
@click.option("--dry-run", is_flag=True, help="Check it and count; keep nothing.")
@click.option("--json", "as_json", is_flag=True, help="What was taken in, as JSON (docs/json.md).")
def command(file: Path, join: bool, keep_authors: bool, dry_run: bool, as_json: bool) -> None:
    """Take the bundle FILE (- is stdin) into the ledger of this project. What is there already stays as it is.

    What it says counts as an agent's words at most, because anybody can write a file. Doing it twice is doing it once.
    """
    from clew import wiring
    from clew.app.bundle import import_

    with _file(file) as source:
        done = import_(wiring.ports(), here(), source, join=join, keep_authors=keep_authors, dry_run=dry_run)
    if as_json:
        from clew.interfaces.cli.shapes.bundle import imported

        click.echo(imported(done, dry_run=dry_run))
        return
    verb = "Would take in" if dry_run else "Took in"
    known = f"; {count(done.known, 'event')} known already" if done.known else ""
    click.echo(f"{verb} {count(done.events, 'event')} and {count(done.extracts, 'extract')}{known}.")
    if done.left_out:
        click.echo(
            f"note: {count(done.left_out, 'event')} that steer clew were left out (a person takes them in with "
            "--keep-authors)",
            err=True,
        )


@contextmanager
def _file(given: Path) -> Iterator[Path]:
    """The file that was named; of what comes by a pipe a copy, since a bundle is read more than once."""
    if str(given) != "-":
        yield here() / given
        return
    if sys.stdin is None:
        raise click.UsageError("there is no stdin to read the bundle from", click.get_current_context())
    import shutil
    import tempfile

    with tempfile.TemporaryDirectory(prefix="clew-") as folder:
        copy = Path(folder, "stdin")
        with copy.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield copy
