"""`clew sessions`: what ran where."""

from __future__ import annotations

from functools import partial
from typing import Final

import click

from clew.app.look.sessions import SessionList, SessionRow, sessions
from clew.core.state.ids import shortest_sessions
from clew.core.text.cleaning import clean, one_line, shorten
from clew.interfaces.cli.group import CliCommand
from clew.interfaces.cli.here import count, find_project, present, say_notes
from clew.interfaces.cli.options import json_option
from clew.interfaces.cli.screen import show_table

_GOAL_CHARS: Final = 80


@click.command("sessions", cls=CliCommand, doing="Looking for sessions")
@click.option("--client", metavar="CLIENT", default="", help="Only this client's: claude-code, codex, …")
@click.option("--limit", metavar="N", type=click.IntRange(min=0), default=20, help="The newest N; 0: all.")
@json_option()
def command(client: str, limit: int) -> None:
    """List the sessions of this project in all work trees and all clients, most recently active first.

    You can continue any of them in any client: `clew resume --from SESSION`. Nothing is imported.
    """
    found = sessions(find_project(), client=client, limit=limit)
    present(found, partial(_tell, client=client))


def _tell(found: SessionList, *, client: str) -> None:
    ids = shortest_sessions(one.session for one in found.sessions)
    cells = [_cells(found, one, ids[one.session]) for one in found.sessions]
    heads = ("last active", "client", "session", "stands", "branch, task", "asked last")
    show_table(heads, cells, styles=("dim", "", "bold", "", "cyan"), spare=(4, 3, 1, 0))
    if not found.sessions:
        say_notes([f"No session{f' of {client}' if client else ''} ran in this project."])
    elif found.more:
        some = count(found.more, "older session") + (" is" if found.more == 1 else " are")
        some = some if found.ledger else "Older ones are"
        say_notes([f"{some} not listed (`--limit 0` lists all)."])
    if not found.ledger:
        say_notes(["No ledger is kept here (`clew init`), so nothing more is known of them."])


def _cells(found: SessionList, one: SessionRow, session: str) -> tuple[str, ...]:
    moment = one.last_time[:16].replace("T", " ")
    task = next((task.short_id for task in found.tasks if task.id == one.task), "")
    stands = one.stands + ("+" if one.grew and one.stands != "unread" else "")
    unknown = "not imported yet" if one.stands == "unread" or not found.ledger else "nothing was asked"
    goal = shorten(one_line(clean(one.goal)), _GOAL_CHARS) or f"({unknown})"
    return (moment, one.client, session, stands, f"{one.branch} {task}".strip(), goal)
