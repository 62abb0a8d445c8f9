"""`clew checkpoint`: a named point to come back to."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import click

from clew.app.draft.keep import asking
from clew.app.intake.source import read_source
from clew.app.record.checkpoint import CheckpointList, CheckpointRow, list_checkpoints
from clew.app.resume.catchup import TakenCheckpoint, checkpoint
from clew.core.text.cleaning import clean, one_line
from clew.interfaces.cli.group import CliCommand
from clew.interfaces.cli.here import aside, check_named_task, count, find_project, here, present, say_notes, stdin_copy
from clew.interfaces.cli.options import json_option
from clew.interfaces.cli.waiting import Waiting


@click.command("checkpoint", cls=CliCommand)
@click.argument("name", metavar="[NAME]", required=False, default="")
@click.option("-m", "--message", metavar="TEXT", default="", help="A line about it.")
@click.option(
    "--draft",
    metavar="FILE",
    type=click.Path(),
    default="",
    help="With a hand-off in FILE (`-`: stdin), which is checked.",
)
@click.option("--list", "lists", is_flag=True, help="List the checkpoints, newest first; create none.")
@click.option("--dry-run", is_flag=True, help="Show what would be saved; save nothing.")
@json_option()
def command(name: str, message: str, draft: str, lists: bool, dry_run: bool) -> None:
    """Import new sessions, then mark this point of the task: NAME, git's HEAD, and the files in play.

    `clew log --at NAME`, `clew resume --at NAME` and `clew drift --since NAME` look back at it. No file is saved and
    none is ever restored. Without NAME it is named after the branch and the time; a name may be reused: it then means
    the newest.

    An agent's hand-off that comes with it (`clew draft --request` shows what it should contain) is checked entry by
    entry
    against the session's record and the disk: what holds goes into the next session's payload, what does not is
    reported here.
    """
    if lists and (name or message or draft or dry_run):
        raise click.UsageError("--list cannot be combined with other options (but --json)")
    if lists:
        present(list_checkpoints(find_project()), _list)
        return
    check_named_task()
    text = _text(draft) if draft else ""
    with Waiting("Taking in what sessions left"):
        taken = checkpoint(find_project(dry_run=dry_run), name=name, message=message, draft=text)
    say_notes(taken.notes)
    present(taken, _tell)
    if taken.asks:
        aside(asking(taken.asks))


def _list(found: CheckpointList) -> None:
    for one in found.checkpoints:
        print(_row(one))
    if not found.checkpoints:
        say_notes(["No checkpoint was taken yet; `clew checkpoint` takes one."])


def _tell(taken: TakenCheckpoint) -> None:
    print(f"{'Would take' if taken.dry_run else 'Took'} {_row(taken.checkpoint)}")
    for line in taken.answer:
        print(one_line(clean(line)))


def _text(file: str) -> str:
    """The draft in a file, or on stdin. Raises `InputError` and `UsageError`."""
    with ExitStack() as stack:
        place = stdin_copy(stack) if file == "-" else here() / Path(file).expanduser()
        text = read_source(place, name="stdin" if file == "-" else file).text
    if not text.strip():
        raise click.UsageError("the draft is empty")
    return text


def _row(one: CheckpointRow) -> str:
    """One line: id, name, when, why, where HEAD was, what was kept."""
    at = f"{one.head[:8]} on {one.branch or 'no branch'}" if one.head else one.branch
    parts = [one.short_id, one.name, one.time[:16].replace("T", " "), one.reason]
    parts += [at] if at else []
    parts += [count(len(one.files), "file")]
    parts += [f"{one.context_tokens:,} context tokens"] if one.context_tokens else []
    row = "  ".join(one_line(clean(part)) for part in parts)
    return f"{row}  {one_line(clean(one.message))}".rstrip()
