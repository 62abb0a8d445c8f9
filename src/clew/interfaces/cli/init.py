"""`clew init`: make this folder a project."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from clew.core.text import clean, one_line
from clew.interfaces.cli.here import count, here, say_notes

if TYPE_CHECKING:
    from clew.app.init import Initialised


@click.command("init", short_help="Keep a ledger for this project, and take in what sessions left.")
@click.option("--dry-run", is_flag=True, help="Say what would be made; make nothing.")
@click.option("--json", "as_json", is_flag=True, help="What was done, as JSON (docs/json.md).")
def command(dry_run: bool, as_json: bool) -> None:
    """Make the repository (or folder) that you are in a project: give it an identity and a ledger, then take in the
    sessions that were recorded here.

    All work trees of a repository share one ledger, and whoever has the same `.clew/config.toml` works on the same
    project. Doing it twice is doing it once. The settings of your agents are not touched.
    """
    from clew import wiring
    from clew.app.init import init

    done = init(wiring.ports(), here(), dry_run=dry_run, progress=_progress)
    say_notes(done.notes)
    if as_json:
        from clew.interfaces.cli.shapes.init import initialised

        click.echo(initialised(done))
    else:
        for line in _told(done):
            click.echo(one_line(clean(line)))


def _progress(taken: int, left: int) -> None:
    if sys.stderr.isatty():
        click.echo(f"Took in {count(taken, 'session')}; {left:,} left. Ctrl-C leaves them for later.", err=True)


def _told(done: Initialised) -> list[str]:
    """What was done, a sentence a line, and what to run next."""
    spot, would = done.plan.spot, done.dry_run
    lines = []
    if done.plan.joins and done.made:
        lines.append(f"{'Would join' if would else 'Joined'} the project that {spot.ledger} keeps.")
    lines += [f"{'Would make' if would else 'Made'} {path}" for path in done.made]
    if done.plan.alias:
        verb = "Would join" if would else "Joined"
        lines.append(f"{verb} the project {done.plan.alias} of .clew/config.toml with this one, {done.project}.")
    if not done.made and not done.plan.alias:
        lines.append(f"{spot.root} is a project already; its ledger is {spot.ledger}.")
    if would:
        lines.append(f"Would look at {count(done.sessions, 'session file')}.")
        return lines
    lines.append(f"Took in {count(done.sessions, 'session')}." if done.sessions else "No session was waiting.")
    if done.checkpoint is not None:
        lines.append(f"Took the checkpoint {done.checkpoint.name} ({done.checkpoint.reason}).")
    lines.append("Next: `clew status` shows what is known, `clew resume` prints what a new session needs.")
    return lines
