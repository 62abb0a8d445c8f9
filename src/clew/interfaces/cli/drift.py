"""`clew drift`: whether what is known still fits the files."""

from __future__ import annotations

import click

from clew.app.resume.drifted import DriftResult, drifted
from clew.core.records.files import FileDrift
from clew.interfaces.cli.group import CliCommand
from clew.interfaces.cli.here import find_project, present, print_lines, say_notes
from clew.interfaces.cli.options import json_option

# Never 2 (clients read it as "block") and not 1 (an error).
EXIT_DRIFTED = 3
_COMMITS_SHOWN_MAX = 3


@click.command("drift", cls=CliCommand, doing="Comparing files")
@click.argument("task", metavar="[TASK]", required=False, default="")
@click.option("--since", metavar="CHECKPOINT", default="", help="Compare with this checkpoint (its name, id, or last).")
@click.option("--exit-code", is_flag=True, help="Exit with 3 unless the verdict is current.")
@json_option()
def command(task: str, since: str, exit_code: bool) -> None:
    """Compare the files that a task's live items cite with the disk: unchanged, changed, moved, gone; and the verdict.

    TASK is an id or a title; without it the task that is bound here. Files are compared with what the newest session
    saw; with the last checkpoint only if that session's record is gone, or with --since.
    """
    found = drifted(find_project(), task=task, since=since).result()
    say_notes(found.notes)
    present(found, _tell)
    if exit_code and found.verdict.kind != "current":
        raise SystemExit(EXIT_DRIFTED)


def _tell(found: DriftResult) -> None:
    lines = [f"{found.verdict.kind}: {found.verdict.reason}", f"Compared with {found.base}."]
    print_lines([*lines, *(f"  {_file(file)}" for file in found.drift.files if file.status != "unchanged")])


def _file(file: FileDrift) -> str:
    said: str = file.status
    if file.moved_to:
        said += f" to {file.moved_to}"
    if file.added > 0 or file.removed > 0:
        said += f" (+{file.added} -{file.removed})"
    if file.commits:
        shown = ", ".join(commit.id for commit in file.commits[:_COMMITS_SHOWN_MAX])
        more = len(file.commits) - _COMMITS_SHOWN_MAX
        said += f" by {shown}" + (f" and {more} more" if more > 0 else "")
    return f"{file.path}: {said}"
