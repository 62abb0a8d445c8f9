"""`clew log`: what was recorded, and the state as it was at a checkpoint."""

from __future__ import annotations

import click

from clew.app.look import log as logs
from clew.core.text.cleaning import clean, one_line
from clew.interfaces.cli.group import CliCommand
from clew.interfaces.cli.here import count, find_project, present, say_notes
from clew.interfaces.cli.options import json_option
from clew.interfaces.cli.screen import show_table


@click.command("log", cls=CliCommand, doing="Reading the ledger")
@click.option("--task", metavar="T", help="Only this task (default: the one bound here, else all).")
@click.option("--all", "every", is_flag=True, help="Of the whole project.")
@click.option("--at", "checkpoint", metavar="CHECKPOINT", help="Show the items as they were then instead of events.")
@click.option("--since", metavar="TIME", default="", help="A date, a time, or how long ago (90m, 12h, 3d).")
@click.option("--kind", metavar="KIND", default="", help="Of this kind: decision, task, item.retracted …")
@click.option("--limit", metavar="N", type=click.IntRange(min=0), default=50, help="The newest N; 0: all.")
@json_option()
def command(task: str | None, every: bool, checkpoint: str | None, since: str, kind: str, limit: int) -> None:
    """Show what was recorded, one line an event: when, which item, what happened, and by whom."""
    if task is not None and every:
        raise click.UsageError("--task and --all exclude each other")
    if checkpoint is not None:
        if every or since or kind:
            raise click.UsageError("--at can be combined with --task only")
        present(logs.log_at(find_project(), checkpoint, task=task), _list_items)
        return
    present(logs.log(find_project(), task=task, every=every, since=since, kind=kind, limit=limit), _list)


def _list(found: logs.EventLog) -> None:
    rows = [(line.said_at[:19].replace("T", " "), line.short_id, line.by, line.words) for line in found.events]
    show_table(("when (UTC)", "id", "by", "what"), rows, styles=("dim", "bold", "cyan"), spare=(2,))
    if not found.events:
        say_notes(["Nothing of the kind was recorded."])
    elif found.more:
        say_notes([f"Older events are not listed: these are the newest {len(found.events)} (`--limit 0` lists all)."])


def _list_items(found: logs.PastItems) -> None:
    for item in found.items:
        print(f"{item.short_id}  {item.kind:<10}  {one_line(clean(item.text))}")
    moment = found.time[:19].replace("T", " ")
    say_notes([f"{count(len(found.items), 'item')} as they were at {one_line(clean(found.name))}, {moment} UTC."])
